// The ledger on an in-memory store: allowance, throttle, refusals, giving back.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { GrantAnswer } from "../../src/core/demand.ts";
import { type ErrorBody, errorBody, Fault } from "../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { BillingRules, QuotaRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { describeDuration } from "../../src/ledger/duration.ts";
import { createLedger, type Ledger, type Ticket } from "../../src/ledger/ledger.ts";
import {
  BILLING,
  DAY,
  expectGrant,
  give,
  HOUR,
  MINUTE,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
  openMemoryStore,
  QUOTA,
  standingClock,
} from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";

const MIDNIGHT = Date.UTC(2026, 10, 21);

describe("admission", () => {
  const key = makeKey("key_a");
  const clock = standingClock(NOON);
  let rules: { quota: QuotaRules; billing: BillingRules };
  let store: Store;
  let ledger: Ledger;
  let count = 0;

  beforeEach(async () => {
    clock.atMs = NOON;
    rules = { quota: QUOTA, billing: BILLING };
    store = await openMemoryStore(key);
    ledger = createLedger({ store, clock, rules: () => rules });
  });
  afterEach(() => store.close());

  type Grant = GrantAnswer & { readonly ticket: Ticket };
  const admit = async (by: GatewayKey = key): Promise<Grant> => {
    const ticket = ledger.ticket(makeAsk(`request ${count++}`, by, { nowMs: clock.atMs }));
    return { ...(await expectGrant(ledger, ticket)), ticket };
  };
  const end = ({ ticket }: Grant, counted: boolean) =>
    ledger.settle(ticket, makeOutcome(ticket, {}, counted));

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

  test("a request that is free whatever it costs is asked for its worst case only where the allowance ends", async () => {
    let made = 0;
    const asked = async (free: QuotaRules["free"]) => {
      rules = { quota: { ...QUOTA, requestsPerDay: 1, free }, billing: BILLING };
      made = 0;
      const offers = () => {
        made++;
        return [];
      };
      const ticket = ledger.ticket(makeAsk(`asked ${count++}`, key, { nowMs: clock.atMs, offers }));
      await ledger.admit(ticket).catch(() => {});
      return made;
    };
    expect(await asked({ models: ["*"], budgetNanoUsd: null })).toBe(0);
    expect(await asked({ models: ["*"], budgetNanoUsd: null })).toBe(1);
    clock.atMs += DAY;
    expect(await asked({ models: ["*"], budgetNanoUsd: 1000 })).toBe(1);
  });

  test("a refusal says when the next request is admitted, in words and numbers", async () => {
    await admitMany(200);
    clock.atMs += 90_500;
    const fault = await refusal();
    expect(fault.details.retryAfterMs).toBe(10 * MINUTE - 90_500);
    expect(fault.details.resetAtMs).toBe(NOON + 10 * MINUTE);
    expect(fault.message).toBe(
      "The daily request allowance (200) is used up. Beyond it, one request is allowed every 10 minutes. Try again in 8 minutes 30 seconds.",
    );
    const shown: ErrorBody = errorBody(fault);
    expect(shown.error.reset_at).toBe("2026-11-20T12:10:00.000Z");
  });

  test("a retry at the announced second is admitted, and not before", async () => {
    await admitMany(200);
    clock.atMs += 1;
    const { retryAfterMs = 0 } = (await refusal()).details;
    const refusedAtMs = clock.atMs;
    clock.atMs = refusedAtMs + retryAfterMs - 1;
    await refusal();
    clock.atMs = refusedAtMs + Math.ceil(retryAfterMs / 1000) * 1000;
    expect((await admit()).place.kind).toBe("throttle");
  });

  test("then one is admitted per 10 minutes, the first 10 minutes after the 200th", async () => {
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

  test("near midnight the next day starts before the next slot", async () => {
    clock.atMs = MIDNIGHT - 4 * MINUTE;
    await admitMany(200);
    const fault = await refusal();
    expect(fault.details.resetAtMs).toBe(MIDNIGHT);
    clock.atMs = MIDNIGHT - 1;
    await refusal();
    clock.atMs = MIDNIGHT;
    expect((await admitMany(300)).grants.length).toBe(200);
  });

  test("without a throttle nothing is admitted until the next day", async () => {
    rules = { ...rules, quota: { ...QUOTA, throttleMs: 0 } };
    await admitMany(200);
    clock.atMs = MIDNIGHT - 1;
    const fault = await refusal();
    expect(fault.details.retryAfterMs).toBe(1);
    expect(fault.message).not.toContain("every");
  });

  test("setting the clock back gives no second allowance", async () => {
    clock.atMs = MIDNIGHT + HOUR;
    expect((await admitMany(250)).grants.length).toBe(200);
    clock.atMs = MIDNIGHT - 1;
    expect((await admitMany(250)).grants.length).toBe(0);
    expect((await refusal()).details.resetAtMs).toBe(MIDNIGHT + HOUR + 10 * MINUTE);
    clock.atMs = MIDNIGHT + HOUR + 10 * MINUTE;
    expect((await admitMany(250)).grants.map((grant) => grant.place.kind)).toEqual(["throttle"]);
  });

  test("a clock that was briefly years ahead costs no day and repeats none", async () => {
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

  test("each key has its own allowance, or the account's keys share one", async () => {
    const other = makeKey("key_b");
    const own = makeKey("key_c", { requestsPerDay: 3 });
    await unrecorded(store).addKey(other, "digest b");
    await unrecorded(store).addKey(own, "digest c");
    await admitMany(150);
    expect((await admitMany(250, other)).grants.length).toBe(200);
    rules = { ...rules, quota: { ...QUOTA, scope: "account" } };
    expect((await admitMany(150)).grants.length).toBe(150);
    expect((await admitMany(150, other)).grants.length).toBe(50);
    expect((await admitMany(5, own)).grants.length).toBe(3);
  });

  test("a key's own limit applies, null is unlimited, and 0 leaves only the throttle", async () => {
    const few = makeKey("key_few", { requestsPerDay: 2 });
    const all = makeKey("key_all", { requestsPerDay: null });
    const nothing = makeKey("key_nothing", { requestsPerDay: 0 });
    for (const one of [few, all, nothing]) await unrecorded(store).addKey(one, `digest ${one.id}`);
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
    const expiring = makeKey("key_e", { expiresAtMs: NOON + 1 });
    await unrecorded(store).addKey(expiring, "digest e");
    await admit(expiring);
    clock.atMs = NOON + 1;
    await unrecorded(store).revokeKey(key.id, clock.atMs);
    const faults = [await refusal(), await refusal(expiring), await refusal(makeKey("key_unknown"))];
    expect(new Set(faults.map(({ code, message }) => `${code} ${message}`)).size).toBe(1);
    expect(faults[0]?.row.status).toBe(401);
  });

  test("no allowance is reported if every request is paid for", async () => {
    rules = { ...rules, billing: { charge: "always", markup: 1 } };
    const fault = await refusal(makeKey("key_a", { requestsPerDay: null }));
    expect([fault.row.status, fault.code]).toEqual([403, "model_not_priced"]);
    expect(await ledger.allowance(key)).toMatchObject({ limit: 0, remaining: 0, nextSlotAtMs: null });
  });

  test("an unanswered request gives its place back once", async () => {
    const { grants } = await admitMany(200);
    await refusal();
    const [first, second] = grants;
    if (!first || !second) throw new Error("no grants");
    await Promise.all([end(first, false), end(first, false), end(second, true)]);
    await end(first, false);
    expect((await admitMany(9)).grants.length).toBe(1);
  });

  test("a place goes back to the day it was taken from", async () => {
    clock.atMs = MIDNIGHT - 1;
    const grant = await admit();
    clock.atMs = MIDNIGHT + 1;
    await admitMany(5);
    await end(grant, false);
    expect((await ledger.allowance(key)).used).toBe(5);
    clock.atMs = MIDNIGHT - 1;
    expect((await ledger.allowance(key)).used).toBe(5);
  });

  test("a throttle slot goes back only while it is the latest", async () => {
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

  test("the allowance is reported correctly", async () => {
    expect(await ledger.allowance(key)).toEqual({
      limit: 200,
      used: 0,
      remaining: 200,
      resetsAtMs: MIDNIGHT,
      nextSlotAtMs: null,
      paidByBalance: false,
    });
    await admitMany(200);
    clock.atMs += MINUTE;
    expect(await ledger.allowance(key)).toMatchObject({
      used: 200,
      remaining: 0,
      nextSlotAtMs: NOON + 10 * MINUTE,
      paidByBalance: false,
    });
    const unlimited = await ledger.allowance(makeKey("key_a", { requestsPerDay: null }));
    expect(unlimited).toMatchObject({ limit: null, remaining: null, nextSlotAtMs: null });
  });

  test("no slot is told while a funded account pays for what is beyond the allowance", async () => {
    await give(store, "default", 1_000);
    expect(await ledger.allowance(key)).toMatchObject({ nextSlotAtMs: null, paidByBalance: false });
    await admitMany(200);
    expect(await ledger.allowance(key)).toMatchObject({
      remaining: 0,
      nextSlotAtMs: null,
      paidByBalance: true,
    });
    rules = { ...rules, billing: { charge: "always", markup: 1 } };
    expect(await ledger.allowance(key)).toMatchObject({ limit: 0, paidByBalance: true });
  });
});

test("durations are written in their two largest units", () => {
  expect([1, 1000, 61_000, 3_600_000, 90_061_000].map(describeDuration)).toEqual([
    "1 second",
    "1 second",
    "1 minute 1 second",
    "1 hour",
    "1 day 1 hour",
  ]);
});
