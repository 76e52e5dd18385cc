// The keys of a person, counted in the transaction that makes one more.
import { type KeyMaking, MAKING_COUNTS_MS } from "../../core/keys/key-making.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine, type Result, type Statement } from "../engine/engine.ts";
import { Narrowing } from "../engine/narrowing.ts";
import { KEY_ROWS } from "../engine/scope.ts";
import type { Mark } from "../engine/sql.ts";

/** The statements that a making adds to its transaction. A repeated transaction doesn't count what it wrote itself. */
export class MakingCount {
  readonly #mark: Mark;
  readonly #lock: string;
  readonly #makings: string;
  readonly #forget: string;
  readonly #add: string;

  constructor({ mark, forUpdate }: Pick<Engine, "mark" | "forUpdate">) {
    const first = mark(1);
    const second = mark(2);
    this.#mark = mark;
    this.#lock = `SELECT id FROM member WHERE id = ${first} ${forUpdate}`;
    this.#makings = `SELECT at_ms FROM key_making WHERE member_id = ${first} AND at_ms > ${second} AND id <> ${mark(3)}
      ORDER BY at_ms`;
    this.#forget = `DELETE FROM key_making WHERE member_id = ${first} AND at_ms <= ${second}`;
    this.#add = `INSERT INTO key_making (member_id, id, at_ms) VALUES (${first}, ${second}, ${mark(3)})
      ON CONFLICT (member_id, id) DO NOTHING`;
  }

  /** The reads of a making of this id, for the key of that id. Locks of accounts come before them. */
  read({ memberId, accountId, scope, atMs }: KeyMaking, id: string, keyId: string): readonly Statement[] {
    const inAccount = this.#narrowToOthers(memberId, keyId);
    inAccount.equal({ account_id: accountId });
    const inScope = this.#narrowToOthers(memberId, keyId);
    inScope.within(scope, KEY_ROWS);
    return [
      bind(this.#lock, memberId),
      composeCount(inScope),
      composeCount(inAccount),
      bind(this.#makings, memberId, atMs - MAKING_COUNTS_MS, id),
    ];
  }

  /** Takes the results from those of `read` on. Throws the Fault with which the making is refused. */
  check({ check }: KeyMaking, [, inScope, inAccount, makings]: readonly Result[]): void {
    check({
      inScope: readInteger(inScope?.[0] ?? {}, "held"),
      inAccount: readInteger(inAccount?.[0] ?? {}, "held"),
      makings: (makings ?? []).map((found) => readInteger(found, "at_ms")),
    });
  }

  /** Returns the statements that make it count from now on. */
  write({ memberId, atMs }: KeyMaking, id: string): readonly Statement[] {
    return [bind(this.#forget, memberId, atMs - MAKING_COUNTS_MS), bind(this.#add, memberId, id, atMs)];
  }

  #narrowToOthers(memberId: string, keyId: string): Narrowing {
    const by = new Narrowing(this.#mark);
    by.equal({ member_id: memberId });
    by.by(keyId, (mark) => `id <> ${mark}`);
    by.add("revoked_at_ms IS NULL");
    return by;
  }
}

function composeCount(by: Narrowing): Statement {
  return bind(`SELECT count(*) AS held FROM gateway_key WHERE ${by.where}`, ...by.values);
}
