// The SQLite store's responses that were kept for requests that go on from them.
import type { Store } from "../../core/store.ts";
import type { Value } from "../found.ts";
import { composeResponseStatements, STORED_RESPONSE } from "../stored-responses.ts";
import type { Lifeline } from "./lifeline.ts";
import type { Statements } from "./statements.ts";

type ResponseMethods = Pick<
  Store,
  "addResponse" | "response" | "responseOfItem" | "removeResponse" | "removeResponses" | "pruneResponses"
>;

const SQL = composeResponseStatements(
  (position) => `?${position}`,
  (column, part) => `instr(${column}, ${part}) > 0`,
);

export function responseMethods(lifeline: Lifeline): ResponseMethods {
  const write = <Result>(work: (sql: Statements) => Result) =>
    lifeline.run((connection) => connection.write(() => work(connection.sql)));
  const findOne = async (text: string, values: readonly Value[]) => {
    const [found] = await lifeline.run(({ sql }) => sql.look({ text, values }));
    return found ? STORED_RESPONSE.rowOf(found) : null;
  };
  return {
    addResponse: (response, bytesMax) =>
      write((sql) => {
        sql.change({ text: SQL.add, values: STORED_RESPONSE.valuesOf(response) });
        const { accountId } = response;
        sql.change({ text: SQL.trim, values: [accountId, accountId, bytesMax] });
      }),
    response: (accountId, keyId, id) => findOne(SQL.find, [accountId, keyId, id]),
    responseOfItem: (accountId, keyId, itemId) =>
      findOne(SQL.findByItem, [accountId, keyId, JSON.stringify(itemId)]),
    removeResponse: (accountId, keyId, id) =>
      write((sql) => sql.change({ text: SQL.remove, values: [accountId, keyId, id] }) > 0),
    removeResponses: (accountId, keyId) =>
      write((sql) => {
        sql.change({ text: SQL.removeAll, values: [accountId, keyId] });
      }),
    pruneResponses: (beforeMs, rowsMax) =>
      write((sql) => sql.change({ text: SQL.prune, values: [beforeMs, rowsMax] })),
  };
}
