// The SQLite store: the suites of all stores, and faults that only a shared file has.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../src/core/faults/fault.ts";
import type { RequestFilter } from "../../src/core/log/log-query.ts";
import type { Store } from "../../src/core/store.ts";
import type { Position } from "../../src/core/world/page.ts";
import { decide } from "../../src/ledger/decide.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { REQUEST } from "../../src/store/schema/log-tables.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import {
  expectGrant,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOutcome,
  makeRecord,
  NOON,
  openMemoryStore,
  writeRecord,
} from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { auditSuite } from "../suites/audit/audit.suite.ts";
import { chainingSuite } from "../suites/audit/chaining.suite.ts";
import { repeatsSuite } from "../suites/audit/repeats.suite.ts";
import { refuseWrites, writeEmptyStore } from "../suites/empty-store.ts";
import { accountsSuite } from "../suites/engine/accounts.suite.ts";
import { entriesSuite } from "../suites/engine/entries.suite.ts";
import { foldingSuite } from "../suites/engine/folding.suite.ts";
import { lateSuite } from "../suites/engine/late.suite.ts";
import { mixSuite } from "../suites/engine/mix.suite.ts";
import { nodesSuite } from "../suites/engine/nodes.suite.ts";
import { notedSuite } from "../suites/engine/noted.suite.ts";
import { sortedSuite } from "../suites/engine/sorted.suite.ts";
import { eventsSuite } from "../suites/events/events.suite.ts";
import { webhooksSuite } from "../suites/events/webhooks.suite.ts";
import { foreignSuite } from "../suites/keys/foreign.suite.ts";
import { keysSuite } from "../suites/keys/keys.suite.ts";
import { movesSuite } from "../suites/keys/moves.suite.ts";
import { limitRequestsSuite } from "../suites/limits/limit-requests.suite.ts";
import { limitsSuite } from "../suites/limits/limits.suite.ts";
import { warningsSuite } from "../suites/limits/warnings.suite.ts";
import { callsSuite } from "../suites/log/calls.suite.ts";
import { tagsSuite } from "../suites/log/tags.suite.ts";
import { batchSuite } from "../suites/models/batches.suite.ts";
import { cacheSuite } from "../suites/models/cache.suite.ts";
import { lessonFilesSuite } from "../suites/models/lesson-files.suite.ts";
import { lessonsSuite } from "../suites/models/lessons.suite.ts";
import { refusalLessonsSuite } from "../suites/models/refusal-lessons.suite.ts";
import { repliesSuite } from "../suites/models/replies.suite.ts";
import { responsesSuite } from "../suites/models/responses.suite.ts";
import { toolSessionSuite } from "../suites/models/tool-sessions.suite.ts";
import { billingSuite } from "../suites/money/billing.suite.ts";
import { checkoutsSuite } from "../suites/money/checkouts.suite.ts";
import { moneySuite } from "../suites/money/money.suite.ts";
import { movementsSuite } from "../suites/money/movements.suite.ts";
import { statementsSuite } from "../suites/money/statements.suite.ts";
import { consoleSuite } from "../suites/people/console.suite.ts";
import { devicesSuite } from "../suites/people/devices.suite.ts";
import { erasingSuite } from "../suites/people/erasing.suite.ts";
import { storeSuite } from "../suites/store.suite.ts";
import type { StoreBench } from "../suites/two-stores.ts";
import { bestSuite } from "../webhooks/best.suite.ts";
import { chatsSuite } from "../webhooks/chats.suite.ts";
import { deliverySuite } from "../webhooks/delivery.suite.ts";
import { digestsSuite } from "../webhooks/digests.suite.ts";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "poundkey-store-"));

function makeBench(): StoreBench {
  const folder = newFolder();
  const path = join(folder, "poundkey.db");
  writeEmptyStore(path);
  return {
    open: (decide) => openSqliteStore({ path, decide }),
    // A process that ends releases its lock, and the first process that checks removes the file.
    forsake: ({ node }) => rmSync(`${path}-${node}`),
    raw: (sql) => {
      const database = new Database(path);
      try {
        database.run(sql);
      } finally {
        database.close(true);
      }
    },
    refuseWrites: async () => refuseWrites(path),
    dispose: () => rmSync(folder, { recursive: true }),
  };
}

