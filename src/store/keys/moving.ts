// Moves of keys between accounts: under the locks of both, the key's row changes and its counts are carried over.
import type { Changes } from "../../core/changes.ts";
import { applyChange } from "../../core/fields/field.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { readRevision } from "../../core/keys/key-change.ts";
import type { Carry, KeyCounts, KeyMove } from "../../core/keys/key-move.ts";
import { makeNotedHold } from "../../core/noted-hold.ts";
import type { Meter, Place } from "../../core/rows.ts";
import type { Store } from "../../core/store.ts";
import { readText } from "../columns/found.ts";
import { parsePlace } from "../columns/place.ts";
import { bind, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { selectSql, updateSql, upsertSql } from "../engine/sql.ts";
import { KEY, METER, OWNER, SPEND } from "../schema/tables.ts";
import { CHANGED_KEY } from "./keys.ts";
import { MakingCount } from "./making.ts";

/** A key that others move at the same moment is looked up again. */
const TRIES_MAX = 10;

type MoveAttempt = { readonly key: GatewayKey | null } | "moved";

/** The ids of noted requests that have ended. */
type EndedIds = ReadonlySet<string>;
const NONE_ENDED: EndedIds = new Set();

function listNotedPlaces(meters: readonly Meter[], ended: EndedIds): readonly Place[] {
  return meters.flatMap((meter) =>
    (meter.noted ?? []).filter(({ id }) => !ended.has(id)).map((one) => makeNotedHold(meter, one).place),
  );
}

/** A key's counts in one account as statements. */
class KeyCounting {
  readonly #engine: Engine;
  readonly #meters: string;
  readonly #reads: readonly string[];

  constructor(engine: Engine) {
    this.#engine = engine;
    const ofKey = (owner: string) => `WHERE account_id = ${engine.mark(1)} AND ${owner} = ${engine.mark(2)}`;
    this.#meters = `${selectSql(METER)} ${ofKey("owner")}`;
    this.#reads = [
      `${selectSql(OWNER)} ${ofKey("owner")}`,
      this.#meters,
      `${selectSql(SPEND)} ${ofKey("key_id")}`,
      `SELECT place FROM hold ${ofKey("key_id")}`,
    ];
  }

  /** Locks the accounts, always in the same order, so that two moves can't wait for each other. */
  lock(...accounts: string[]): Statement[] {
    const { mark, forUpdate } = this.#engine;
    const text = `SELECT id FROM account WHERE id = ${mark(1)} ${forUpdate}`;
    return [...new Set(accounts)].toSorted().map((id) => bind(text, id));
  }

  read(accountId: string, keyId: string): readonly Statement[] {
    return this.#reads.map((text) => bind(text, accountId, keyId));
  }

  /** Returns the ids of requests that are noted although they have ended. One that ends later counts as open until the next time. */
  async findEnded(accountId: string, keyId: string): Promise<EndedIds> {
    const { mark, run, isListed } = this.#engine;
    const days = (await run(bind(this.#meters, accountId, keyId))).map(METER.rowOf);
    const ids = days.flatMap(({ noted }) => (noted ?? []).map(({ id }) => id));
    if (ids.length === 0) return NONE_ENDED;
    const rows = `SELECT id FROM request WHERE ${isListed("id", mark(1))}`;
    return new Set((await run(bind(rows, JSON.stringify(ids)))).map((found) => readText(found, "id")));
  }

  /** Takes the results from those of `read` on. */
  parse(
    accountId: string,
    keyId: string,
    [states, days, spends, holds]: readonly Result[],
    ended: EndedIds,
  ): KeyCounts {
    const meters = (days ?? []).map(METER.rowOf);
    const held = (holds ?? []).map((found) => parsePlace(readText(found, "place")));
    return {
      accountId,
      keyId,
      state: readFirst(OWNER, states),
      meters,
      spend: readFirst(SPEND, spends),
      open: [...held, ...listNotedPlaces(meters, ended)],
    };
  }

  /** The second account's results follow the first one's. */
  carry(
    carry: Carry,
    [fromId, toId]: readonly [string, string],
    keyId: string,
    ended: EndedIds,
    results: readonly Result[],
  ) {
    const from = this.parse(fromId, keyId, results, ended);
    const carried = carry(from, this.parse(toId, keyId, results.slice(this.#reads.length), ended));
    const writes = [...this.#write(carried.from), ...this.#write(carried.to)];
    return { writes, isOver: from.open.length === 0 };
  }

  #write({ state, meters, spend }: KeyCounts): readonly Statement[] {
    const { mark } = this.#engine;
    return [
      ...(state ? [bind(upsertSql(OWNER, mark), ...OWNER.valuesOf(state))] : []),
      ...meters.map((meter) => bind(upsertSql(METER, mark), ...METER.valuesOf(meter))),
      ...(spend ? [bind(upsertSql(SPEND, mark), ...SPEND.valuesOf(spend))] : []),
    ];
  }
}

export function movingMethods(engine: Engine) {
  const { mark, run, change } = engine;
  const first = mark(1);
  const second = mark(2);
  const byId = `${selectSql(KEY)} WHERE id = ${first}`;
  const departures = `SELECT account_id, id FROM departure ORDER BY account_id, id LIMIT ${first}`;
  const arrive = `DELETE FROM departure WHERE account_id = ${first} AND id = ${second}`;
  const counting = new KeyCounting(engine);
  const findKey = async (id: string) => readFirst(KEY, await run(bind(byId, id)));

  /** Returns true if nothing is left to come. */
  const carryOne = async (fromId: string, id: string, carry: Carry): Promise<boolean> => {
    const home = (await findKey(id))?.accountId ?? fromId;
    if (home === fromId) return true;
    const ended = await counting.findEnded(fromId, id);
    const firsts = [...counting.lock(fromId, home), bind(byId, id)];
    const at = firsts.length;
    firsts.push(...counting.read(fromId, id), ...counting.read(home, id));
    return change<boolean>(firsts, (results) => {
      if (readFirst(KEY, results[at - 1])?.accountId !== home) return { writes: [], toResult: () => false };
      const { writes, isOver } = counting.carry(carry, [fromId, home], id, ended, results.slice(at));
      return { writes: isOver ? [...writes, bind(arrive, fromId, id)] : writes, toResult: () => isOver };
    });
  };

  return {
    carryHome: async (carry, most) => {
      let left = 0;
      for (const found of await run(bind(departures, most))) {
        if (!(await carryOne(readText(found, "account_id"), readText(found, "id"), carry))) left++;
      }
      return left;
    },
  } satisfies Partial<Store>;
}

export function movingChanges(engine: Engine, record: Recorder) {
  const { mark, run } = engine;
  const byId = `${selectSql(KEY)} WHERE id = ${mark(1)}`;
  const counting = new KeyCounting(engine);
  const tryMove = makeTryMove(engine, counting, record);
  return {
    moveKey: async (id, move) => {
      for (let times = 0; times < TRIES_MAX; times++) {
        const known = readFirst(KEY, await run(bind(byId, id)));
        if (known === null) return null;
        const tried = await tryMove(known, move, await counting.findEnded(known.accountId, id));
        if (tried !== "moved") return tried.key;
      }
      throw new Error("The key was moved again and again by others.");
    },
  } satisfies Partial<Changes>;
}

/** Returns a function that moves a key from where it was found. */
function makeTryMove(engine: Engine, counting: KeyCounting, record: Recorder) {
  const { mark, change } = engine;
  const first = mark(1);
  const second = mark(2);
  const byId = `${selectSql(KEY)} WHERE id = ${first}`;
  const changeKey = updateSql(CHANGED_KEY, mark);
  const depart = `INSERT INTO departure (account_id, id) VALUES (${first}, ${second}) ON CONFLICT DO NOTHING`;
  const arrive = `DELETE FROM departure WHERE account_id = ${first} AND id = ${second}`;
  return (
    known: GatewayKey,
    { accountId: toId, revision, carry, making = null }: KeyMove,
    ended: EndedIds,
  ): Promise<MoveAttempt> => {
    const { id, accountId: fromId } = known;
    const isMove = fromId !== toId;
    const holding = new MakingCount(engine);
    const firsts = [...counting.lock(fromId, toId), bind(byId, id)];
    const at = firsts.length;
    if (isMove) firsts.push(...counting.read(fromId, id), ...counting.read(toId, id));
    const countsAt = firsts.length;
    if (isMove && making) firsts.push(...holding.read(making, "", id));
    return change<MoveAttempt>(firsts, (results) => {
      const before = readFirst(KEY, results[at - 1]);
      if (before === null) return { writes: [], toResult: () => ({ key: null }) };
      if (before.accountId !== fromId) return { writes: [], toResult: () => "moved" };
      if (isMove && making) holding.check(making, results.slice(countsAt));
      const key = { ...applyChange(before, readRevision(revision, before)), accountId: toId };
      const onRecord = record({ kind: "key", before, after: key });
      const writes: Statement[] = [bind(changeKey, id, ...CHANGED_KEY.valuesOf(key)), ...onRecord];
      if (isMove) {
        const carried = counting.carry(carry, [fromId, toId], id, ended, results.slice(at));
        writes.push(...carried.writes, bind(depart, fromId, id), bind(arrive, toId, id));
      }
      return { writes, toResult: () => ({ key }) };
    });
  };
}
