// The store on one SQLite file, which other processes may use at the same moment.
import type { GatewayKey } from "../../core/key.ts";
import type { Decide, KeyChange, Page, RequestFilter, Store } from "../../core/store.ts";
import { Batches } from "./batches.ts";
import type { Connection } from "./connection.ts";
import { createLifeline, type Lifeline } from "./lifeline.ts";
import { RowCache } from "./row-cache.ts";
import { accountOf, changeableOf, keyOf, requestOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

const LOCK_WAIT_MS = 5000;
const HOUR_MS = 3_600_000;
/** Before the newest row: where a list begins. */
const BEGINNING = { atMs: Number.MAX_SAFE_INTEGER, id: "" };

export interface SqliteStoreOptions {
  /** The database's file, made if there is none; `:memory:` for one that lives as long as the store. */
  readonly path: string;
  readonly decide: Decide;
  /** How long another process's lock is waited for before a call fails; 5 s unless given. */
  readonly lockWaitMs?: number;
}

/** Opens the store and migrates it. Throws an Error that says what is wrong with the file. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, decide, lockWaitMs = LOCK_WAIT_MS } = options;
  const cache = new RowCache();
  const lifeline = createLifeline({ path, lockWaitMs, onConnect: () => cache.clear() });
  try {
    await lifeline.run(() => undefined);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The store ${path} can't be opened: ${why}.`, { cause });
  }
  const batches = new Batches(lifeline, cache, decide);
  return {
    transact: (demand) => batches.add(demand),
    read: (reads) => written(lifeline, (sql) => new RowCache().rowsFor(sql, [reads])),
    ...keyMethods(lifeline, cache),
    ...accountMethods(lifeline),
    ...requestMethods(lifeline),
    ...settingMethods(lifeline),
    ready: () => lifeline.run((connection) => connection.write(() => undefined)),
    close: async () => {
      await batches.drain();
      lifeline.close();
    },
  };
}

type KeyMethods = Pick<Store, "key" | "keyByDigest" | "keys" | "addKey" | "changeKey" | "revokeKey">;

function keyMethods(lifeline: Lifeline, cache: RowCache): KeyMethods {
  const changed = <T>(work: (sql: Statements) => T): Promise<T> =>
    lifeline.run((connection) => {
      const result = connection.write(() => work(connection.sql));
      cache.clear();
      return result;
    });
  return {
    key: (id) => lifeline.run(({ sql }) => findKey(sql, id)),
    keyByDigest: (digest) => lifeline.run(({ sql }) => mapped(sql.keyByDigest.get(digest), keyOf)),
    keys: (page) => lifeline.run(({ sql }) => sql.keys.all(pageValues(page)).map(keyOf)),
    addKey: (key, digest) => changed((sql) => addKey(sql, key, digest)),
    changeKey: (id, change) => changed((sql) => changeKey(sql, id, change)),
    revokeKey: (id, atMs) =>
      changed((sql) => {
        sql.revokeKey.run(atMs, id);
        return findKey(sql, id);
      }),
  };
}

function findKey(sql: Statements, id: string): GatewayKey | null {
  return mapped(sql.key.get(id), keyOf);
}

function addKey(sql: Statements, key: GatewayKey, digest: string): void {
  const { id, accountId, last4, createdAtMs, revokedAtMs } = key;
  sql.addKey.run(id, digest, accountId, last4, createdAtMs, revokedAtMs, ...changeableOf(key));
}

function changeKey(sql: Statements, id: string, change: KeyChange): GatewayKey | null {
  const key = findKey(sql, id);
  if (key === null) return null;
  const changed: GatewayKey = {
    ...key,
    name: change.name ?? key.name,
    expiresAtMs: given(change.expiresAtMs, key.expiresAtMs),
    allowedModels: given(change.allowedModels, key.allowedModels),
    requestsPerDay: given(change.requestsPerDay, key.requestsPerDay),
    spendLimitNanoUsd: given(change.spendLimitNanoUsd, key.spendLimitNanoUsd),
  };
  sql.changeKey.run(...changeableOf(changed), id);
  return changed;
}

function accountMethods(
  lifeline: Lifeline,
): Pick<Store, "account" | "accounts" | "addAccount" | "renameAccount"> {
  return {
    account: (id) => lifeline.run(({ sql }) => mapped(sql.account.get(id), accountOf)),
    accounts: (page) => lifeline.run(({ sql }) => sql.accounts.all(pageValues(page)).map(accountOf)),
    addAccount: ({ id, name, balanceNanoUsd, heldNanoUsd, createdAtMs }) =>
      written(lifeline, (sql) => {
        sql.addAccount.run(id, name, balanceNanoUsd, heldNanoUsd, createdAtMs);
      }),
    renameAccount: (id, name) =>
      written(lifeline, (sql) => {
        sql.renameAccount.run(name, id);
        return mapped(sql.account.get(id), accountOf);
      }),
  };
}

function requestMethods(lifeline: Lifeline): Pick<Store, "request" | "requests" | "prune" | "chargedSince"> {
  return {
    request: (id) => lifeline.run(({ sql }) => mapped(sql.request.get(id), requestOf)),
    requests: (filter, page) => lifeline.run(({ sql }) => findRequests(sql, filter, page)),
    prune: ({ requestsMs, metersMs }, rowsMax) =>
      written(lifeline, (sql) => {
        sql.pruneMeters.run(metersMs);
        return sql.pruneRequests.run(requestsMs, rowsMax).changes;
      }),
    chargedSince: (keyId, sinceMs) =>
      lifeline.run(({ sql }) => sql.chargedSince.get(keyId, sinceMs - HOUR_MS)?.charged ?? 0),
  };
}

function findRequests(sql: Statements, filter: RequestFilter, page: Page) {
  const { keyId = null, accountId = null, model = null, status = null } = filter;
  const statement = keyId === null ? sql.requests : sql.requestsOfKey;
  return statement.all({ keyId, accountId, model, status, ...pageValues(page) }).map(requestOf);
}

function settingMethods(lifeline: Lifeline): Pick<Store, "setting" | "keepSetting" | "setSetting"> {
  return {
    setting: (name) => lifeline.run(({ sql }) => sql.setting.get(name)?.value ?? null),
    keepSetting: (name, value) =>
      written(lifeline, (sql) => {
        sql.keepSetting.run(name, value);
        return sql.setting.get(name)?.value ?? value;
      }),
    setSetting: (name, value) =>
      written(lifeline, (sql) => {
        sql.setSetting.run(name, value);
      }),
  };
}

function written<T>(lifeline: Lifeline, work: (sql: Statements) => T): Promise<T> {
  return lifeline.run((connection: Connection) => connection.write(() => work(connection.sql)));
}

function pageValues({ limit, after }: Page) {
  return { limit, ...(after ?? BEGINNING) };
}

function mapped<Row, T>(row: Row | null, map: (row: Row) => T): T | null {
  return row === null ? null : map(row);
}

/** A change where there is one; null is one. */
function given<T>(change: T | undefined, kept: T): T {
  return change === undefined ? kept : change;
}
