// The PostgreSQL store's keys, accounts, request log and settings.

import type { GatewayKey } from "../../core/key.ts";
import type { KeyChange, Page, Store } from "../../core/store.ts";
import { text, whole } from "../found.ts";
import { changedKey } from "../key-change.ts";
import { REQUEST, readKeyUse } from "../log-tables.ts";
import { keysLookup, requestsLookup } from "../narrowing.ts";
import { joinMarks, joinNames } from "../sql.ts";
import { ACCOUNT, KEY, type Table } from "../tables.ts";
import { query, type Result } from "./connection.ts";
import { composeKeyUses } from "./key-uses.ts";
import { forgetNodes } from "./nodes.ts";
import type { Changing, Pool } from "./pool.ts";
import { selectFrom } from "./reading.ts";
import { castValue } from "./writing.ts";

const mark = (position: number) => `$${position}`;

function insertSql(name: string, columns: readonly string[]): string {
  return `INSERT INTO ${name} (${joinNames(columns)}) VALUES (${joinMarks(columns.length, mark)})`;
}

function addKeySql(columns: readonly string[]): string {
  const values = columns.map((column, at) => `${mark(at + 1)}::${castValue(column)}`);
  const account = mark(columns.indexOf("account_id") + 1);
  return `INSERT INTO ${KEY.name} (${joinNames(columns)})
    SELECT ${joinNames(values)} WHERE EXISTS (SELECT 1 FROM account WHERE id = ${account})`;
}

/** One page of a table that lists from the newest: takes the position's moment and id, and the limit. */
function pageSql(table: Pick<Table<never>, "name" | "columns">): string {
  return `${selectFrom(table)} WHERE (created_at_ms, id) < ($1, $2) ORDER BY created_at_ms DESC, id DESC LIMIT $3`;
}

const KEY_BY_ID = `${selectFrom(KEY)} WHERE id = $1`;
const KEY_BY_DIGEST = `${selectFrom(KEY)} WHERE digest = $1`;
/** Only for an account that is there. */
const ADD_KEY = addKeySql([...KEY.columns, "digest"]);
const CHANGE_KEY = `
  UPDATE gateway_key SET name = $2, expires_at_ms = $3::bigint, allowed_models = $4, requests_per_day = $5,
    spend_limit_nano = $6::bigint, keep_responses = $7::bigint WHERE id = $1`;
const REVOKE_KEY = `
  UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, $2::bigint) WHERE id = $1
  RETURNING ${joinNames(KEY.columns)}`;
const LOCK_ACCOUNT = "SELECT id FROM account WHERE id = $1 FOR UPDATE";

type KeyMethods = Pick<
  Store,
  "key" | "keyByDigest" | "keys" | "keyUses" | "addKey" | "changeKey" | "revokeKey"
>;

export function keyMethods(pool: Pool): KeyMethods {
  return {
    key: async (id) => one(KEY, await pool.one(query(KEY_BY_ID, id))),
    keyByDigest: async (digest) => one(KEY, await pool.one(query(KEY_BY_DIGEST, digest))),
    keys: async (page, filter) => {
      const { text: sql, values } = keysLookup(filter, page, mark);
      return (await pool.one(query(sql, ...values))).map(KEY.rowOf);
    },
    keyUses: async (keys, dayMs, monthMs) =>
      (await pool.one(composeKeyUses(keys, dayMs, monthMs, pool.traits.isDistributed))).map(readKeyUse),
    addKey: async (key, digest) => {
      const { count } = await pool.once(query(ADD_KEY, ...KEY.valuesOf(key), digest));
      if (count === 0) throw new Error(`There is no account ${key.accountId}.`);
    },
    changeKey: (id, change) => changeKey(pool, id, change),
    revokeKey: (id, atMs) =>
      changeLocked(pool, id, () => ({
        writes: [query(REVOKE_KEY, id, atMs)],
        gives: ([revoked]) => one(KEY, revoked),
      })),
  };
}

