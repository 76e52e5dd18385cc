// The table of stored responses, and the statements on it that both engines share.
import type { StoredResponse } from "../core/rows.ts";
import { text, whole } from "./found.ts";
import { joinMarks, joinNames, type Mark } from "./sql.ts";
import { table } from "./tables.ts";

export const STORED_RESPONSE = table<StoredResponse>(
  "stored_response",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    key_id: (row) => row.keyId,
    at_ms: (row) => Math.round(row.atMs),
    bytes: (row) => row.bytes,
    items: (row) => row.items,
    sealed: (row) => row.sealed,
  },
  (found) => ({
    accountId: text(found, "account_id"),
    id: text(found, "id"),
    keyId: text(found, "key_id"),
    atMs: whole(found, "at_ms"),
    bytes: whole(found, "bytes"),
    items: text(found, "items"),
    sealed: text(found, "sealed"),
  }),
);

const { name: TABLE, columns: COLUMNS } = STORED_RESPONSE;

/** Returns the statements with an engine's own marks for values, and its own test for a part of a text. */
export function composeResponseStatements(mark: Mark, contains: (column: string, mark: string) => string) {
  const own = `account_id = ${mark(1)} AND key_id = ${mark(2)}`;
  return {
    add: `INSERT INTO ${TABLE} (${joinNames(COLUMNS)}) VALUES (${joinMarks(COLUMNS.length, mark)})
      ON CONFLICT (account_id, id) DO NOTHING`,
    /** Takes the account twice, and the bytes that it may keep: the newest responses within them stay. */
    trim: `DELETE FROM ${TABLE} WHERE account_id = ${mark(1)} AND id IN (
      SELECT id FROM (
        SELECT id, sum(bytes) OVER (ORDER BY at_ms DESC, id DESC ROWS UNBOUNDED PRECEDING) AS total
        FROM ${TABLE} WHERE account_id = ${mark(2)}
      ) AS sized WHERE total > ${mark(3)})`,
    find: `SELECT ${joinNames(COLUMNS)} FROM ${TABLE} WHERE ${own} AND id = ${mark(3)}`,
    /** Takes an item's id between quotes. */
    findByItem: `SELECT ${joinNames(COLUMNS)} FROM ${TABLE} WHERE ${own} AND ${contains("items", mark(3))}
      ORDER BY at_ms DESC, id DESC LIMIT 1`,
    remove: `DELETE FROM ${TABLE} WHERE ${own} AND id = ${mark(3)}`,
    removeAll: `DELETE FROM ${TABLE} WHERE ${own}`,
    prune: `DELETE FROM ${TABLE} WHERE (account_id, id) IN
      (SELECT account_id, id FROM ${TABLE} WHERE at_ms < ${mark(1)} ORDER BY at_ms LIMIT ${mark(2)})`,
  };
}
