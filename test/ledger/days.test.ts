// The allowance over time: days of any length and zone, clock changes, slots to the millisecond, restarts.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../src/core/faults/fault.ts";
import type { Meter } from "../../src/core/rows.ts";
import type { QuotaRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import type { Ledger, Ticket } from "../../src/ledger/ledger.ts";
import { computeDay } from "../../src/ledger/limits/day.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import {
  DAY,
  expectGrant,
  HOUR,
  ledgerOn,
  MINUTE,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
  QUOTA,
  standingClock,
} from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";

const key = makeKey("key_a", { requestsPerDay: 3 });
const clock = standingClock(NOON);
let folder: string;
let store: Store;
let ledger: Ledger;
let count = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-days-"));
  writeEmptyStore(join(folder, "poundkey.db"));
  await open();
  await unrecorded(store).addKey(key, "digest");
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A new process on the same file. */
async function open(quota: Partial<QuotaRules> = {}): Promise<void> {
  store = await openSqliteStore({ path: join(folder, "poundkey.db"), decide });
  await store.beat();
  ledger = ledgerOn(store, { clock, quota });
}

/** Admits a request at a given time. Returns the ticket, or the fault that refused it. */
async function askAt(atMs: number): Promise<Ticket & { readonly kind: string }> {
  clock.atMs = atMs;
  const ticket = ledger.ticket(makeAsk(`request ${count++}`, key, { nowMs: atMs }));
  const { place } = await expectGrant(ledger, ticket);
  return { ...ticket, kind: place.kind };
}

async function refusedAt(atMs: number): Promise<Fault> {
  const thrown = await askAt(atMs).then(
    ({ kind }) => new Error(`It was let in by ${kind}.`),
    (error: unknown) => error,
  );
  if (thrown instanceof Fault && thrown.code === "rate_limit_exceeded") return thrown;
  throw thrown;
}

/** It was not answered. */
function giveBack(ticket: Ticket) {
  return ledger.settle(ticket, makeOutcome(ticket, {}, false));
}

async function readMeters(store: Store, reads: Ticket["reads"]): Promise<readonly Meter[]> {
  const { accountId, owners, days } = reads;
  const { page } = await store.read(reads);
  return owners.flatMap((owner) => days.flatMap((day) => page(accountId, owner).meter(day).row ?? []));
}

async function usedAt(atMs: number): Promise<number> {
  clock.atMs = atMs;
  return (await ledger.allowance(key)).used;
}