/**
 * A change of a key under its account's lock. Admissions read the key under the same one, so those that did so before
 * are committed first, and all later ones see the change, on every node: a revocation that was answered lets nothing
 * more in. A key's account is the same for good. null: there is no such key.
 */
async function changeLocked(
  pool: Pool,
  id: string,
  then: (found: Result | undefined) => Changing<GatewayKey | null>,
): Promise<GatewayKey | null> {
  const key = one(KEY, await pool.one(query(KEY_BY_ID, id)));
  if (key === null) return null;
  const firsts = [query(LOCK_ACCOUNT, key.accountId), query(KEY_BY_ID, id)];
  return pool.change(firsts, ([, found]) => then(found));
}

function changeKey(pool: Pool, id: string, change: KeyChange): Promise<GatewayKey | null> {
  return changeLocked(pool, id, (found) => {
    const key = one(KEY, found);
    if (key === null) return { writes: [], gives: () => null };
    const changed = changedKey(key, change);
    const { name, expiresAtMs, allowedModels, requestsPerDay, spendLimitNanoUsd, keepsResponses } = changed;
    const lists = [JSON.stringify(allowedModels), JSON.stringify(requestsPerDay)] as const;
    const keeps = keepsResponses ? 1 : 0;
    const write = query(CHANGE_KEY, id, name, expiresAtMs, ...lists, spendLimitNanoUsd, keeps);
    return { writes: [write], gives: () => changed };
  });
}

const ACCOUNTS = pageSql(ACCOUNT);
const ADD_ACCOUNT = insertSql(ACCOUNT.name, ACCOUNT.columns);
const RENAME_ACCOUNT = `UPDATE account SET name = $2 WHERE id = $1 RETURNING ${joinNames(ACCOUNT.columns)}`;

type AccountMethods = Pick<Store, "account" | "accounts" | "addAccount" | "renameAccount">;

export function accountMethods(pool: Pool): AccountMethods {
  return {
    account: async (id) => one(ACCOUNT, await pool.one(query(`${selectFrom(ACCOUNT)} WHERE id = $1`, id))),
    accounts: async (page) => (await pool.one(query(ACCOUNTS, ...pageValues(page)))).map(ACCOUNT.rowOf),
    addAccount: async (account) => {
      await pool.once(query(ADD_ACCOUNT, ...ACCOUNT.valuesOf(account)));
    },
    renameAccount: async (id, name) => one(ACCOUNT, await pool.one(query(RENAME_ACCOUNT, id, name))),
  };
}

const ENDED_SINCE = `${selectFrom(REQUEST)} WHERE ended_at_ms >= $1 ORDER BY ended_at_ms DESC LIMIT $2`;
const PRUNE_REQUESTS = `
  DELETE FROM request WHERE (account_id, id) IN
    (SELECT account_id, id FROM request WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)`;
const PRUNE_CONTENTS = `
  DELETE FROM content WHERE (account_id, id) IN
    (SELECT account_id, id FROM content WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)`;
const OLD_REPLIES =
  "SELECT account_id, id FROM reply WHERE at_ms < $1 AND state <> 'pending' ORDER BY at_ms LIMIT $2";
const KEPT_CHARACTERS = "SELECT CAST(coalesce(sum(kept_characters), 0) AS BIGINT) AS characters FROM account";
/** Looked at again under the account's lock: the reply may have been claimed again. */
const FORGET_REPLIES = `
  WITH gone AS (
    DELETE FROM reply WHERE account_id = $1 AND id = ANY($2::text[]) AND at_ms < $3 AND state <> 'pending'
    RETURNING coalesce(length(sealed), 0) AS characters
  )
  UPDATE account SET kept_characters =
    greatest(0, kept_characters - (SELECT CAST(coalesce(sum(characters), 0) AS BIGINT) FROM gone))
  WHERE id = $1`;

type RequestMethods = Pick<Store, "request" | "requests" | "endedSince" | "prune" | "keptCharacters">;

