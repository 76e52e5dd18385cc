// Keys and accounts by name: made, or brought to a state, within one transaction in which others of the name wait.
import type { Changes } from "../../core/changes.ts";
import { applyChange } from "../../core/fields/field.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { KeyPut } from "../../core/keys/key-change.ts";
import type { Store } from "../../core/store.ts";
import { bind, type Change, type Engine, type Result, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { ACCOUNT_ROWS, KEY_ROWS, narrowToScope } from "../engine/scope.ts";
import { insertSql, type Mark, selectSql, updateSql } from "../engine/sql.ts";
import { ACCOUNT, KEY } from "../schema/tables.ts";
import { accountChanges, CHANGED_KEY, NEW_KEY } from "./keys.ts";
import { MakingCount } from "./making.ts";

/** More rows of one name are refused like two. */
const SAME_NAME_MAX = 20;
const NEWEST = `ORDER BY created_at_ms DESC, id DESC LIMIT ${SAME_NAME_MAX}`;

/** Writes what a PUT of a key decides on the keys of its name. */
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
  read({ fresh, digest, making = null }: KeyPut): readonly Statement[] {
    return making ? new MakingCount(this.#engine).read(making, digest, fresh.id) : [];
  }

  write(put: KeyPut, [named, ...counted]: readonly Result[]): Change<GatewayKey> {
    const { fresh, choose, revise, digest, making = null } = put;
    const chosen = choose((named ?? []).map(KEY.rowOf));
    const isMaking = making !== null && chosen === null;
    const counting = new MakingCount(this.#engine);
    if (isMaking) counting.check(making, counted);
    const key = chosen ? applyChange(chosen, revise(chosen)) : fresh;
    const written = chosen ? this.#change(key) : this.#add(fresh, digest);
    const onRecord = this.#record({ kind: "key", before: chosen, after: key });
    return {
      writes: [written, ...onRecord, ...(isMaking ? counting.write(making, digest) : [])],
      toResult: () => key,
    };
  }

  #add(key: GatewayKey, digest: string): Statement {
    return bind(insertSql(NEW_KEY, this.#mark), ...KEY.valuesOf(key), digest);
  }

  #change(key: GatewayKey): Statement {
    return bind(updateSql(CHANGED_KEY, this.#mark), key.id, ...CHANGED_KEY.valuesOf(key));
  }
}

function keyPuts(engine: Engine, record: Recorder) {
  const { mark, forUpdate, change } = engine;
  const first = mark(1);
  const second = mark(2);
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const named = {
    head: `${selectSql(KEY)} WHERE account_id = ${first} AND name = ${second} AND revoked_at_ms IS NULL`,
    tail: NEWEST,
    rows: KEY_ROWS,
  };
  const writing = new KeyWriting(engine, record);
  return {
    putKey: (put) => {
      const { accountId, name } = put.fresh;
      const lookup = narrowToScope({ ...named, values: [accountId, name] }, put.scope, mark);
      const firsts = [bind(lock, accountId), lookup, ...writing.read(put)];
      return change(firsts, ([, ...found]) => writing.write(put, found));
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
