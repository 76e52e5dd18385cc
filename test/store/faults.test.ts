// Real store failures under a running gateway: nothing unmetered passes, every answer is true, and everything recovers.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { topUp } from "../ledger/top-up.ts";
import { until } from "../whole/world/until.ts";
import { startTracedWorld } from "./faults/failing-sync.ts";
import { FAULTS, looked } from "./faults/faults.ts";
import { askedInAllWays, balanced, healed, refusedAll, suffer } from "./faults/scenario.ts";
import { canTrace } from "./faults/tracer.ts";

const CAN_TRACE = await canTrace();
const PAGE_SIZE = "SELECT page_size AS size FROM pragma_page_size";
const ROOT_PAGE = "SELECT rootpage AS page FROM sqlite_schema WHERE name = ?";
/** Longer than the waits inside, so that everything is cleaned up even if a test fails. */
const TEST_MS = 120_000;
/** Shorter than the product's 5 s, so that a test with a held lock ends soon. */
const LOCK_WAIT_MS = 250;

describe.concurrent("a store that fails under a running gateway", () => {
  for (const { name, isPossible, make } of FAULTS) {
    // Some faults need root outside a container.
    test.skipIf(!isPossible)(
      `${name}: 503 with Retry-After, no uncounted call, red then green, recovery without help, and balanced books`,
      async () => {
        const fault = make();
        try {
          const { refused } = await suffer(fault, { lockWaitMs: LOCK_WAIT_MS });
          expect(refused).toBeGreaterThan(0);
        } finally {
          fault.remove();
        }
      },
      TEST_MS,
    );
  }

  test.skipIf(!CAN_TRACE)(
    "failing syncs: no paid answer leaves, later requests are refused, and the store is verified before it recovers",
    async () => {
      const world = await startTracedWorld();
      try {
        for (const one of await askedInAllWays(world))
          expect(one).toMatchObject({ status: 200, whole: true });
        const restore = await world.failSyncs();
        for (const stream of [false, true]) {
          const told = await world.ask("paid", stream);
          expect(told).toMatchObject({
            status: 503,
            code: "store_unavailable",
            retryAfter: "1",
            whole: false,
          });
        }
        await refusedAll(world, 0);
        await restore();
        await healed(world);
        await balanced(world);
      } finally {
        await world.stop();
      }
    },
    TEST_MS,
  );
});

