// The index of request ids has only those that don't begin with their row's time, and no lookup by a request id reads the log
// without an index.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestFilter } from "../../src/core/log/log-query.ts";
import { mintOrderedId } from "../../src/core/world/ordered-id.ts";
import { askRequests } from "../../src/store/engine/narrowing.ts";
import { LISTED_REQUEST } from "../../src/store/schema/log-tables.ts";
import { UNTIMED } from "../../src/store/schema/request-ids.ts";
import { prepareStatements } from "../../src/store/sqlite/statements.ts";
import { makeRecord, NOON } from "../harness/samples.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";

const WORDS = { mark: (position: number) => `?${position}`, untimed: UNTIMED.sqlite };
const ALL = [
  { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER },
  { limit: 9, after: null },
] as const;
const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const makeOwn = (atMs: number) => `req_${mintOrderedId(random, atMs)}`;
const OWN = makeOwn(NOON);

/** Opens an empty store's file beside what keeps the store. */
function openEmpty() {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-ids-"));
  const path = join(directory, "poundkey.db");
  writeEmptyStore(path);
  const database = new Database(path, { strict: true });
  return {
    database,
    [Symbol.dispose]: () => {
      database.close();
      rmSync(directory, { recursive: true });
    },
  };
}

test("an id of the gateway's own that says when its request was takes no place in the index", () => {
  using opened = openEmpty();
  const rows = Array.from({ length: 50 }, (_, at) => ({
    atMs: NOON + at * 500,
    requestId: makeOwn(NOON + at * 500),
  }));
  const others = [{ requestId: "chosen" }, { requestId: makeOwn(NOON - 10_000) }];
  const records = [...rows, ...others].map((fields, at) => makeRecord(`chatcmpl-${at}`, fields));
  prepareStatements(opened.database).addRequests(records);
  const indexed = opened.database
    .query<{ request_id: string }, []>(
      `SELECT request_id FROM request INDEXED BY request_untimed_id WHERE ${UNTIMED.sqlite} ORDER BY rowid`,
    )
    .all();
  expect(indexed.map((row) => row.request_id)).toEqual(others.map(({ requestId }) => requestId));
});

test.each<[string, RequestFilter, readonly string[]]>([
  ["an own id", { requestId: OWN }, ["request_untimed_id", "request_at"]],
  ["a client's id", { requestId: "chosen" }, ["request_untimed_id"]],
  [
    "an own id of a key in a period",
    { requestId: OWN, keyId: "key_a", fromMs: 1, toMs: 2 },
    ["request_untimed_id", "request_at"],
  ],
  [
    "an own id within a scope",
    { requestId: OWN, scope: { accountIds: ["a", "b"], personal: null } },
    ["request_untimed_id", "request_at"],
  ],
  ["a trace", { traceId: "a".repeat(32) }, ["request_trace_id", "request_parent_trace_id"]],
])("%s is found by indexes", (_, filter, indexes) => {
  using opened = openEmpty();
  const { text, values } = askRequests(LISTED_REQUEST, filter, WORDS).lookup(...ALL);
  const looks = opened.database
    .query<{ detail: string }, SQLQueryBindings[]>(`EXPLAIN QUERY PLAN ${text}`)
    .all(...values)
    .flatMap(({ detail }) => (/^(SEARCH|SCAN)/.test(detail) ? [detail.split(" (")[0]] : []));
  expect(looks).toEqual(indexes.map((name) => `SEARCH request USING INDEX ${name}`));
});
