// Stored responses, for requests that continue from them.
import type { StoredResponse } from "../core/rows.ts";
import type { Store } from "../core/store.ts";
import { INTEGER, TEXT, TIME } from "./columns.ts";
import { bind, type Engine, readFirst } from "./engine.ts";
import { insertSql, pruneSql, selectSql } from "./sql.ts";
import { table } from "./tables.ts";
import { deleteInParts } from "./turns.ts";

const STORED_RESPONSE = table<StoredResponse>("stored_response", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  keyId: TEXT,
  atMs: TIME,
  bytes: INTEGER,
  items: TEXT,
  sealed: TEXT,
});

export function responseMethods(engine: Engine) {
  const { mark, contains, run, runAll } = engine;
  const ofAccount = `${selectSql(STORED_RESPONSE)} WHERE account_id = ${mark(1)}`;
  const add = `${insertSql(STORED_RESPONSE, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  /** Values: the account and its bytes. The newest responses within them stay. */
  const trim = `DELETE FROM stored_response WHERE account_id = ${mark(1)} AND id IN (
    SELECT id FROM (
      SELECT id, sum(bytes) OVER (ORDER BY at_ms DESC, id DESC ROWS UNBOUNDED PRECEDING) AS total
      FROM stored_response WHERE account_id = ${mark(1)}
    ) AS sized WHERE total > ${mark(2)})`;
  /** Takes an item's id in quotes. */
  const findByItem = `${ofAccount} AND ${contains("items", mark(2))} ORDER BY at_ms DESC, id DESC LIMIT 1`;
  const remove = `DELETE FROM stored_response WHERE account_id = ${mark(1)} AND id = ${mark(2)}`;
  const prune = pruneSql(STORED_RESPONSE.name, mark);
  const removeAll = `DELETE FROM stored_response WHERE account_id = ${mark(1)} AND key_id = ${mark(2)}`;
  return {
    addResponse: (response, bytesMax) => {
      const { accountId } = response;
      const values = STORED_RESPONSE.valuesOf(response);
      return runAll([bind(add, ...values), bind(trim, accountId, bytesMax)]);
    },
    response: async (accountId, id) =>
      readFirst(STORED_RESPONSE, await run(bind(`${ofAccount} AND id = ${mark(2)}`, accountId, id))),
    responseOfItem: async (accountId, itemId) =>
      readFirst(STORED_RESPONSE, await run(bind(findByItem, accountId, JSON.stringify(itemId)))),
    removeResponse: async (accountId, id) => (await run(bind(remove, accountId, id))).count > 0,
    removeResponses: (accountId, keyId) => runAll([bind(removeAll, accountId, keyId)]),
    pruneResponses: (beforeMs, rowsMax) =>
      deleteInParts(engine, rowsMax, async (most) => (await run(bind(prune, beforeMs, most))).count),
  } satisfies Partial<Store>;
}
