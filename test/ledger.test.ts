// The ledger on a store in memory: days, allowance, throttle, giving back, prices.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ErrorBody, errorBody, Fault } from "../src/core/fault.ts";
import type { GatewayKey } from "../src/core/key.ts";
import type { BillingRules, QuotaRules } from "../src/core/settings.ts";
import type { Store } from "../src/core/store.ts";
import { inWords } from "../src/ledger/allowance.ts";
import { dayAfter, dayOf, monthStartMs } from "../src/ledger/day.ts";
import { decide } from "../src/ledger/decide.ts";
import { createLedger, type Grant, type Ledger } from "../src/ledger/ledger.ts";
import { cost, linesOf, tokensOf } from "../src/ledger/price.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { BILLING, DAY, HOUR, keyOf, MINUTE, NOON, QUOTA, recordOf, standingClock } from "./samples.ts";

const MIDNIGHT = Date.UTC(2026, 10, 21);

describe("days", () => {
  const rows: readonly [
    zone: string,
    minutes: number,
    at: string,
    name: string,
    start: string,
    hours: number,
  ][] = [
    ["UTC", 0, "2026-11-20T23:59:59.999Z", "2026-11-20", "2026-11-20T00:00:00Z", 24],
    ["UTC", 0, "2026-11-21T00:00:00Z", "2026-11-21", "2026-11-21T00:00:00Z", 24],
    ["UTC", 330, "2026-11-20T05:29:59Z", "2026-11-19", "2026-11-19T05:30:00Z", 24],
    ["Asia/Kolkata", 0, "2026-11-20T18:30:00Z", "2026-11-21", "2026-11-20T18:30:00Z", 24],
    ["Asia/Tokyo", 540, "2026-11-20T00:00:00Z", "2026-11-20", "2026-11-20T00:00:00Z", 24],
    ["Pacific/Kiritimati", 0, "2026-11-20T10:00:00Z", "2026-11-21", "2026-11-20T10:00:00Z", 24],
    ["Europe/Berlin", 0, "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin", 0, "2026-10-25T12:00:00Z", "2026-10-25", "2026-10-24T22:00:00Z", 25],
    // 02:30 does not exist on that day: it begins when the clocks skip it.
    ["Europe/Berlin", 150, "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-29T01:00:00Z", 23.5],
    // 02:30 comes twice on that day: it begins at the first.
    ["Europe/Berlin", 150, "2026-10-25T01:10:00Z", "2026-10-25", "2026-10-25T00:30:00Z", 25],
    // Clocks go from 24:00 back to 23:00, so midnight comes an hour late.
    ["America/Sao_Paulo", 0, "2018-02-18T02:30:00Z", "2018-02-17", "2018-02-17T02:00:00Z", 25],
    // Midnight does not exist on that day.
    ["America/Sao_Paulo", 0, "2018-11-04T12:00:00Z", "2018-11-04", "2018-11-04T03:00:00Z", 23],
    // The whole of the 30th was skipped.
    ["Pacific/Apia", 0, "2011-12-30T10:00:00Z", "2011-12-31", "2011-12-30T10:00:00Z", 24],
  ];
  for (const [timeZone, dayStartsMinutes, at, name, start, hours] of rows) {
    test(`${at} in ${timeZone}, days from minute ${dayStartsMinutes}`, () => {
      const day = dayOf(Date.parse(at), { timeZone, dayStartsMinutes });
      expect(day.name).toBe(name);
      expect(new Date(day.startMs).toISOString()).toBe(new Date(start).toISOString());
      expect((day.endMs - day.startMs) / HOUR).toBe(hours);
    });
  }

  test("follow each other without a gap for years, in any zone", () => {
    for (const timeZone of [
      "America/New_York",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "Asia/Kathmandu",
    ]) {
      const rules = { timeZone, dayStartsMinutes: 0 };
      let day = dayOf(Date.UTC(2025, 0, 1), rules);
      for (let count = 0; count < 800; count++) {
        const next = dayAfter(day, rules);
        expect(next.startMs).toBe(day.endMs);
        expect(next.name > day.name).toBe(true);
        day = next;
      }
    }
  });

  test("a month begins with its first day", () => {
    const rules = { timeZone: "Europe/Berlin", dayStartsMinutes: 60 };
    expect(monthStartMs(Date.parse("2026-11-20T12:00:00Z"), rules)).toBe(Date.parse("2026-11-01T00:00:00Z"));
  });
});