describe("a damaged store file", () => {
  const newPath = () => join(mkdtempSync(join(tmpdir(), "poundkey-file-")), "poundkey.db");
  const remove = (path: string) => rmSync(dirname(path), { recursive: true });

  /** The byte offset of a table's first page. */
  const pageOf = (path: string, table: string) =>
    looked(path, (database) => {
      const { size } = database.query<{ size: number }, []>(PAGE_SIZE).get() ?? { size: 0 };
      const { page } = database.query<{ page: number }, [string]>(ROOT_PAGE).get(table) ?? { page: 0 };
      return { from: (page - 1) * size, to: page * size };
    });
  const damagedAt = (sound: Buffer, { from, to }: { readonly from: number; readonly to: number }) =>
    Buffer.from(sound).fill(0xaa, from, to);

  test("is only used again after a failed sync once it is verified, however often that is tried", async () => {
    const path = newPath();
    const store = await openSqliteStore({ path, decide });
    renameSync(`${path}-wal`, `${path}-gone`);
    expect(readCode(await catchThrown(store.durable()))).toBe("store_unavailable");
    const sound = readFileSync(path);
    writeFileSync(path, damagedAt(sound, pageOf(path, "hourly_usage")));
    for (let tries = 0; tries < 2; tries++) {
      expect(readCode(await catchThrown(store.setting("master_key_check")))).toBe("store_unavailable");
    }
    writeFileSync(path, sound);
    expect(await store.account("default")).toMatchObject({ name: "default" });
    await store.close();
    remove(path);
  });

  test("a failed sync is one promise for all who wait, and no error of the process if they have left", async () => {
    const path = newPath();
    const store = await openSqliteStore({ path, decide });
    await topUp(store, { accountId: "default", id: "first", nanoUsd: 1, note: null, entry: null, nowMs: 0 });
    renameSync(`${path}-wal`, `${path}-gone`);
    const sync = store.durable();
    expect(store.durable()).toBe(sync);
    await until("it fails", () => Bun.peek.status(sync) === "rejected");
    renameSync(`${path}-gone`, `${path}-wal`);
    await store.durable();
    await store.close();
    remove(path);
  });

  test("does not become durable by a later sync, but only by verification", async () => {
    const path = newPath();
    const store = await openSqliteStore({ path, decide });
    await topUp(store, { accountId: "default", id: "first", nanoUsd: 1, note: null, entry: null, nowMs: 0 });
    renameSync(`${path}-wal`, `${path}-gone`);
    const syncs = [store.durable(), store.durable()].map(catchThrown);
    expect((await Promise.all(syncs)).map(readCode)).toEqual(["store_unavailable", "store_unavailable"]);
    const sound = readFileSync(path);
    writeFileSync(path, damagedAt(sound, pageOf(path, "hourly_usage")));
    writeFileSync(`${path}-wal`, "");
    expect(readCode(await catchThrown(store.durable()))).toBe("store_unavailable");
    writeFileSync(path, sound);
    await store.durable();
    await store.close();
    remove(path);
  });

  test("a page that doesn't read refuses everything in SQLite's words, until the file is whole again", async () => {
    const path = newPath();
    const made = await openSqliteStore({ path, decide });
    await topUp(made, { accountId: "default", id: "first", nanoUsd: 1, note: null, entry: null, nowMs: 0 });
    await made.close();
    const sound = readFileSync(path);
    writeFileSync(path, damagedAt(sound, pageOf(path, "entry")));
    const store = await openSqliteStore({ path, decide });
    expect(await store.findDamage()).toContain("Tree");
    const reason = expect.stringContaining("malformed");
    const journal = () => store.journals.entries("default", { limit: 9, after: null });
    expect(await catchThrown(journal())).toMatchObject({ code: "store_unavailable", details: { reason } });
    for (const work of [store.ready(), store.account("default"), journal()])
      expect(await catchThrown(work)).toMatchObject({ code: "store_unavailable" });
    expect(await catchThrown(store.ready())).toMatchObject({
      details: { reason: expect.stringMatching(/damaged .*backup/) },
    });
    writeFileSync(path, sound);
    await store.ready();
    expect((await journal()).length).toBe(1);
    expect(await store.findDamage()).toBeNull();
    await store.close();
    remove(path);
  });

  test("a start that fails on it says so, and what helps", async () => {
    const path = newPath();
    await (await openSqliteStore({ path, decide })).close();
    writeFileSync(path, damagedAt(readFileSync(path), pageOf(path, "setting")));
    const thrown = await catchThrown(openStore(`sqlite:${path}`, undefined));
    expect(String(thrown)).toMatch(/malformed.*poundkey restore FILE/);
    remove(path);
  });

  test("a write-ahead log without its database is not discarded at the start", async () => {
    const path = newPath();
    const store = await openSqliteStore({ path, decide });
    copyFileSync(`${path}-wal`, `${path}-kept`);
    await store.close();
    rmSync(path);
    renameSync(`${path}-kept`, `${path}-wal`);
    const log = readFileSync(`${path}-wal`);
    for (let tries = 0; tries < 2; tries++) {
      expect(String(await catchThrown(openSqliteStore({ path, decide })))).toContain("its log (-wal) exists");
    }
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
    remove(path);
  });

  test("a process's lock is a single file, so a killed one leaves no other behind", async () => {
    const path = newPath();
    const store = await openSqliteStore({ path, decide });
    await store.beat();
    const locks = readdirSync(dirname(path)).filter((name) => name.includes(store.node));
    expect(locks).toEqual([`poundkey.db-${store.node}`]);
    await store.close();
    remove(path);
  });

  test("a store closes even if its lock file can't be removed", async () => {
    const path = newPath();
    const store = await openSqliteStore({ path, decide });
    await store.beat();
    const lock = `${path}-${store.node}`;
    rmSync(lock);
    mkdirSync(lock);
    await store.close();
    remove(path);
  });
});

test("earlier demands don't prolong the wait behind a stuck lock", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "poundkey-file-")), "poundkey.db");
  const lockWaitMs = 3000;
  const store = await openSqliteStore({ path, decide, lockWaitMs });
  const fund = (id: string) =>
    topUp(store, { accountId: "default", id, nanoUsd: 1, note: null, entry: null, nowMs: 0 });
  const holder = new Database(path);
  holder.run("BEGIN IMMEDIATE");
  const first = catchThrown(fund("first"));
  await Bun.sleep(lockWaitMs / 10);
  const second = catchThrown(fund("second"));
  expect(readCode(await first)).toBe("store_unavailable");
  expect(readCode(await Promise.race([second, Bun.sleep(lockWaitMs * 0.9)]))).toBe("store_unavailable");
  holder.close();
  await store.close();
  rmSync(dirname(path), { recursive: true });
});
