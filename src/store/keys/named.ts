// Keys and accounts by name: made, or brought to a state, within one transaction in which others of the name wait.
import type { Changes } from "../../core/audit/changes.ts";
import { applyChange } from "../../core/fields/field.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { type KeyPut, PUT_KEPT_MS, type PutRecord } from "../../core/keys/key-change.ts";
import type { Store } from "../../core/store.ts";
import { allowNull, TEXT, TIME } from "../engine/columns.ts";
import { bind, type Change, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { ACCOUNT_ROWS, KEY_ROWS, narrowToScope } from "../engine/scope.ts";
import { insertSql, type Mark, selectSql } from "../engine/sql.ts";
import { ACCOUNT, KEY, table } from "../schema/tables.ts";
import { accountChanges, CHANGED_KEY, updateSql } from "./keys.ts";
import { MakingCount } from "./making.ts";

/** More rows of one name are refused like two. */
const SAME_NAME_MAX = 20;
/** The records kept for an account. Beyond it, the oldest are forgotten. */
const RECORDS_MAX = 1000;
const NEWEST = `ORDER BY created_at_ms DESC, id DESC LIMIT ${SAME_NAME_MAX}`;

const PUT_RECORD = table<PutRecord>("put_record", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  bodyDigest: TEXT,
  keyId: TEXT,
  sealed: allowNull(TEXT),
});

interface PutResult {
  /** Null if there is an earlier record. */
  readonly key: GatewayKey | null;
  readonly earlier: PutRecord | null;
}

/** Writes what a PUT of a key decides on the keys of its name, and on the record of an earlier one. */
class KeyWriting {
  readonly #mark: Mark;
  readonly #record: Recorder;
  readonly #engine: Engine;

  constructor(engine: Engine, record: Recorder) {
    this.#mark = engine.mark;
    this.#record = record;
    this.#engine = engine;
  }

