// The PostgreSQL store's responses that were kept for requests that go on from them.
import type { Store } from "../../core/store.ts";
import type { Value } from "../found.ts";
import { composeResponseStatements, STORED_RESPONSE } from "../stored-responses.ts";
import { query } from "./connection.ts";
import type { Pool } from "./pool.ts";

type ResponseMethods = Pick<
  Store,
  "addResponse" | "response" | "responseOfItem" | "removeResponse" | "removeResponses" | "pruneResponses"
>;

const SQL = composeResponseStatements(
  (position) => `$${position}`,
  (column, part) => `strpos(${column}, ${part}) > 0`,
);

export function responseMethods(pool: Pool): ResponseMethods {
  const findOne = async (text: string, values: readonly Value[]) => {
    const [found] = await pool.one(query(text, ...values));
    return found ? STORED_RESPONSE.rowOf(found) : null;
  };
  return {
    addResponse: async (response, bytesMax) => {
      const { accountId } = response;
      await pool.one(query(SQL.add, ...STORED_RESPONSE.valuesOf(response)));
      await pool.one(query(SQL.trim, accountId, accountId, bytesMax));
    },
    response: (accountId, keyId, id) => findOne(SQL.find, [accountId, keyId, id]),
    responseOfItem: (accountId, keyId, itemId) =>
      findOne(SQL.findByItem, [accountId, keyId, JSON.stringify(itemId)]),
    removeResponse: async (accountId, keyId, id) =>
      (await pool.one(query(SQL.remove, accountId, keyId, id))).count > 0,
    removeResponses: async (accountId, keyId) => {
      await pool.one(query(SQL.removeAll, accountId, keyId));
    },
    pruneResponses: async (beforeMs, rowsMax) => (await pool.one(query(SQL.prune, beforeMs, rowsMax))).count,
  };
}
