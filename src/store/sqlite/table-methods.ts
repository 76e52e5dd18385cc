// The SQLite store's keys, accounts, request log and settings.
import type { GatewayKey } from "../../core/key.ts";
import type { KeyChange, KeyUse, Page, Store } from "../../core/store.ts";
import { type Found, text, type Value, whole } from "../found.ts";
import { changedKey } from "../key-change.ts";
import { REQUEST, readKeyUse } from "../log-tables.ts";
import { keysLookup } from "../narrowing.ts";
import { ACCOUNT, KEY, type Table } from "../tables.ts";
import type { Connection } from "./connection.ts";
import type { Lifeline } from "./lifeline.ts";
import { requestsFound } from "./log-search.ts";
import type { RowCache } from "./row-cache.ts";
import type { Statements } from "./statements.ts";
import { nextTurn } from "./turns.ts";

const HOUR_MS = 3_600_000;
const mark = (position: number) => `?${position}`;

/** Runs a change in a transaction; what is remembered of rows may have changed with it. */
type Change = <T>(work: (sql: Statements) => T) => Promise<T>;

function changeOn(lifeline: Lifeline, cache: RowCache): Change {
  return (work) =>
    lifeline.run((connection) => {
      const result = connection.write(() => work(connection.sql));
      cache.clear();
      return result;
    });
}

type KeyMethods = Pick<
  Store,
  "key" | "keyByDigest" | "keys" | "keyUses" | "addKey" | "changeKey" | "revokeKey"
>;

export function keyMethods(lifeline: Lifeline, cache: RowCache): KeyMethods {
  const changed = changeOn(lifeline, cache);
  return {
    key: (id) => lifeline.run(({ sql }) => one(KEY, sql.key.get(id))),
    keyByDigest: (digest) =>
      lifeline.run(({ sql }) => {
        const key = one(KEY, sql.keyByDigest.get(digest));
        if (key !== null) cache.keepKey(key);
        return key;
      }),
    keys: (page, filter) =>
      lifeline.run(({ sql }) => sql.look(keysLookup(filter, page, mark)).map(KEY.rowOf)),
    keyUses: async (keys, dayMs, monthMs) => {
      const uses: KeyUse[] = [];
      for (const { id } of keys) {
        await nextTurn();
        const found = await lifeline.run(({ sql }) => sql.keyUse.get(id, dayMs - HOUR_MS, monthMs - HOUR_MS));
        if (found === null) continue;
        const use = readKeyUse(found);
        uses.push({ ...use, lastAtMs: await lastUse(lifeline, use) });
      }
      return uses;
    },
    addKey: (key, digest) =>
      changed((sql) => {
        sql.addKey.run(...KEY.valuesOf(key), digest);
      }),
    changeKey: (id, change) => changed((sql) => changeKey(sql, id, change)),
    revokeKey: (id, atMs) =>
      changed((sql) => {
        sql.revokeKey.run(atMs, id);
        return one(KEY, sql.key.get(id));
      }),
  };
}

function changeKey(sql: Statements, id: string, change: KeyChange): GatewayKey | null {
  const key = one(KEY, sql.key.get(id));
  if (key === null) return null;
  const changed = changedKey(key, change);
  const { name, expiresAtMs, allowedModels, requestsPerDay, spendLimitNanoUsd, keepsResponses } = changed;
  const lists = [JSON.stringify(allowedModels), JSON.stringify(requestsPerDay)] as const;
  sql.changeKey.run(name, expiresAtMs, ...lists, spendLimitNanoUsd, keepsResponses ? 1 : 0, id);
  return changed;
}

type AccountMethods = Pick<Store, "account" | "accounts" | "addAccount" | "renameAccount">;

export function accountMethods(lifeline: Lifeline, cache: RowCache): AccountMethods {
  const changed = changeOn(lifeline, cache);
  return {
    account: (id) => lifeline.run(({ sql }) => one(ACCOUNT, sql.account.get(id))),
    accounts: (page) => lifeline.run(({ sql }) => sql.accounts.all(...pageValues(page)).map(ACCOUNT.rowOf)),
    addAccount: (account) =>
      changed((sql) => {
        sql.addAccount.run(...ACCOUNT.valuesOf(account));
      }),
    renameAccount: (id, name) =>
      changed((sql) => {
        sql.renameAccount.run(name, id);
        return one(ACCOUNT, sql.account.get(id));
      }),
  };
}

async function lastUse(lifeline: Lifeline, { keyId, lastAtMs: hourMs }: KeyUse): Promise<number | null> {
  if (hourMs === null) return null;
  const hour = { keyId, fromMs: hourMs, toMs: hourMs + HOUR_MS };
  const [latest] = await requestsFound(lifeline, hour, { limit: 1, after: null });
  return latest?.atMs ?? hourMs;
}

type RequestMethods = Pick<Store, "request" | "requests" | "endedSince" | "prune" | "keptCharacters">;

export function requestMethods(lifeline: Lifeline, cache: RowCache): RequestMethods {
  const changed = changeOn(lifeline, cache);
  return {
    request: (id) => lifeline.run(({ sql }) => one(REQUEST, sql.request.get(id))),
    requests: (filter, page) => requestsFound(lifeline, filter, page),
    endedSince: (sinceMs, most) =>
      lifeline.run(({ sql }) => sql.endedSince.all(sinceMs, most).map(REQUEST.rowOf)),
    prune: ({ requestsMs, metersMs, repliesMs, contentsMs = requestsMs }, rowsMax) =>
      changed((sql) => {
        sql.pruneMeters.run(metersMs);
        const replies = forgetReplies(sql, repliesMs, rowsMax);
        const gone = replies + sql.pruneContents.run(contentsMs, rowsMax - replies).changes;
        return gone + sql.pruneRequests.run(requestsMs, rowsMax - gone).changes;
      }),
    keptCharacters: () => lifeline.run(({ sql }) => whole(sql.keptCharacters.get() ?? {}, "characters")),
  };
}

function forgetReplies(sql: Statements, beforeMs: number, rowsMax: number): number {
  const old = sql.oldReplies.all(beforeMs, rowsMax);
  for (const found of old) {
    const accountId = text(found, "account_id");
    sql.removeReply.run(accountId, text(found, "id"));
    sql.freeCharacters.run(whole(found, "characters"), accountId);
  }
  return old.length;
}

type SettingMethods = Pick<Store, "setting" | "keepSetting" | "setSetting" | "changeSetting">;

export function settingMethods(lifeline: Lifeline): SettingMethods {
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
    changeSetting: (name, change) =>
      written(lifeline, (sql) => {
        const value = change(sql.setting.get(name)?.value ?? null);
        sql.setSetting.run(name, value);
        return value;
      }),
  };
}

function written<T>(lifeline: Lifeline, work: (sql: Statements) => T): Promise<T> {
  return lifeline.run((connection: Connection) => connection.write(() => work(connection.sql)));
}

/** A position's moment and id, and the number of rows; without a position the list's beginning, before the newest row. */
function pageValues({ limit, after }: Page): [Value, Value, Value] {
  return [after?.atMs ?? Number.MAX_SAFE_INTEGER, after?.id ?? "", limit];
}

function one<Row>(table: Table<Row>, found: Found | null): Row | null {
  return found === null ? null : table.rowOf(found);
}
