// Every statement of the SQLite store, prepared once per connection; values are only ever bound, never written into the text.
import type { Database } from "bun:sqlite";
import {
  type AccountRow,
  type KeyRow,
  type MeterRow,
  REQUEST_COLUMNS,
  type RequestRow,
  type SlotRow,
  USAGE_KEYS,
  USAGE_SUMS,
  type Value,
} from "./rows.ts";

export type Statements = ReturnType<typeof prepare>;

/** A position and a number of rows, as a page's statement takes them. */
type PageValues = { atMs: number; id: string; limit: number };
type FilterValues = PageValues & {
  keyId: string | null;
  accountId: string | null;
  model: string | null;
  status: number | null;
};

const marks = (count: number): string => Array(count).fill("?").join(", ");

const ADD_REQUEST = `
  INSERT INTO request (${REQUEST_COLUMNS.join(", ")}) VALUES (${marks(REQUEST_COLUMNS.length)})
  ON CONFLICT (id) DO NOTHING`;

const ADD_USAGE = `
  INSERT INTO usage_hour (${[...USAGE_KEYS, ...USAGE_SUMS].join(", ")})
  VALUES (${marks(USAGE_KEYS.length + USAGE_SUMS.length)})
  ON CONFLICT (${USAGE_KEYS.join(", ")})
  DO UPDATE SET ${USAGE_SUMS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;

const FILTER = `
  ($accountId IS NULL OR account_id = $accountId)
  AND ($model IS NULL OR model_used = $model OR model_asked = $model)
  AND ($status IS NULL OR status = $status)
  AND (at_ms, id) < ($atMs, $id) ORDER BY at_ms DESC, id DESC LIMIT $limit`;

export function prepare(database: Database) {
  return { ...decisionStatements(database), ...tableStatements(database) };
}

/** A statement that gives no rows. */
function write(database: Database, sql: string) {
  return database.prepare<unknown, Value[]>(sql);
}

/** What admitting and settling needs. */
function decisionStatements(database: Database) {
  const change = (sql: string) => write(database, sql);
  return {
    begin: change("BEGIN IMMEDIATE"),
    commit: change("COMMIT"),
    rollback: change("ROLLBACK"),
    dataVersion: database.prepare<{ data_version: number }, []>("PRAGMA data_version"),

    meter: database.prepare<MeterRow, [string, string]>("SELECT * FROM meter WHERE owner = ? AND day = ?"),
    slot: database.prepare<SlotRow, [string]>("SELECT * FROM slot WHERE owner = ?"),
    hasRequest: database.prepare<{ found: 1 }, [string]>("SELECT 1 AS found FROM request WHERE id = ?"),
    putMeter: change(
      `INSERT INTO meter (owner, day, used, last_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (owner, day) DO UPDATE SET used = excluded.used, last_at_ms = excluded.last_at_ms`,
    ),
    putSlot: change(
      `INSERT INTO slot (owner, taken_at_ms, taken_by) VALUES (?, ?, ?)
       ON CONFLICT (owner) DO UPDATE SET taken_at_ms = excluded.taken_at_ms, taken_by = excluded.taken_by`,
    ),
    addRequest: change(ADD_REQUEST),
    addUsage: change(ADD_USAGE),
  };
}

/** What the administration and the key holders' pages need. */
function tableStatements(database: Database) {
  const change = (sql: string) => write(database, sql);
  return {
    key: database.prepare<KeyRow, [string]>("SELECT * FROM gateway_key WHERE id = ?"),
    keyByDigest: database.prepare<KeyRow, [string]>("SELECT * FROM gateway_key WHERE digest = ?"),
    keys: database.prepare<KeyRow, [PageValues]>(
      `SELECT * FROM gateway_key WHERE (created_at_ms, id) < ($atMs, $id)
       ORDER BY created_at_ms DESC, id DESC LIMIT $limit`,
    ),
    addKey: change(
      `INSERT INTO gateway_key (id, digest, account_id, last4, created_at_ms, revoked_at_ms,
         name, expires_at_ms, allowed_models, requests_per_day, spend_limit_nano)
       VALUES (${marks(11)})`,
    ),
    changeKey: change(
      `UPDATE gateway_key SET name = ?, expires_at_ms = ?, allowed_models = ?, requests_per_day = ?,
         spend_limit_nano = ? WHERE id = ?`,
    ),
    revokeKey: change("UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?"),

    account: database.prepare<AccountRow, [string]>("SELECT * FROM account WHERE id = ?"),
    accounts: database.prepare<AccountRow, [PageValues]>(
      `SELECT * FROM account WHERE (created_at_ms, id) < ($atMs, $id)
       ORDER BY created_at_ms DESC, id DESC LIMIT $limit`,
    ),
    addAccount: change(
      "INSERT INTO account (id, name, balance_nano, held_nano, created_at_ms) VALUES (?, ?, ?, ?, ?)",
    ),
    renameAccount: change("UPDATE account SET name = ? WHERE id = ?"),

    request: database.prepare<RequestRow, [string]>("SELECT * FROM request WHERE id = ?"),
    requests: database.prepare<RequestRow, [FilterValues]>(
      `SELECT * FROM request WHERE $keyId IS NULL AND ${FILTER}`,
    ),
    // A statement of its own, so that one key's requests are found by their index.
    requestsOfKey: database.prepare<RequestRow, [FilterValues]>(
      `SELECT * FROM request WHERE key_id = $keyId AND ${FILTER}`,
    ),

    pruneRequests: change(
      "DELETE FROM request WHERE id IN (SELECT id FROM request WHERE at_ms < ? ORDER BY at_ms LIMIT ?)",
    ),
    pruneMeters: change("DELETE FROM meter WHERE last_at_ms < ?"),

    chargedSince: database.prepare<{ charged: number }, [string, number]>(
      "SELECT coalesce(sum(charged_nano), 0) AS charged FROM usage_hour WHERE key_id = ? AND hour_ms > ?",
    ),

    setting: database.prepare<{ value: string }, [string]>("SELECT value FROM setting WHERE name = ?"),
    keepSetting: change("INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"),
    setSetting: change(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ),
  };
}
