// Credentials' own limits, with time as an argument: requests and tokens per minute.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import type { Permit } from "../../src/health/permit.ts";
import { Rate } from "../../src/health/rate.ts";
import { buildReport } from "../../src/health/report.ts";
import { Dice } from "../sim/dice.ts";
import { HOUSE, makeCard, names, OTHER, Planning } from "./planning.ts";

const MINUTE_MS = 60_000;

let router: Planning;
beforeEach(() => {
  router = new Planning();
});

const BEGUN_MAX = 1000;

/** Begins attempts with the credential until its limits allow no more. Returns their number. */
function exhaust(name: string, nowMs: number, tokens = 0): number {
  for (let count = 0; count < BEGUN_MAX; count++) if (begin(name, nowMs, tokens) === null) return count;
  return BEGUN_MAX;
}

function begin(name: string, nowMs: number, tokens = 0): Permit | null {
  const load = { requests: 1, tokens };
  return router.health.begin(router.attemptOf(HOUSE, name), nowMs, null, load);
}

describe("a limit per minute", () => {
  test("can be used at once, and refills evenly", () => {
    const rate = new Rate(3);
    for (let at = 0; at < 3; at++) {
      expect(rate.waitMs(1, 1000)).toBe(0);
      rate.take(1, 1000);
    }
    expect(rate.waitMs(1, 1000)).toBe(21_000);
    expect(rate.waitMs(1, 21_999)).toBe(1);
    expect(rate.waitMs(1, 22_000)).toBe(0);
    expect(rate.waitMs(3, 22_000)).toBe(40_000);
  });

  test("is never exceeded in any hour", () => {
    const rate = new Rate(7);
    let taken = 0;
    for (let nowMs = 0; nowMs < 60 * MINUTE_MS; nowMs += 137) {
      if (rate.waitMs(1, nowMs) > 0) continue;
      rate.take(1, nowMs);
      taken++;
    }
    expect(taken).toBeWithin(7 * 60 - 1, 7 * 60 + 8);
  });

  test("may allow a larger request if it is full, and is full again a minute later", () => {
    const rate = new Rate(1000);
    rate.take(1, 0);
    expect(rate.waitMs(5000, 0)).toBe(1060);
    expect(rate.waitMs(5000, 1060)).toBe(0);
    rate.take(5000, 1060);
    expect(rate.waitMs(1000, 1060)).toBe(MINUTE_MS + 1000);
    for (const amount of [Number.NaN, -5]) rate.take(amount, 1060);
    rate.take(Number.POSITIVE_INFINITY, 1060);
    expect(rate.waitMs(1000, 1060)).toBe(2 * MINUTE_MS + 1000);
  });
});

/** A provider's bucket that calls reach with these delays in milliseconds. Returns the number of refused calls. */
function countRefused(perMinute: number, arrivals: readonly number[]): number {
  let left = perMinute;
  let atMs = 0;
  let refused = 0;
  for (const nowMs of arrivals.toSorted((a, b) => a - b)) {
    left = Math.min(perMinute, left + ((nowMs - atMs) * perMinute) / MINUTE_MS);
    atMs = nowMs;
    if (left + 1e-9 < 1) refused++;
    else left--;
  }
  return refused;
}

test("never makes the provider refuse, however late in a second calls arrive", () => {
  const dice = new Dice(7);
  const random = () => dice.next();
  for (let run = 0; run < 200; run++) {
    const perMinute = 1 + Math.floor(random() * 300);
    const rate = new Rate(perMinute);
    const arrivals: number[] = [];
    let asked = 0;
    for (let nowMs = 0; nowMs < 3 * MINUTE_MS; nowMs += random() * (run % 3 === 0 ? 5000 : 200)) {
      asked++;
      if (rate.waitMs(1, nowMs) > 0) continue;
      rate.take(1, nowMs);
      arrivals.push(nowMs + random() * 1000);
    }
    expect([perMinute, countRefused(perMinute, arrivals)]).toEqual([perMinute, 0]);
    expect(arrivals.length).toBeGreaterThanOrEqual(Math.min(asked, perMinute));
  }
});