describe("days of any length", () => {
  const rows: readonly [timeZone: string, dayStarts: number, noon: string, hours: number][] = [
    ["UTC", 0, "2026-11-20T12:00:00Z", 24],
    ["Europe/Berlin", 0, "2026-03-29T10:00:00Z", 23],
    ["Europe/Berlin", 0, "2026-10-25T11:00:00Z", 25],
    ["America/New_York", 0, "2026-03-08T16:00:00Z", 23],
    ["America/New_York", 0, "2026-11-01T17:00:00Z", 25],
    ["America/New_York", 150, "2026-11-01T17:00:00Z", 24],
    ["Asia/Kolkata", 0, "2026-03-29T06:30:00Z", 24],
    ["Asia/Kolkata", 330, "2026-03-29T06:30:00Z", 24],
    ["Australia/Lord_Howe", 0, "2026-04-05T01:00:00Z", 24.5],
    ["Australia/Lord_Howe", 0, "2026-10-04T01:00:00Z", 23.5],
  ];
  for (const [timeZone, dayStartsMinutes, noon, hours] of rows) {
    const quota = { timeZone, dayStartsMinutes, throttleMs: 0 };
    const { startMs, endMs } = computeDay(Date.parse(noon), { ...QUOTA, ...quota });

    test(`${hours} hours in ${timeZone} from minute ${dayStartsMinutes}: exactly the allowance is admitted`, async () => {
      await store.close();
      await open(quota);
      expect((endMs - startMs) / HOUR).toBe(hours);
      expect(await usedAt(startMs)).toBe(0);
      await askAt(startMs);
      await askAt(startMs + 2.75 * HOUR);
      await askAt(endMs - 1);
      const { details } = await refusedAt(endMs - 1);
      expect([details.resetAtMs, details.retryAfterMs]).toEqual([endMs, 1]);
      expect((await refusedAt(startMs)).details.limits).toEqual({
        limit: 3,
        remaining: 0,
        resetMs: endMs - startMs,
      });
      for (const atMs of [endMs, endMs, endMs + 1]) expect((await askAt(atMs)).kind).toBe("allowance");
      await refusedAt(endMs + 20 * HOUR);
    });

    test(`${hours} hours in ${timeZone} from minute ${dayStartsMinutes}: places go back to their own day`, async () => {
      await store.close();
      await open(quota);
      const before = await askAt(startMs - 1);
      const first = await askAt(startMs);
      const last = await askAt(endMs - 1);
      const after = await askAt(endMs);
      const usedThen = async () =>
        (await readMeters(store, first.reads)).flatMap(({ day, used }) =>
          day >= computeDay(startMs, { ...QUOTA, ...quota }).name ? [used] : [],
        );
      expect(await usedThen()).toEqual([2, 1]);
      clock.atMs = endMs + 5;
      // Earlier days are deleted: rows that are not read are missing.
      await unrecorded(store).changeAccount("default", { name: "renamed" });
      await giveBack(last);
      expect(await usedThen()).toEqual([1, 1]);
      await giveBack(before);
      expect(await usedThen()).toEqual([1, 1]);
      await giveBack(after);
      expect(await usedThen()).toEqual([1, 0]);
      clock.atMs = endMs + 3 * DAY;
      await giveBack(first);
      expect(await usedThen()).toEqual([0, 0]);
    });
  }

  test("a repeated hour counts twice within one day", async () => {
    await store.close();
    await open({ timeZone: "Europe/Berlin", throttleMs: 0 });
    // 02:30 in summer time, 02:30 in winter time.
    for (const atMs of ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]) await askAt(Date.parse(atMs));
    expect(await usedAt(Date.parse("2026-10-25T22:59:59Z"))).toBe(2);
    expect(await usedAt(Date.parse("2026-10-25T23:00:00Z"))).toBe(0);
  });
});

describe("clocks that jump", () => {
  const MIDNIGHT = Date.UTC(2026, 10, 21);

  test("back over midnight: requests still belong to the day that has begun, and go back to it", async () => {
    await askAt(MIDNIGHT + 1);
    const early = await askAt(MIDNIGHT - HOUR);
    expect(await usedAt(MIDNIGHT + 1)).toBe(2);
    await giveBack(early);
    expect([await usedAt(MIDNIGHT + 1), await usedAt(MIDNIGHT - HOUR)]).toEqual([1, 1]);
    await askAt(MIDNIGHT - HOUR);
    await askAt(MIDNIGHT + HOUR);
    expect((await refusedAt(MIDNIGHT - HOUR)).details.resetAtMs).toBe(MIDNIGHT + HOUR + 10 * MINUTE);
  });

  test("forward and back: each day's places are given once, and those taken in the future don't count here", async () => {
    for (const atMs of [NOON, NOON + 5 * DAY, NOON + 5 * DAY, NOON + 5 * DAY]) await askAt(atMs);
    await refusedAt(NOON + 5 * DAY);
    expect(await usedAt(NOON)).toBe(1);
    await askAt(NOON + MINUTE);
    await askAt(NOON + MINUTE);
    expect((await refusedAt(NOON + MINUTE)).details.resetAtMs).toBe(NOON + 11 * MINUTE);
    expect((await refusedAt(NOON + 5 * DAY + MINUTE)).details.resetAtMs).toBe(NOON + 5 * DAY + 10 * MINUTE);
  });

  test("back between admission and settlement: the place is still given back", async () => {
    const taken = await askAt(NOON);
    clock.atMs = NOON - 40 * DAY;
    await giveBack(taken);
    expect(await usedAt(NOON)).toBe(0);
  });

  test("back before a returned slot: the slot before it counts again", async () => {
    for (const atMs of [NOON, NOON, NOON, NOON + 10 * MINUTE]) await askAt(atMs);
    await giveBack(await askAt(NOON + 20 * MINUTE));
    expect((await refusedAt(NOON + 15 * MINUTE)).details.resetAtMs).toBe(NOON + 20 * MINUTE);
  });

  test("back within the day: the throttle counts from the latest time seen", async () => {
    for (const atMs of [NOON - HOUR, NOON, NOON - HOUR]) await askAt(atMs);
    expect((await refusedAt(NOON - HOUR)).details.resetAtMs).toBe(NOON + 10 * MINUTE);
    expect((await askAt(NOON + 10 * MINUTE)).kind).toBe("throttle");
    expect((await refusedAt(NOON)).details.resetAtMs).toBe(NOON + 20 * MINUTE);
  });
});