export function requestMethods(pool: Pool): RequestMethods {
  return {
    request: async (id) => one(REQUEST, await pool.one(query(`${selectFrom(REQUEST)} WHERE id = $1`, id))),
    requests: async (filter, page) => {
      const { text: sql, values } = requestsLookup(filter, page, mark);
      return (await pool.one(query(sql, ...values))).map(REQUEST.rowOf);
    },
    endedSince: async (sinceMs, most) =>
      (await pool.one(query(ENDED_SINCE, sinceMs, most))).map(REQUEST.rowOf),
    prune: ({ requestsMs, metersMs, repliesMs, contentsMs = requestsMs }, rowsMax) =>
      pruneAll(rowsMax, [
        async () => {
          await forgetNodes(pool);
          return 0;
        },
        async () => {
          await pool.one(query("DELETE FROM meter WHERE last_at_ms < $1", metersMs));
          return 0;
        },
        (most) => forgetReplies(pool, repliesMs, most),
        async (most) => (await pool.one(query(PRUNE_CONTENTS, contentsMs, most))).count,
        async (most) => (await pool.one(query(PRUNE_REQUESTS, requestsMs, most))).count,
      ]),
    keptCharacters: async () => {
      const [sum = {}] = await pool.one(query(KEPT_CHARACTERS));
      return whole(sum, "characters");
    },
  };
}

/**
 * Takes every step, each with the number of rows that are left to it, and adds up the rows that went. A step that fails
 * doesn't keep the others from theirs; the first failure is thrown at the end.
 */
async function pruneAll(
  rowsMax: number,
  steps: readonly ((most: number) => Promise<number>)[],
): Promise<number> {
  const failures: unknown[] = [];
  let gone = 0;
  for (const step of steps) {
    try {
      gone += await step(rowsMax - gone);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return gone;
}

/** Works account by account, as no statement may span two. Returns the number of old replies. */
async function forgetReplies(pool: Pool, beforeMs: number, rowsMax: number): Promise<number> {
  const old = await pool.one(query(OLD_REPLIES, beforeMs, rowsMax));
  const byAccount = Map.groupBy(old, (found) => text(found, "account_id"));
  for (const [accountId, found] of byAccount) {
    const ids = found.map((row) => text(row, "id"));
    await pool.change([query(LOCK_ACCOUNT, accountId)], () => ({
      writes: [query(FORGET_REPLIES, accountId, ids, beforeMs)],
      gives: () => undefined,
    }));
  }
  return old.length;
}

const SETTING = "SELECT value FROM setting WHERE name = $1";
const LOCK_SETTING = `${SETTING} FOR UPDATE`;
const KEEP_SETTING = "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
const SET_SETTING =
  "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

type SettingMethods = Pick<Store, "setting" | "keepSetting" | "setSetting" | "changeSetting">;

export function settingMethods(pool: Pool): SettingMethods {
  const read = async (name: string) => settingOf(await pool.one(query(SETTING, name)));
  return {
    setting: read,
    keepSetting: async (name, value) => {
      await pool.one(query(KEEP_SETTING, name, value));
      return (await read(name)) ?? value;
    },
    setSetting: async (name, value) => {
      await pool.one(query(SET_SETTING, name, value));
    },
    changeSetting: (name, change) =>
      // A row that isn't there can't be locked, so an empty one is made first.
      pool.change([query(KEEP_SETTING, name, ""), query(LOCK_SETTING, name)], ([, found]) => {
        const value = change((found && settingOf(found)) || null);
        return { writes: [query(SET_SETTING, name, value)], gives: () => value };
      }),
  };
}

function settingOf([found]: Result): string | null {
  return found ? text(found, "value") : null;
}

/** A position's moment and id, and the number of rows; without a position the list's beginning, before the newest row. */
function pageValues({ limit, after }: Page): [atMs: number, id: string, limit: number] {
  return [after?.atMs ?? Number.MAX_SAFE_INTEGER, after?.id ?? "", limit];
}

function one<Row>(table: Table<Row>, result: Result | undefined): Row | null {
  const [found] = result ?? [];
  return found ? table.rowOf(found) : null;
}