describe("store", () => storeSuite("sqlite", makeBench));
describe("money", () => moneySuite("sqlite", makeBench));
describe("statements", () => statementsSuite("sqlite", makeBench));
describe("tags", () => tagsSuite("sqlite", makeBench));
describe("warnings", () => warningsSuite("sqlite", makeBench));
describe("calls", () => callsSuite("sqlite", makeBench));
describe("movements", () => movementsSuite("sqlite", makeBench));
describe("checkouts", () => checkoutsSuite("sqlite", makeBench));
describe("keys", () => keysSuite("sqlite", makeBench));
describe("lists in order", () => sortedSuite("sqlite", makeBench));
describe("foreign secrets", () => foreignSuite("sqlite", makeBench));
describe("devices", () => devicesSuite("sqlite", makeBench));
describe("billing", () => billingSuite("sqlite", makeBench));
describe("several accounts", () => accountsSuite("sqlite", makeBench));
describe("entries", () => entriesSuite("sqlite", makeBench));
describe("late", () => lateSuite("sqlite", makeBench));
describe("limits", () => limitsSuite("sqlite", makeBench));
describe("limit requests", () => limitRequestsSuite("sqlite", makeBench));
describe("nodes", () => nodesSuite("sqlite", makeBench));
describe("noted", () => notedSuite("sqlite", makeBench));
describe("replies", () => repliesSuite("sqlite", makeBench));
describe("lessons", () => lessonsSuite("sqlite", makeBench));
describe("lessons in files", () => lessonFilesSuite("sqlite", makeBench));
describe("console", () => consoleSuite("sqlite", makeBench));
describe("audit", () => auditSuite("sqlite", makeBench));
describe("folding", () => foldingSuite("sqlite", makeBench));
describe("chaining", () => chainingSuite("sqlite", makeBench));

describe("repeats", () => repeatsSuite("sqlite", makeBench));
describe("erasing", () => erasingSuite("sqlite", makeBench));
describe("events", () => eventsSuite("sqlite", makeBench));
describe("webhooks", () => webhooksSuite("sqlite", makeBench));
describe("deliveries", () => deliverySuite("sqlite", makeBench));
describe("chats", () => chatsSuite("sqlite", makeBench));
describe("digests", () => digestsSuite("sqlite", makeBench));
describe("best models", () => bestSuite("sqlite", makeBench));
describe("stored responses", () => responsesSuite("sqlite", makeBench));
describe("batches", () => batchSuite("sqlite", makeBench));
describe("kept answers", () => cacheSuite("sqlite", makeBench));
describe("refusal lessons", () => refusalLessonsSuite("sqlite", makeBench));
describe("tool sessions", () => toolSessionSuite("sqlite", makeBench));
describe("moves", () => movesSuite("sqlite", makeBench));
describe("mix", () => mixSuite("sqlite", makeBench));