describe("throttle slots", () => {
  const used = async () => {
    for (const atMs of [NOON - HOUR, NOON - 1, NOON]) await askAt(atMs);
  };

  test("are exact to the millisecond", async () => {
    await used();
    let slotMs = NOON + 10 * MINUTE;
    // A slot taken late delays the next one as much.
    for (const lateMs of [0, 1, 7, 0]) {
      expect((await refusedAt(slotMs - 1)).details).toMatchObject({ retryAfterMs: 1, resetAtMs: slotMs });
      expect((await ledger.allowance(key)).nextSlotAtMs).toBe(slotMs);
      expect((await askAt(slotMs + lateMs)).kind).toBe("throttle");
      slotMs += lateMs + 10 * MINUTE;
      expect((await refusedAt(slotMs - 10 * MINUTE)).details.resetAtMs).toBe(slotMs);
    }
  });

  test("are available immediately when given back, and the one before counts again", async () => {
    await used();
    const first = await askAt(NOON + 10 * MINUTE);
    const second = await askAt(NOON + 25 * MINUTE);
    await refusedAt(NOON + 35 * MINUTE - 1);
    await giveBack(second);
    const third = await askAt(NOON + 25 * MINUTE + 1);
    await giveBack(first);
    await refusedAt(NOON + 35 * MINUTE);
    await giveBack(third);
    expect((await askAt(NOON + 26 * MINUTE)).kind).toBe("throttle");
  });

  test("are skipped if the next day starts sooner, and each day has its own", async () => {
    const midnight = Date.UTC(2026, 10, 21);
    for (const atMs of [midnight - 3, midnight - 2, midnight - 1]) await askAt(atMs);
    expect((await refusedAt(midnight - 1)).details.resetAtMs).toBe(midnight);
    for (let taken = 0; taken < 3; taken++) expect((await askAt(midnight)).kind).toBe("allowance");
    await refusedAt(midnight + 10 * MINUTE - 1);
    expect((await askAt(midnight + 10 * MINUTE)).kind).toBe("throttle");
  });
});

describe("restarts", () => {
  const restart = async () => {
    await store.close();
    await open();
  };

  test("keep the count, the slot and the refusal", async () => {
    await askAt(NOON);
    await restart();
    await askAt(NOON + 1);
    await askAt(NOON + 2);
    await restart();
    expect((await refusedAt(NOON + 3)).details.resetAtMs).toBe(NOON + 2 + 10 * MINUTE);
    expect((await askAt(NOON + 2 + 10 * MINUTE)).kind).toBe("throttle");
    await restart();
    expect((await refusedAt(NOON + 12 * MINUTE)).details.resetAtMs).toBe(NOON + 2 + 20 * MINUTE);
  });

  test("give back what the previous process left open, to the day of its admission", async () => {
    const midnight = Date.UTC(2026, 10, 21);
    await askAt(midnight - 1);
    const ended = await askAt(midnight - 1);
    await askAt(midnight);
    await ledger.settle(ended, makeOutcome(ended));
    await restart();
    clock.atMs = midnight + HOUR;
    expect(await ledger.resolveLost()).toBe(2);
    expect(await usedAt(midnight + HOUR)).toBe(0);
    const [yesterday] = await readMeters(store, ended.reads);
    expect(yesterday).toMatchObject({ day: "2026-11-20", used: 1 });
  });

  test("make a later settlement late, and give nothing back twice", async () => {
    const taken = await askAt(NOON);
    await restart();
    await ledger.resolveLost();
    await askAt(NOON + 1);
    expect((await giveBack(taken)).late).toBe(true);
    expect(await usedAt(NOON + 2)).toBe(1);
  });
});
