// Rows that are written many by one statement are all written, once each and in their order.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestRecord } from "../../src/core/log/record.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { INTEGER, TEXT } from "../../src/store/columns/columns.ts";
import type { FoundRow } from "../../src/store/columns/found.ts";
import { USUAL_REQUESTS } from "../../src/store/log/usual-rows.ts";
import { REQUEST } from "../../src/store/schema/log-tables.ts";
import { table } from "../../src/store/schema/tables.ts";
import { makeRowFinder, makeRowRemover, makeRowWriter } from "../../src/store/sqlite/row-writer.ts";
import { prepareStatements } from "../../src/store/sqlite/statements.ts";
import { makeRecord } from "../harness/samples.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";

const COUNTS = Array.from({ length: 40 }, (_, count) => count);
const NOTE = table<{ id: number; note: string }>("note", ["id"], { id: INTEGER, note: TEXT });

const OWN = table<{ accountId: string; id: string }>("own", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
});

function makeNotes(count: number, note: string) {
  return Array.from({ length: count }, (_, id) => ({ id, note: `${note} ${id}` }));
}

test("any number of rows is written", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, note TEXT)");
  const add = makeRowWriter(database, NOTE);
  for (const count of COUNTS) {
    database.run("DELETE FROM note");
    const notes = makeNotes(count, "new");
    add(notes);
    expect(database.query("SELECT * FROM note ORDER BY id").all()).toEqual(notes);
  }
});

test("of rows with the same key in one statement, each adds to what is there", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, note TEXT)");
  const add = makeRowWriter(
    database,
    NOTE,
    "ON CONFLICT (id) DO UPDATE SET note = note.note || excluded.note",
  );
  add(["a", "b", "c", "d", "e"].map((note) => ({ id: 1, note })));
  expect(database.query("SELECT note FROM note").all()).toEqual([{ note: "abcde" }]);
});

test("a row that is refused takes back the others of its statement", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, note TEXT)");
  const add = makeRowWriter(database, NOTE);
  expect(() => add([...makeNotes(15, "new"), { id: 3, note: "again" }])).toThrow("UNIQUE");
  expect(database.query("SELECT * FROM note").all()).toEqual([]);
});

test("any number of rows of several accounts is found and removed, and none of another account's", () => {
  using database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE own (account_id TEXT, id TEXT, PRIMARY KEY (account_id, id))");
  const add = makeRowWriter(database, OWN);
  const find = makeRowFinder(database, OWN);
  const remove = makeRowRemover(database, OWN);
  // Seven of an account, then of another, and back.
  const makeRows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      accountId: `account ${Math.floor(at / 7) % 3}`,
      id: `${at}`,
    }));
  for (const count of COUNTS) {
    const rows = makeRows(count);
    const others = rows.map(({ id }) => ({ accountId: "another", id }));
    add([...rows, ...others]);
    const found = find(rows).map(OWN.rowOf);
    expect(found.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(rows);
    remove(rows);
    expect(find(rows)).toEqual([]);
    expect(find(others)).toHaveLength(count);
    remove(others);
  }
});

/** Opens a store's file beside what keeps the store. */
function openEmpty() {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-rows-"));
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

const USAGE_OF = {
  hourMs: 3_600_000,
  accountId: "default",
  keyId: "key",
  model: "Sim#echo",
  operation: "chat",
  surface: "openai-chat",
  member: "",
  provider: "Sim",
  outcome: "answered",
  tag: "",
  requests: 1,
  errors: 0,
  costNanoUsd: 5,
  markupNanoUsd: 0,
  chargedNanoUsd: 4,
  cached: 0,
  savedNanoUsd: 0,
} as const;
const ORDINARY = { cachedFrom: null, selector: null, amounts: { ...NO_AMOUNTS, prompt: 3, completion: 4 } };
/** Each differs in one of the columns that a usual row leaves out. */
const UNUSUAL: readonly Partial<RequestRecord>[] = [
  { operation: "embeddings" },
  { surface: "anthropic-messages" },
  { selector: "Router#best" },
  { decision: "{}" },
  { faultCode: "client_gone", status: 499, ended: "client_gone" },
  { holdNanoUsd: 5 },
  { isLate: true },
  { session: "s" },
  { traceId: "t" },
  { parentTraceId: "p" },
  { memberId: "member" },
  { amounts: { ...NO_AMOUNTS, images: 2 } },
  { amounts: { ...NO_AMOUNTS, seconds: 2 } },
  { amounts: { ...NO_AMOUNTS, characters: 2 } },
  { amounts: { ...NO_AMOUNTS, searchUnits: 2 } },
  { amounts: { ...NO_AMOUNTS, pages: 2 } },
  { markupNanoUsd: 3 },
  { claimedNanoUsd: 0 },
  { claimedNanoUsd: 9 },
  { cachedFrom: "chatcmpl-0" },
  { cachedFrom: "chatcmpl-0", savedNanoUsd: 7 },
  { tags: "team=a" },
  { constraints: "provider.zdr" },
  { mended: "system_late" },
  { reasoningRemoved: "prefix=2" },
  { cacheMarked: "5m" },
  { moved: "rest" },
  { guard: '[["email","report","request",1,"personal"]]' },
  { socketId: "ws_1" },
  { isCompaction: true },
];

test("rows are read back as they were, whichever columns have their table's defaults", () => {
  using opened = openEmpty();
  const { addRequests } = prepareStatements(opened.database);
  const records = [{}, ...UNUSUAL, {}].map((fields, at) =>
    makeRecord(`chatcmpl-${at}`, { ...ORDINARY, ...fields }),
  );
  addRequests(records);
  const found = opened.database
    .query<FoundRow, []>("SELECT * FROM request ORDER BY rowid")
    .all()
    .map(REQUEST.rowOf);
  const byId = new Map(found.map((row) => [row.id, row]));
  expect(records.map(({ id }) => byId.get(id))).toEqual(records);
  expect(records.filter(USUAL_REQUESTS.fits).map(({ id }) => id)).toEqual([
    "chatcmpl-0",
    `chatcmpl-${UNUSUAL.length + 1}`,
  ]);
});

test("sums of other work are added to those of chats", () => {
  using opened = openEmpty();
  const { addUsage } = prepareStatements(opened.database);
  const sum = { ...USAGE_OF, amounts: { ...NO_AMOUNTS, prompt: 3 } };
  addUsage([sum]);
  addUsage([{ ...sum, cached: 1, savedNanoUsd: 8, edge: { costNanoUsd: 1, chargedNanoUsd: 2 } }]);
  addUsage([{ ...sum, amounts: { ...NO_AMOUNTS, prompt: 3, images: 2 } }, sum]);
  const found = opened.database.query("SELECT * FROM hourly_usage").get();
  expect(found).toMatchObject({
    requests: 4,
    prompt_tokens: 12,
    images: 2,
    cached: 1,
    saved_nano: 8,
    edge_cost_nano: 1,
    edge_charged_nano: 2,
  });
});