describe("admission", () => {
  const key = keyOf("key_a");
  const clock = standingClock(NOON);
  let rules: { quota: QuotaRules; billing: BillingRules };
  let store: Store;
  let ledger: Ledger;
  let count = 0;

  beforeEach(async () => {
    clock.atMs = NOON;
    rules = { quota: QUOTA, billing: BILLING };
    store = await openSqliteStore({ path: ":memory:", decide });
    await store.addKey(key, "digest a");
    ledger = createLedger({ store, clock, rules: () => rules });
  });
  afterEach(() => store.close());

  const admit = (by: GatewayKey = key): Promise<Grant> => ledger.admit({ id: `request ${count++}`, key: by });
  const end = (grant: Grant, counted: boolean): Promise<void> =>
    ledger.settle(grant, { counted, record: recordOf(grant.id, { atMs: grant.atMs }) });

  async function admitMany(
    times: number,
    by: GatewayKey = key,
  ): Promise<{ grants: Grant[]; faults: Fault[] }> {
    const results = await Promise.allSettled(Array.from({ length: times }, () => admit(by)));
    return {
      grants: results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
      faults: results.flatMap((result) =>
        result.status === "rejected" && result.reason instanceof Fault ? [result.reason] : [],
      ),
    };
  }

  async function refusal(by: GatewayKey = key): Promise<Fault> {
    const { grants, faults } = await admitMany(1, by);
    expect(grants).toEqual([]);
    return faults[0] ?? new Fault("internal_error", "none");
  }

  test("exactly 200 of 1,000 parallel requests pass", async () => {
    const { grants, faults } = await admitMany(1000);
    expect(grants.length).toBe(200);
    expect(faults.length).toBe(800);
    expect(new Set(faults.map((fault) => fault.code))).toEqual(new Set(["rate_limit_exceeded"]));
    expect(grants.map((grant) => grant.limits?.remaining)).toEqual(
      Array.from({ length: 200 }, (_, i) => 199 - i),
    );
    expect(grants[0]?.limits).toEqual({ limit: 200, remaining: 199, resetMs: 12 * HOUR });
  });

  test("the refusal says when the next one passes, in words and numbers", async () => {
    await admitMany(200);
    clock.atMs += 90_500;
    const fault = await refusal();
    expect(fault.details.retryAfterMs).toBe(10 * MINUTE - 90_500);
    expect(fault.details.resetAtMs).toBe(NOON + 10 * MINUTE);
    expect(fault.message).toBe(
      "The day's allowance of requests (200) is used up. After it, one request every 10 minutes is let through. The next one passes in 8 minutes 30 seconds.",
    );
    const shown: ErrorBody = errorBody(fault);
    expect(shown.error.reset_at).toBe("2026-11-20T12:10:00.000Z");
  });

  test("a retry at the second that was named passes, and not before", async () => {
    await admitMany(200);
    clock.atMs += 1;
    const { retryAfterMs = 0 } = (await refusal()).details;
    const refusedAtMs = clock.atMs;
    clock.atMs = refusedAtMs + retryAfterMs - 1;
    await refusal();
    clock.atMs = refusedAtMs + Math.ceil(retryAfterMs / 1000) * 1000;
    expect((await admit()).place.kind).toBe("throttle");
  });

  test("then one per 10 minutes, the first 10 minutes after the 200th", async () => {
    await admitMany(199);
    clock.atMs += 3 * MINUTE;
    await admit();
    const passed: number[] = [];
    for (let minute = 1; minute <= 60; minute++) {
      clock.atMs = NOON + (3 + minute) * MINUTE;
      const { grants } = await admitMany(5);
      if (grants.length > 0) passed.push(minute);
      expect(grants.length).toBeLessThanOrEqual(1);
    }
    expect(passed).toEqual([10, 20, 30, 40, 50, 60]);
  });

  test("an unused slot is not saved up", async () => {
    await admitMany(200);
    clock.atMs += 35 * MINUTE;
    expect((await admitMany(3)).grants.length).toBe(1);
    clock.atMs += 10 * MINUTE;
    expect((await admitMany(3)).grants.length).toBe(1);
  });

  test("the next day's start comes before the next slot near midnight", async () => {
    clock.atMs = MIDNIGHT - 4 * MINUTE;
    await admitMany(200);
    const fault = await refusal();
    expect(fault.details.resetAtMs).toBe(MIDNIGHT);
    clock.atMs = MIDNIGHT - 1;
    await refusal();
    clock.atMs = MIDNIGHT;
    expect((await admitMany(300)).grants.length).toBe(200);
  });

  test("without a throttle nothing passes until the next day", async () => {
    rules = { ...rules, quota: { ...QUOTA, throttleMs: 0 } };
    await admitMany(200);
    clock.atMs = MIDNIGHT - 1;
    const fault = await refusal();
    expect(fault.details.retryAfterMs).toBe(1);
    expect(fault.message).not.toContain("every");
  });

  test("a clock set back hands out no second allowance", async () => {
    clock.atMs = MIDNIGHT + HOUR;
    expect((await admitMany(250)).grants.length).toBe(200);
    clock.atMs = MIDNIGHT - 1;
    expect((await admitMany(250)).grants.length).toBe(0);
    clock.atMs = MIDNIGHT + HOUR + 10 * MINUTE;
    expect((await admitMany(250)).grants.map((grant) => grant.place.kind)).toEqual(["throttle"]);
  });

  test("a clock that was years ahead for a moment takes no days away, and gives none twice", async () => {
    await admitMany(150);
    clock.atMs = NOON + 1000 * DAY;
    await admitMany(250);
    clock.atMs += 10 * MINUTE;
    expect((await admit()).place.kind).toBe("throttle");
    clock.atMs = NOON + MINUTE;
    expect((await admitMany(250)).grants.length).toBe(50);
    clock.atMs += 10 * MINUTE;
    expect((await admit()).place.kind).toBe("throttle");
  });

  test("each key has its own allowance, under the account's scope they share one", async () => {
    const other = keyOf("key_b");
    const own = keyOf("key_c", { requestsPerDay: 3 });
    await store.addKey(other, "digest b");
    await store.addKey(own, "digest c");
    await admitMany(150);
    expect((await admitMany(250, other)).grants.length).toBe(200);
    rules = { ...rules, quota: { ...QUOTA, scope: "account" } };
    expect((await admitMany(150)).grants.length).toBe(150);
    expect((await admitMany(150, other)).grants.length).toBe(50);
    expect((await admitMany(5, own)).grants.length).toBe(3);
  });

  test("a key's own limit counts, none is unlimited, and 0 leaves only the throttle", async () => {
    const few = keyOf("key_few", { requestsPerDay: 2 });
    const all = keyOf("key_all", { requestsPerDay: null });
    const nothing = keyOf("key_nothing", { requestsPerDay: 0 });
    for (const one of [few, all, nothing]) await store.addKey(one, `digest ${one.id}`);
    expect((await admitMany(9, few)).grants.length).toBe(2);
    const { grants } = await admitMany(500, all);
    expect(grants.length).toBe(500);
    expect(grants[0]).toMatchObject({ place: { kind: "unlimited" }, limits: null });
    clock.atMs = MIDNIGHT - MINUTE;
    expect((await admitMany(9, nothing)).grants.length).toBe(1);
    clock.atMs = MIDNIGHT + MINUTE;
    expect((await admitMany(9, nothing)).grants.length).toBe(0);
    clock.atMs = MIDNIGHT + 9 * MINUTE;
    expect((await admitMany(9, nothing)).grants.length).toBe(1);
  });

  test("revoked, expired and unknown keys are refused alike", async () => {
    const expiring = keyOf("key_e", { expiresAtMs: NOON + 1 });
    await store.addKey(expiring, "digest e");
    await admit(expiring);
    clock.atMs = NOON + 1;
    await store.revokeKey(key.id, clock.atMs);
    const faults = [await refusal(), await refusal(expiring), await refusal(keyOf("key_unknown"))];
    expect(new Set(faults.map(({ code, message }) => `${code} ${message}`)).size).toBe(1);
    expect(faults[0]?.row.status).toBe(401);
  });

  test("where every request is paid for, none passes without a balance", async () => {
    rules = { ...rules, billing: { charge: "always", markup: 1 } };
    const fault = await refusal(keyOf("key_a", { requestsPerDay: null }));
    expect([fault.row.status, fault.code]).toEqual([402, "insufficient_balance"]);
    expect(await ledger.allowance(key)).toMatchObject({ limit: 0, remaining: 0, nextSlotAtMs: null });
  });

  test("a request that nobody answered gives its place back, once", async () => {
    const { grants } = await admitMany(200);
    await refusal();
    const [first, second] = grants;
    if (!first || !second) throw new Error("no grants");
    await Promise.all([end(first, false), end(first, false), end(second, true)]);
    await end(first, false);
    expect((await admitMany(9)).grants.length).toBe(1);
  });

  test("the place goes back to the day that it was taken from", async () => {
    clock.atMs = MIDNIGHT - 1;
    const grant = await admit();
    clock.atMs = MIDNIGHT + 1;
    await admitMany(5);
    await end(grant, false);
    expect((await ledger.allowance(key)).used).toBe(5);
    clock.atMs = MIDNIGHT - 1;
    expect((await ledger.allowance(key)).used).toBe(5);
  });

  test("the throttle's slot goes back only while it is still the one that was taken", async () => {
    await admitMany(200);
    clock.atMs += 10 * MINUTE;
    const first = await admit();
    await end(first, false);
    const second = await admit();
    await end(first, false);
    await refusal();
    clock.atMs += 10 * MINUTE;
    const third = await admit();
    await end(second, false);
    await refusal();
    await end(third, false);
    expect((await admit()).place.kind).toBe("throttle");
  });

  test("the allowance is told as it stands", async () => {
    expect(await ledger.allowance(key)).toEqual({
      limit: 200,
      used: 0,
      remaining: 200,
      resetsAtMs: MIDNIGHT,
      nextSlotAtMs: null,
    });
    await admitMany(200);
    clock.atMs += MINUTE;
    expect(await ledger.allowance(key)).toMatchObject({
      used: 200,
      remaining: 0,
      nextSlotAtMs: NOON + 10 * MINUTE,
    });
    const unlimited = await ledger.allowance(keyOf("key_a", { requestsPerDay: null }));
    expect(unlimited).toMatchObject({ limit: null, remaining: null, nextSlotAtMs: null });
  });

  test("a refused request is written without taking a place", async () => {
    await ledger.record(recordOf("refused", { modelUsed: null, status: 404, ended: "refused" }));
    expect((await store.request("refused"))?.status).toBe(404);
    expect((await ledger.allowance(key)).used).toBe(0);
  });
});

