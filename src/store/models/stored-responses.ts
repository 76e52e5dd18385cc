// Stored responses, for requests that continue from them.
import type { KeptOwner, ResponseStore, StoredResponse } from "../../core/log/kept.ts";
import { INTEGER, TEXT, TIME } from "../columns/columns.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { insertSql, type Mark, pruneSql, selectSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { table } from "../schema/tables.ts";

const STORED_RESPONSE = table<StoredResponse>("stored_response", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  keyId: TEXT,
  atMs: TIME,
  bytes: INTEGER,
  items: TEXT,
  sealed: TEXT,
});

/**
 * The condition that a row was made in the owner's account by a key of the same member, or by a service key if the owner
 * is one. Its first two values are `listValues(owner)`. Keys are never deleted; a row without one would be nobody's.
 */
function ofOwner(table: string, mark: Mark): string {
  return `account_id = ${mark(1)} AND EXISTS (
    SELECT 1 FROM gateway_key
    WHERE gateway_key.id = ${table}.key_id AND gateway_key.member_id IS NOT DISTINCT FROM CAST(${mark(2)} AS TEXT))`;
}

function listValues({ accountId, memberId }: KeptOwner): readonly [string, string | null] {
  return [accountId, memberId];
}

export function responseMethods(engine: Engine) {
  const { mark, contains, run, runAll } = engine;
  const isOwn = ofOwner(STORED_RESPONSE.name, mark);
  const byId = `${selectSql(STORED_RESPONSE)} WHERE ${isOwn} AND id = ${mark(3)}`;
  const add = `${insertSql(STORED_RESPONSE, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  /** Values: the account and its bytes. The newest responses within them stay. */
  const trim = `DELETE FROM stored_response WHERE account_id = ${mark(1)} AND id IN (
    SELECT id FROM (
      SELECT id, sum(bytes) OVER (ORDER BY at_ms DESC, id DESC ROWS UNBOUNDED PRECEDING) AS total
      FROM stored_response WHERE account_id = ${mark(1)}
    ) AS sized WHERE total > ${mark(2)})`;
  /** Takes an item's id in quotes. */
  const findByItem = `${selectSql(STORED_RESPONSE)} WHERE ${isOwn} AND ${contains("items", mark(3))}
    ORDER BY at_ms DESC, id DESC LIMIT 1`;
  const tokens = `SELECT prompt_tokens + completion_tokens AS tokens FROM request
    WHERE ${ofOwner("request", mark)} AND id = ${mark(3)}`;
  const remove = `DELETE FROM stored_response WHERE ${isOwn} AND id = ${mark(3)}`;
  const prune = pruneSql(STORED_RESPONSE.name, mark);
  const removeAll = `DELETE FROM stored_response WHERE account_id = ${mark(1)} AND key_id = ${mark(2)}`;
  return {
    add: (response, bytesMax) => {
      const { accountId } = response;
      const values = STORED_RESPONSE.valuesOf(response);
      return runAll([bind(add, ...values), bind(trim, accountId, bytesMax)]);
    },
    find: async (owner, id) => readFirst(STORED_RESPONSE, await run(bind(byId, ...listValues(owner), id))),
    findByItem: async (owner, itemId) =>
      readFirst(STORED_RESPONSE, await run(bind(findByItem, ...listValues(owner), JSON.stringify(itemId)))),
    countTokens: async (owner, id) => {
      const [found] = await run(bind(tokens, ...listValues(owner), id));
      return found ? readInteger(found, "tokens") : null;
    },
    remove: async (owner, id) => (await run(bind(remove, ...listValues(owner), id))).count > 0,
    removeAll: (accountId, keyId) => runAll([bind(removeAll, accountId, keyId)]),
    prune: (beforeMs, rowsMax) =>
      deleteInParts(engine, rowsMax, async (most) => (await run(bind(prune, beforeMs, most))).count),
  } satisfies ResponseStore;
}
