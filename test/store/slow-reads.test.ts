// Slow reads of the SQLite store run in a thread of their own, and give what the connection itself would.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readInteger } from "../../src/store/columns/found.ts";
import { bind, type Engine } from "../../src/store/engine/engine.ts";
import { nextTurn } from "../../src/store/engine/turns.ts";
import { Connector } from "../../src/store/sqlite/connector.ts";
import { makeEngine } from "../../src/store/sqlite/engine.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { sqlitePrograms } from "../../src/store/sqlite/programs.ts";
import { SlowReads } from "../../src/store/sqlite/slow-reads.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { watchThreads } from "../harness/threads.ts";
import { catchThrown } from "../harness/thrown.ts";

const ADMIN_TOKEN = "admin-token-of-the-test";
/** Takes a tenth of a second. */
const NUMBERS = 1_000_000;
const COUNT = bind(
  "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1) SELECT count(*) AS many FROM number",
  NUMBERS,
);
/** A thread that reads leaves the event loop free for thousands of turns; one that is waited for, for none. */
const TURNS_MIN = 20;

const place = newPlace(
  `{ server: { port: 0, admin_token: "${ADMIN_TOKEN}" }, store: "sqlite:./poundkey.db" }`,
);
const folder = newPlace("");
const path = join(folder.directory, "read.db");
const slowReads = new SlowReads(path);
const connector = new Connector({
  path,
  schema: makeSqliteSchema(),
  lockWaitMs: 1000,
  onConnect: () => {},
});
let engine: Engine;
beforeAll(async () => {
  const programs = sqlitePrograms(path);
  engine = makeEngine(connector, { programs, slowReads, onWrite: () => {}, truncateLog: async () => true });
  await connector.run(() => undefined);
});
afterAll(() => {
  slowReads.close();
  connector.close();
  folder.remove();
  place.remove();
});

test("others go on during a slow read", async () => {
  let turns = 0;
  let isOver = false;
  const reading = engine.runSlowReads([COUNT, COUNT]).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    turns++;
  }
  const found = await reading;
  expect(found.map((rows) => [rows.count, rows.map((row) => readInteger(row, "many"))])).toEqual([
    [1, [NUMBERS]],
    [1, [NUMBERS]],
  ]);
  expect(turns).toBeGreaterThan(TURNS_MIN);
});

test("a slow read sees what was written just before", async () => {
  const write = bind("INSERT INTO setting (name, value) VALUES (?1, ?2)", "slow", "read");
  await engine.runOnce(write);
  const [found] = await engine.runSlowReads([bind("SELECT value FROM setting WHERE name = ?1", "slow")]);
  expect(found?.map(({ value }) => value)).toEqual(["read"]);
});

test("a read that fails in the thread fails with the connection's own error, and later ones work", async () => {
  const wrong = await catchThrown(engine.runSlowReads([bind("SELECT * FROM nothing_of_this_name")]));
  expect(String(wrong)).toContain("unavailable");
  expect((await engine.runSlowReads([bind("SELECT 1 AS many")]))[0]?.count).toBe(1);
});

test("a closed store's slow reads end", async () => {
  const other = new SlowReads(path);
  const reading = other.run([COUNT]);
  other.close();
  expect(await reading).toBeNull();
});

test("the reads of a thread that ends by itself end too, and the next read starts another", async () => {
  using watched = watchThreads();
  const { threads } = watched;
  const other = new SlowReads(path);
  try {
    const reading = other.run([COUNT]);
    threads[0]?.terminate();
    expect(await reading).toBeNull();
    expect((await other.run([COUNT]))?.length).toBe(1);
    expect(threads.length).toBe(2);
  } finally {
    other.close();
  }
});

test(
  "a gateway has one such thread once it has made sums",
  async () => {
    const serving = startServe(place, "--simulate");
    const url = await serving.listens();
    const countThreads = () => {
      const tasks = `/proc/${serving.pid}/task`;
      return readdirSync(tasks).filter((id) => readFileSync(join(tasks, id, "comm"), "utf8") === "Worker\n")
        .length;
    };
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const answer = await fetch(`${url}/admin/v1/usage?group_by=model`, { headers });
    // Upkeep may have made sums before.
    expect([answer.status, countThreads()]).toEqual([200, 1]);
    serving.end();
  },
  LONG_MS,
);