describe("prices", () => {
  const tokens = { prompt: 1000, completion: 400, cached: 300, cacheWrite: 100, reasoning: 150, searches: 2 };

  test("a usage report becomes counts whose parts never exceed their whole", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 9 },
      server_tool_use: { web_search_requests: 1 },
    };
    expect(tokensOf(usage)).toEqual({
      prompt: 10,
      completion: 5,
      cached: 8,
      cacheWrite: 2,
      reasoning: 5,
      searches: 1,
    });
  });

  test("each kind of token has its rate, a missing one falls back to its kind's", () => {
    const full = {
      input: 2,
      output: 8,
      cachedInput: 0.5,
      cacheWrite: 2.5,
      reasoning: 12,
      perRequest: 0.005,
      perSearch: 0.01,
    };
    // 600 × 2 + 300 × 0.5 + 100 × 2.5 + 250 × 8 + 150 × 12 = 5,400 µUSD, and 0.025 USD for the request and two searches.
    expect(cost(full, tokens, 1)).toBe(5_400_000 + 25_000_000);
    // 1000 × 2 + 400 × 8 = 5,200 µUSD.
    expect(cost({ input: 2, output: 8 }, tokens, 1)).toBe(5_200_000);
    expect(linesOf({ input: 2, output: 8 }, tokens).map((line) => line.what)).toEqual([
      "input",
      "cached input",
      "cache write",
      "output",
      "reasoning",
    ]);
  });

  test("a long prompt is priced whole at the highest tier that it passes", () => {
    const price = {
      input: 1,
      output: 2,
      cachedInput: 0.1,
      tiers: [
        { aboveTokens: 2000, input: 100, output: 100 },
        { aboveTokens: 500, input: 10, output: 20 },
        { aboveTokens: 1000, input: 1000, output: 1000 },
      ],
    };
    expect(cost(price, tokens, 1)).toBe((1000 * 10 + 400 * 20) * 1000);
    expect(cost(price, { ...tokens, prompt: 500, cacheWrite: 0 }, 1)).toBe((200 + 30 + 800) * 1000);
  });

  test("the sum is rounded up once, after the markup; no price costs nothing", () => {
    const one = { prompt: 1, completion: 1, cached: 0, cacheWrite: 0, reasoning: 0, searches: 0 };
    expect(cost({ input: 0.0001, output: 0.0001 }, one, 1)).toBe(1);
    expect(cost({ input: 0.15, output: 0.6 }, one, 1.05)).toBe(788);
    expect(cost(null, tokens, 1)).toBe(0);
  });
});

test("spans are told in their two greatest units", () => {
  expect([1, 1000, 61_000, 3_600_000, 90_061_000].map(inWords)).toEqual([
    "1 second",
    "1 second",
    "1 minute 1 second",
    "1 hour",
    "1 day 1 hour",
  ]);
});
