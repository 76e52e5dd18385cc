// Old rows of tables without an index of their times: all go, and no other.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { DAY, NOON } from "../harness/samples.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";

/** More than are looked at in two parts, and no multiple of one. */
const OWNERS = 1203;

let folder: string;
let store: Store;
let raw: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-sweep-"));
  const path = join(folder, "poundkey.db");
  writeEmptyStore(path);
  store = await openSqliteStore({ path, decide });
  await store.beat();
  raw = new Database(path);
});
afterEach(async () => {
  raw.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Adds a day's count of each owner, of which those whose number `isOld` are a week old. */
function addMeters(isOld: (at: number) => boolean): void {
  const add = raw.prepare(
    "INSERT INTO meter (account_id, owner, day, used, last_at_ms) VALUES (?, ?, ?, 1, ?)",
  );
  raw.transaction(() => {
    for (let at = 0; at < OWNERS; at++)
      add.run(`acct_${at % 3}`, `key_${at}`, "2026-11-20", isOld(at) ? NOON - 7 * DAY : NOON);
  })();
}

const prune = () => store.prune({ requestsMs: 0, metersMs: NOON, repliesMs: 0 }, 10);
const owners = () =>
  raw
    .query<{ owner: string }, []>("SELECT owner FROM meter")
    .all()
    .map(({ owner }) => Number(owner.slice(4)))
    .toSorted((a, b) => a - b);

test.each([
  ["every third", (at: number) => at % 3 === 1],
  ["all but one", (at: number) => at !== 700],
  ["all", () => true],
  ["none", () => false],
])("%s of the counts of days is old: those go, and no other", async (_, isOld) => {
  addMeters(isOld);
  await prune();
  expect(owners()).toEqual(Array.from({ length: OWNERS }, (_, at) => at).filter((at) => !isOld(at)));
});
