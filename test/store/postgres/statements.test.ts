// The statements on a request's path, by their texts: on an engine that shards by account, every part names its account as a
// parameter, so that one machine runs it.
import { expect, test } from "bun:test";
import { makePostgresSchema } from "../../../src/store/postgres/migrations.ts";
import { composeReading } from "../../../src/store/postgres/reading.ts";
import { listWriteTexts } from "../../../src/store/postgres/writing.ts";

const ACCOUNT_IS_FIRST = /\b(account_id|account\.id|whose\.id|id) = \$1(?!\d)/;

/** The statements within a WITH, or the whole text if there is none. */
function splitParts(text: string): readonly string[] {
  const parts = text.split(/\b\w+ AS \((?=\s*(?:INSERT|UPDATE|DELETE|SELECT)\b)/);
  return parts.length === 1 ? parts : parts.slice(1);
}

function listWritten(parts: readonly string[]): readonly (string | undefined)[] {
  return parts.map((part) => /(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/.exec(part)?.[1]);
}

const READS = {
  accountId: "acct",
  keyId: "key",
  owners: ["key"],
  days: ["day"],
  requestId: "request",
  replyId: "reply",
  movementId: "top-up",
};

test("a distributed engine reads each table by the account, except for keys, which every node stores, and the clock", () => {
  const { queries } = composeReading([READS], "wait", true);
  expect(queries.length).toBe(10);
  for (const { text, values } of queries) {
    if (text.includes("FROM gateway_key") || text.includes("clock_timestamp()")) continue;
    expect(text).toMatch(ACCOUNT_IS_FIRST);
    expect(values[0]).toBe("acct");
  }
});

test("a single server reads the rows of several accounts in two statements", () => {
  const reads = { ...READS, replyId: null };
  const { queries } = composeReading([reads, { ...reads, accountId: "other" }], "briefly", false);
  expect(queries.map(({ values }) => values[0])).toEqual([["acct", "other"], ["key"]]);
});

test("stored replies, which together may be larger than a value, are read as rows of a third statement", () => {
  const { queries } = composeReading([READS, { ...READS, accountId: "other" }], "briefly", false);
  const [, small, replies, ...others] = queries;
  expect(others).toEqual([]);
  expect(small?.text).not.toContain("FROM reply");
  expect(replies?.text).toContain("FROM reply");
  expect(replies?.text).not.toContain("json_agg");
  expect(replies?.values).toEqual([
    ["acct", "other"],
    ["reply", "reply"],
  ]);
});

test("every part of a write on a distributed engine names the account", () => {
  const parts = listWriteTexts(true).flatMap(splitParts);
  for (const part of parts) expect(part).toMatch(ACCOUNT_IS_FIRST);
  expect(listWritten(parts).length).toBe(21 + 2);
});

test("a single server writes the same tables in one statement, of many rows or of a few", () => {
  const texts = listWriteTexts(false);
  expect(texts.length).toBe(2);
  for (const text of texts)
    expect(listWritten(splitParts(text)).toSorted()).toEqual(
      listWritten(listWriteTexts(true).flatMap(splitParts)).toSorted(),
    );
});

test("a distributed engine never writes two tables in one statement, except to delete", () => {
  for (const text of listWriteTexts(true).slice(1))
    expect(text.match(/INSERT INTO|UPDATE (account|request)\b/g)?.length).toBe(1);
});

test("the manual's SQL distributes every table of an account", async () => {
  const sql = await Bun.file(`${import.meta.dir}/../citus/distribute.sql`).text();
  const statements = sql.replace(/^--.*\n/gm, "").trim();
  expect(await Bun.file(`${import.meta.dir}/../../../src/docs/nodes.md`).text()).toContain(statements);
  const [owning = "", referring = ""] = [...sql.matchAll(/ARRAY\[([^\]]*)\]\) AS name/g)].map(
    ([, list = ""]) => list,
  );
  const listNames = (list: string) => [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? "");
  // They are found by other columns, so every machine has them whole.
  const references = listNames(referring);
  const owned = makePostgresSchema()
    .steps.flat()
    .flatMap((step) => {
      const [, name, columns = ""] = /CREATE TABLE IF NOT EXISTS (\w+) \(([\s\S]*)\)/.exec(step) ?? [];
      const isReference = name !== undefined && references.includes(name);
      return name !== undefined && columns.includes("account_id TEXT") && !isReference ? [name] : [];
    });
  expect(listNames(owning).toSorted()).toEqual(owned.toSorted());
});