describe("sqlite: one file, many processes, failures", () => {
  const key = makeKey("key_a");
  let folder: string;
  let path: string;
  let store: Store;
  let ledger: Ledger;
  const admit = (id: string) => expectGrant(ledger, ledger.ticket(makeAsk(id, key)));

  beforeEach(async () => {
    folder = newFolder();
    path = join(folder, "data", "poundkey.db");
    store = await openSqliteStore({ path, decide, lockWaitMs: 300 });
    await unrecorded(store).addKey(key, "digest");
    ledger = ledgerOn(store);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test("the file and its folder are private to their owner", () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "data")).mode & 0o777).toBe(0o700);
  });

  test("exactly 200 of 1,200 are admitted over three processes", async () => {
    const script = join(import.meta.dir, "admit.process.ts");
    const children = [0, 1, 2].map((node) =>
      Bun.spawn([process.execPath, script, path, String(node), "400"], { stdout: "pipe", stderr: "inherit" }),
    );
    const outputs = await Promise.all(children.map((child) => new Response(child.stdout).json()));
    const granted = outputs.map((output) => output.granted);
    expect(granted.reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(outputs.map((output) => output.failed)).toEqual([0, 0, 0]);
    expect((await ledger.allowance(key)).used).toBe(200);
    expect((await store.requests({}, { limit: 500, after: null })).length).toBe(200);
  }, 300_000);

  test("processes that start together each get their own lock, and leave none behind", async () => {
    const script = join(import.meta.dir, "lock.process.ts");
    const children = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, script, path, "50"], { stdout: "pipe", stderr: "inherit" }),
    );
    const outputs = await Promise.all(children.map((child) => new Response(child.stdout).json()));
    expect(outputs).toEqual([[], [], [], []]);
    expect(readdirSync(join(folder, "data")).filter((name) => name.includes("node_"))).toEqual([]);
  }, 300_000);

  test("another process's lock is waited for", async () => {
    const holder = new Database(path);
    holder.run("BEGIN IMMEDIATE");
    const granted = admit("1");
    await Bun.sleep(20);
    holder.run("COMMIT");
    holder.close(true);
    expect((await granted).place.kind).toBe("allowance");
  });

  test("a stuck lock is a fault that doesn't block the event loop, and the store recovers", async () => {
    const holder = new Database(path);
    holder.run("BEGIN IMMEDIATE");
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const thrown = await catchThrown(admit("1"));
    clearInterval(turning);
    expect(readCode(thrown)).toBe("store_unavailable");
    expect(thrown instanceof Fault && thrown.details.retryAfterMs).toBe(1000);
    expect(turns).toBeGreaterThan(0);
    expect(await store.key("key_a")).not.toBeNull();
    holder.run("COMMIT");
    holder.close(true);
    await admit("2");
    expect((await ledger.allowance(key)).used).toBe(1);
  });

  test("a missing file is a fault and is not recreated, and the store recovers when it is back", async () => {
    await admit("1");
    const away = join(folder, "away.db");
    renameSync(path, away);
    const uses = [() => admit("2"), () => store.keyByDigest("digest"), () => store.ready()];
    for (const use of uses) {
      const thrown = await catchThrown(use());
      expect(readCode(thrown)).toBe("store_unavailable");
      expect(thrown instanceof Fault && thrown.message).not.toContain(folder);
    }
    expect(readdirSync(join(folder, "data"))).not.toContain("poundkey.db");
    renameSync(away, path);
    await store.ready();
    await admit("3");
    expect((await ledger.allowance(key)).used).toBe(2);
  });

  test("changes made while the file was away count when it is back", async () => {
    await admit("1");
    const files = ["poundkey.db", "poundkey.db-wal", "poundkey.db-shm"];
    for (const file of files) renameSync(join(folder, "data", file), join(folder, file));
    expect(readCode(await catchThrown(store.ready()))).toBe("store_unavailable");
    const away = new Database(join(folder, "poundkey.db"));
    away.run("UPDATE gateway_key SET revoked_at_ms = 1");
    away.close(true);
    renameSync(join(folder, "poundkey.db"), path);
    expect(readCode(await catchThrown(admit("2")))).toBe("invalid_api_key");
  });

  test("a file that is not a database is refused with an explanation", async () => {
    const rubbish = join(folder, "rubbish.db");
    await Bun.write(rubbish, "This is not a database, and was never meant to be one. ".repeat(100));
    expect(String(await catchThrown(openSqliteStore({ path: rubbish, decide })))).toMatch(
      /rubbish.db .*not a database/,
    );
    expect(String(await catchThrown(openSqliteStore({ path: folder, decide })))).toContain(folder);
  });

  test("a newer store that ended this version's support is refused with an explanation, and left unchanged", async () => {
    const newer = new Database(path);
    newer.run("PRAGMA user_version = 99");
    newer.run("UPDATE setting SET value = '98' WHERE name = 'oldest_supported'");
    newer.close(true);
    const thrown = await catchThrown(openSqliteStore({ path, decide }));
    expect(String(thrown)).toContain("the store needs 98 or later");
    const again = new Database(path);
    expect(again.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version).toBe(99);
    again.close(true);
  });

  test("an in-memory store doesn't declare its own holds lost", async () => {
    const own = await openMemoryStore(key);
    const here = ledgerOn(own);
    await expectGrant(here, here.ticket(makeAsk("1", key)));
    expect([await own.orphans(9), await here.resolveLost()]).toEqual([[], 0]);
    await own.close();
  });

  test("everything survives a restart", async () => {
    const ticket = ledger.ticket(makeAsk("1", key));
    await expectGrant(ledger, ticket);
    await ledger.settle(ticket, makeOutcome(ticket));
    await store.close();
    store = await openSqliteStore({ path, decide });
    expect(await store.request("1")).toEqual(makeRecord("1"));
    expect((await ledgerOn(store).allowance(key)).used).toBe(1);
  });
});

test("sqlite: each row of a log longer than one search step is found once, on pages of any size", async () => {
  const bench = makeBench();
  const store = await bench.open(decide);
  await writeRecord(store, makeRecord("0", { atMs: NOON, status: 418 }));
  // Three per millisecond. Every 500th has the status that the test looks for.
  const other: Readonly<Record<string, string>> = {
    id: "printf('%06d', n)",
    at_ms: `${NOON} + n / 3`,
    status: "iif(n % 500 = 0, 418, 200)",
  };
  bench.raw(`
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 45000)
    INSERT INTO request (${REQUEST.columns.join()})
    SELECT ${REQUEST.columns.map((column) => other[column] ?? column).join()} FROM request, number`);
  const ids = Array.from({ length: 45_000 }, (_, at) => String(45_000 - at).padStart(6, "0"));
  const rare = [...ids.filter((id) => Number(id) % 500 === 0), "0"];
  const cases: readonly [RequestFilter, number, readonly string[]][] = [
    [{ status: 418 }, 7, rare],
    [{ status: 418, keyId: "key_a" }, 200, rare],
    [{ keyId: "key_a" }, 50_000, [...ids, "0"]],
    [{ accountId: "default" }, 12_000, [...ids, "0"]],
  ];
  for (const [filter, limit, expected] of cases) {
    const found: string[] = [];
    let after: Position | null = null;
    for (;;) {
      const page = await store.requests(filter, { limit, after });
      found.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (last === undefined || page.length < limit) break;
      after = { atMs: last.atMs, id: last.id };
    }
    expect(found).toEqual([...expected]);
  }
  await store.close();
  bench.dispose();
});