describe("a credential at its limit", () => {
  test("rests while another has room, and returns in time", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 4 }], ["b", 1]);
    expect(exhaust("a", 0)).toBe(4);
    expect(names(router.plan(0))).toBe("b");
    expect(names(router.plan(15_999))).toBe("b");
    expect(router.plan(16_000)).toHaveLength(2);
  });

  test("rests for all of its provider's models", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 1 }]);
    expect(exhaust("a", 0)).toBe(1);
    expect(router.health.isReady(router.attemptOf(makeCard("House#large"), "a"), 0, NOBODY)).toBe(false);
  });

  test("makes room for a fallback", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 1 }], ["b", 1, { requestsPerMinute: 1 }]);
    exhaust("a", 0);
    exhaust("b", 0);
    expect(names(router.plan(0, { fallbacks: [OTHER] }))).toBe("x");
  });

  test("along with all others: the fault says when the first has room again", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 2 }], ["b", 1, { requestsPerMinute: 6 }]);
    exhaust("a", 0);
    exhaust("b", 0);
    const plan = router.plan(1000);
    const fault = router.health.unavailable(plan, 1000, NOBODY);
    expect([fault.code, fault.details.retryAfterMs]).toEqual(["provider_busy", 10_000]);
    expect(plan.map((attempt) => router.health.begin(attempt, 1000))).toEqual([null, null]);
    expect(names(router.plan(11_000))).toBe("b");
  });

  test("is shown as resting, until it has room", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 4 }], ["b", 1]);
    exhaust("a", 0);
    const credentials = [
      { secret: "the-secret-of-a", weight: 1 },
      { secret: "the-secret-of-b", weight: 1 },
    ];
    const [house] = buildReport({
      health: router.health,
      providers: [
        {
          name: "House",
          dialect: "openai",
          baseUrl: "http://house.test",
          credentials,
          headers: {},
          timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
          unlistedModels: true,
        },
      ],
      cards: [],
      nowMs: 5000,
      wallMs: 1_000_000,
    });
    expect(house?.credentials.map(({ state, untilMs }) => [state, untilMs])).toEqual([
      ["resting", 1_011_000],
      ["active", null],
    ]);
    expect(house?.credentials[0]?.reason).toContain("its limit");
  });

  test("survives a reload, and a changed limit starts over", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 4 }]);
    exhaust("a", 0);
    router.on("House", ["a", 2, { requestsPerMinute: 4 }]);
    expect(exhaust("a", 0)).toBe(0);
    router.on("House", ["a", 2, { requestsPerMinute: 5 }]);
    expect(exhaust("a", 0)).toBe(5);
  });

  test("has room again after a call that was never sent", () => {
    router.on("House", ["a", 1, { requestsPerMinute: 1 }]);
    begin("a", 0)?.fail(0, new Fault("upstream_error", "no", { unsent: true }));
    expect(exhaust("a", 0)).toBe(1);
  });
});

describe("tokens", () => {
  const LIMITED = { tokensPerMinute: 60_000 };

  test("are counted as expected, then as reported", () => {
    router.on("House", ["a", 1, LIMITED]);
    const permit = begin("a", 0, 40_000);
    expect(begin("a", 0, 30_000)).toBeNull();
    permit?.recordUsage(10_000, 0);
    expect(begin("a", 0, 30_000)).not.toBeNull();
    expect(begin("a", 0, 30_000)).toBeNull();
    expect(begin("a", 10_999, 30_000)).toBeNull();
    expect(begin("a", 11_000, 30_000)).not.toBeNull();
  });

  test("of several calls in one attempt add up", () => {
    router.on("House", ["a", 1, LIMITED]);
    const permit = begin("a", 0, 10_000);
    for (let call = 0; call < 3; call++) permit?.recordUsage(15_000, 0);
    expect(begin("a", 0, 15_001)).toBeNull();
    expect(begin("a", 0, 15_000)).not.toBeNull();
  });

  test("keep a long request off a credential that a short one may use", () => {
    router.on("House", ["a", 1, LIMITED], ["b", 1]);
    begin("a", 0, 50_000);
    expect(names(router.plan(0, { tokens: 20_000 }))).toBe("b");
    expect(router.plan(0, { tokens: 5000 })).toHaveLength(2);
  });

  test("determine how long the fault says to wait", () => {
    router.on("House", ["a", 1, LIMITED]);
    begin("a", 0, 50_000);
    const plan = router.plan(0, { tokens: 20_000 });
    const fault = router.health.unavailable(plan, 0, NOBODY, { requests: 1, tokens: 20_000 });
    expect([fault.code, fault.details.retryAfterMs]).toEqual(["provider_busy", 11_000]);
  });
});

test("a group skips a model whose credentials are at their limits", () => {
  router.on("House", ["a", 1, { requestsPerMinute: 2 }]);
  const group = [
    { card: HOUSE, weight: 1000 },
    { card: OTHER, weight: 1 },
  ];
  expect(names(router.plan(0, { group }))).toBe("a x");
  exhaust("a", 0);
  expect(names(router.plan(0, { group }))).toBe("x");
  expect(names(router.plan(31_000, { group }))).toBe("a x");
});