  /** The reads of `write`, which follow those of the keys of the name. */
  read({ fresh, digest, record, making = null }: KeyPut): readonly Statement[] {
    const recordById = `${selectSql(PUT_RECORD)} WHERE account_id = ${this.#mark(1)} AND id = ${this.#mark(2)}`;
    return [
      bind(recordById, fresh.accountId, record?.id ?? ""),
      ...(making ? new MakingCount(this.#engine).read(making, digest, fresh.id) : []),
    ];
  }

  write(put: KeyPut, [named, recorded, ...counted]: readonly Result[]): Change<PutResult> {
    const { fresh, choose, revise, digest, record, making = null } = put;
    const earlier = record && readFirst(PUT_RECORD, recorded);
    if (earlier && earlier.atMs > record.atMs - PUT_KEPT_MS)
      return { writes: [], toResult: () => ({ key: null, earlier }) };
    const chosen = choose((named ?? []).map(KEY.rowOf));
    const isMaking = making !== null && chosen === null;
    const counting = new MakingCount(this.#engine);
    if (isMaking) counting.check(making, counted);
    const key = chosen ? applyChange(chosen, revise(chosen)) : fresh;
    const kept = record && { ...record, keyId: key.id, sealed: chosen ? null : record.sealed };
    const written = chosen ? this.#change(key) : this.#add(fresh, digest);
    const onRecord = this.#record({ kind: "key", before: chosen, after: key });
    return {
      writes: [
        written,
        ...onRecord,
        ...(kept ? this.#keep(kept) : []),
        ...(isMaking ? counting.write(making, digest) : []),
      ],
      toResult: () => ({ key, earlier: null }),
    };
  }

  #add(key: GatewayKey, digest: string): Statement {
    const columns = [...KEY.columns, "digest"];
    return bind(insertSql({ name: KEY.name, columns }, this.#mark), ...KEY.valuesOf(key), digest);
  }

  #change(key: GatewayKey): Statement {
    return bind(updateSql(CHANGED_KEY, this.#mark), key.id, ...CHANGED_KEY.valuesOf(key));
  }

  #keep(record: PutRecord): readonly Statement[] {
    const account = this.#mark(1);
    const before = this.#mark(2);
    const forget = `DELETE FROM put_record WHERE account_id = ${account} AND (at_ms <= ${before} OR id NOT IN (
      SELECT id FROM put_record WHERE account_id = ${account} ORDER BY at_ms DESC LIMIT ${RECORDS_MAX - 1}))`;
    return [
      bind(forget, record.accountId, record.atMs - PUT_KEPT_MS),
      bind(insertSql(PUT_RECORD, this.#mark), ...PUT_RECORD.valuesOf(record)),
    ];
  }
}

function keyPuts(engine: Engine, record: Recorder) {
  const { mark, forUpdate, run, change } = engine;
  const first = mark(1);
  const second = mark(2);
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const named = {
    head: `${selectSql(KEY)} WHERE account_id = ${first} AND name = ${second} AND revoked_at_ms IS NULL`,
    tail: NEWEST,
    rows: KEY_ROWS,
  };
  const byId = `${selectSql(KEY)} WHERE id = ${first}`;
  const writing = new KeyWriting(engine, record);
  return {
    putKey: async (put) => {
      const { accountId, name } = put.fresh;
      const lookup = narrowToScope({ ...named, values: [accountId, name] }, put.scope, mark);
      const firsts = [bind(lock, accountId), lookup, ...writing.read(put)];
      const { key: written, earlier } = await change<PutResult>(firsts, ([, ...found]) =>
        writing.write(put, found),
      );
      // Keys are never deleted.
      const key = written ?? readFirst(KEY, await run(bind(byId, earlier?.keyId ?? "")));
      if (key === null) throw new Error("The key of a record is missing.");
      return { key, earlier };
    },
  } satisfies Partial<Changes>;
}

/** Accounts have no common row to lock, so their PUTs lock this one of the settings. */
const NAMES_LOCK = "account_names";

function accountPuts(engine: Engine, record: Recorder) {
  const { mark, forUpdate, change } = engine;
  const { changeAccount } = accountChanges(engine, record);
  const first = mark(1);
  const named = `${composeByName(mark)} ${NEWEST}`;
  const add = insertSql(ACCOUNT, mark);
  const makeLock = `INSERT INTO setting (name, value) VALUES (${first}, '') ON CONFLICT (name) DO NOTHING`;
  const lock = `SELECT value FROM setting WHERE name = ${first} ${forUpdate}`;
  return {
    putAccount: async ({ fresh, choose, revise }) => {
      // A missing row can't be locked, so it is added first.
      const firsts = [bind(makeLock, NAMES_LOCK), bind(lock, NAMES_LOCK), bind(named, fresh.name)];
      const known = await change(firsts, ([, , found]) => {
        const chosen = choose((found ?? []).map(ACCOUNT.rowOf));
        const recorded = chosen ? [] : record({ kind: "account", before: null, after: fresh });
        const writes = chosen ? [] : [bind(add, ...ACCOUNT.valuesOf(fresh)), ...recorded];
        return { writes, toResult: () => chosen };
      });
      // An account is changed under its own lock.
      return known === null ? fresh : ((await changeAccount(known.id, revise)) ?? known);
    },
  } satisfies Partial<Changes>;
}

function composeByName(mark: Mark): string {
  return `${selectSql(ACCOUNT)} WHERE name = ${mark(1)}`;
}

export function namedMethods({ mark, run }: Engine) {
  const byName = composeByName(mark);
  return {
    accountsNamed: async (name, scope) => {
      const lookup = { head: byName, tail: NEWEST, values: [name], rows: ACCOUNT_ROWS };
      return (await run(narrowToScope(lookup, scope, mark))).map(ACCOUNT.rowOf);
    },
  } satisfies Partial<Store>;
}

export function namedChanges(engine: Engine, record: Recorder) {
  return { ...keyPuts(engine, record), ...accountPuts(engine, record) };
}
