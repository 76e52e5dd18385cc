// The parts of health one by one, with time as an argument: fading counts, quantiles, the breaker, the retry budget.
import { describe, expect, test } from "bun:test";
import type { Passage } from "../../src/core/health/evidence.ts";
import { Breaker } from "../../src/health/breaker/breaker.ts";
import { computeQuantiles, FadingCounts, FadingValues } from "../../src/health/decay.ts";
import { RetryBudget } from "../../src/health/retry-budget.ts";

describe("decaying counts", () => {
  test("halve with each half-life whenever they are read, and reading changes nothing", () => {
    const counts = new FadingCounts(2, 1000);
    counts.add(0, 5_000_000);
    counts.add(0, 5_000_000);
    counts.add(1, 5_001_000);
    for (const again of [1, 2]) {
      expect([again, counts.at(0, 5_000_000)]).toEqual([again, 2]);
      expect(counts.at(0, 5_003_000)).toBeCloseTo(0.25, 12);
      expect(counts.at(1, 5_003_000)).toBeCloseTo(0.25, 12);
    }
  });

  test("stay exact over a year of additions", () => {
    const counts = new FadingCounts(1, 1000);
    for (let nowMs = 0; nowMs < 31_536_000_000; nowMs += 10_000_000) counts.add(0, nowMs);
    counts.add(0, 31_536_000_000);
    expect(counts.at(0, 31_536_000_000)).toBeCloseTo(1, 9);
  });
});

describe("quantiles", () => {
  test("match what was observed, to within the buckets' width", () => {
    const values = new FadingValues(60_000);
    for (let value = 1; value <= 1000; value++) values.add(value, 0);
    const [p50 = 0, p95 = 0] = computeQuantiles([values], [0.5, 0.95], 0) ?? [];
    expect(p50 / 500).toBeWithin(0.94, 1.06);
    expect(p95 / 950).toBeWithin(0.94, 1.06);
  });

  test("follow a change within two half-lives, and are empty once all has decayed", () => {
    const values = new FadingValues(1000);
    for (let at = 0; at < 100; at++) values.add(100, at * 10);
    for (let at = 100; at < 300; at++) values.add(1000, at * 10);
    const [p50 = 0] = computeQuantiles([values], [0.5], 3000) ?? [];
    expect(p50 / 1000).toBeWithin(0.9, 1.1);
    expect(computeQuantiles([values], [0.5], 60_000)).toBeNull();
  });

  test("can be combined", () => {
    const low = new FadingValues(1000);
    const high = new FadingValues(1000);
    for (let at = 0; at < 40; at++) low.add(10, 0);
    for (let at = 0; at < 60; at++) high.add(1000, 0);
    const [p25 = 0, p75 = 0] = computeQuantiles([low, high], [0.25, 0.75], 0) ?? [];
    expect([Math.round(p25 / 10), Math.round(p75 / 1000)]).toEqual([1, 1]);
  });
});

describe("the breaker, with one payer", () => {
  /** Reports `count` failures at one moment. */
  function burst(breaker: Breaker, count: number, nowMs: number): boolean {
    let opened = false;
    for (let at = 0; at < count; at++) opened = fail(breaker, nowMs) === "all" || opened;
    return opened;
  }
  const fail = (breaker: Breaker, nowMs: number, passage: Passage = "free") =>
    breaker.recordFailure(nowMs, "ann", passage, "caller");
  const work = (breaker: Breaker, nowMs: number, passage: Passage = "free") =>
    breaker.recordSuccess(nowMs, "ann", passage);

  test("opens on a burst, allows one probe at a time, and closes when it succeeds", () => {
    const breaker = new Breaker();
    expect([burst(breaker, 4, 0), breaker.readState(0), breaker.pass(0, "ann")]).toEqual([
      false,
      "closed",
      "free",
    ]);
    expect([burst(breaker, 1, 0), breaker.readState(0), breaker.pass(999, "ann")]).toEqual([
      true,
      "open",
      null,
    ]);
    expect([breaker.waitMs(400, "ann"), breaker.waitMs(2000, "ann")]).toEqual([600, 0]);
    expect([
      breaker.pass(1000, "ann"),
      breaker.readState(0),
      breaker.pass(1000, "ann"),
      breaker.waitMs(9000, "ann"),
    ]).toEqual(["own", "half_open", null, null]);
    expect([work(breaker, 1100, "own"), breaker.readState(0), breaker.pass(1100, "ann")]).toEqual([
      "all",
      "closed",
      "free",
    ]);
  });

  test("waits twice as long after each failed probe, up to a bound, and always recovers", () => {
    const breaker = new Breaker();
    burst(breaker, 5, 0);
    const waits: number[] = [];
    let nowMs = 0;
    for (let probe = 0; probe < 8; probe++) {
      waits.push(breaker.waitMs(nowMs, "ann") ?? -1);
      nowMs += waits.at(-1) ?? 0;
      expect(breaker.pass(nowMs, "ann")).toBe("own");
      fail(breaker, nowMs, "own");
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(breaker.pass(nowMs + 30_000, "ann")).toBe("own");
    expect([work(breaker, nowMs + 30_000, "own"), breaker.readState(0)]).toEqual(["all", "closed"]);
  });

  test("continues its backoff if it opens again soon, and starts over later", () => {
    for (const [pauseMs, waitMs] of [
      [10_000, 2000],
      [100_000, 1000],
    ] as const) {
      const breaker = new Breaker();
      burst(breaker, 5, 0);
      breaker.pass(1000, "ann");
      work(breaker, 1000, "own");
      burst(breaker, 5, 1000 + pauseMs);
      expect(breaker.waitMs(1000 + pauseMs, "ann")).toBe(waitMs);
    }
  });

  test("stays closed for failures that are rare or far apart", () => {
    const breaker = new Breaker();
    for (let at = 0; at < 1000; at++) {
      fail(breaker, at);
      work(breaker, at);
      work(breaker, at);
    }
    for (let at = 1; at < 100; at++) {
      for (let failure = 0; failure < 4; failure++) fail(breaker, at * 60_000);
      work(breaker, at * 60_000);
    }
    expect(breaker.readState(0)).toBe("closed");
  });

  test("opens if no call succeeds, however rare they are", () => {
    const breaker = new Breaker();
    const opened = [0, 1, 2, 3, 4].map((at) => fail(breaker, at * 600_000));
    expect(opened).toEqual([null, null, null, null, "all"]);
  });

  test("opens if most calls of the last seconds failed", () => {
    const breaker = new Breaker();
    for (let at = 0; at < 10; at++) {
      fail(breaker, at * 100);
      if (at % 2 === 0) fail(breaker, at * 100);
      work(breaker, at * 100);
    }
    expect(breaker.readState(0)).toBe("open");
  });

  test("is unaffected by attempts from before it opened", () => {
    const breaker = new Breaker();
    burst(breaker, 30, 0);
    work(breaker, 10);
    expect([breaker.readState(0), breaker.waitMs(10, "ann")]).toEqual(["open", 990]);
  });

  test("allows another probe after an inconclusive one", () => {
    const breaker = new Breaker();
    burst(breaker, 5, 0);
    expect([breaker.pass(1000, "ann"), breaker.pass(1000, "ann")]).toEqual(["own", null]);
    breaker.release("ann", "own");
    expect(breaker.pass(1001, "ann")).toBe("own");
  });
});

describe("the retry budget", () => {
  /** Makes this many requests in a second, each asking for a retry. Returns the number of retries granted. */
  function second(budget: RetryBudget, requests: number, atMs: number, payer = "ann"): number {
    let granted = 0;
    for (let at = 0; at < requests; at++) {
      const nowMs = atMs + (at * 1000) / requests;
      budget.recordRequest(nowMs, payer);
      if (budget.spend(nowMs, payer)) granted++;
    }
    return granted;
  }

  test("is a fifth of the requests plus ten, over ten seconds", () => {
    const budget = new RetryBudget();
    let requests = 0;
    let granted = 0;
    for (let at = 0; at < 10; at++) {
      requests += 100;
      granted += second(budget, 100, 1_000_000 + at * 1000);
      expect(granted).toBeLessThanOrEqual(0.2 * requests + 10);
    }
    expect(granted).toBe(210);
  });

  test("is not exceeded in any ten seconds of an hour, and recovers after a quiet time", () => {
    const budget = new RetryBudget();
    const bySecond: number[] = [];
    for (let at = 0; at < 3600; at++) bySecond.push(second(budget, 20, at * 1000));
    for (let from = 0; from + 10 <= bySecond.length; from++) {
      expect(bySecond.slice(from, from + 10).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(50);
    }
    expect(second(budget, 10, 5_000_000)).toBe(10);
  });

  test("isn't used up by another payer, whatever it asks", () => {
    const budget = new RetryBudget();
    const alone = new RetryBudget();
    for (let at = 0; at < 60; at++) {
      second(budget, 500, at * 1000);
      const requests = 1 + (at % 30);
      expect(second(budget, requests, at * 1000, "ben")).toBe(second(alone, requests, at * 1000, "ben"));
    }
  });

  test("is one for many payers, but for the one with the most retries", () => {
    const budget = new RetryBudget();
    let granted = 0;
    for (let at = 0; at < 200; at++) granted += second(budget, 1, 1_000_000 + at, `payer ${at}`);
    // A fifth of the requests and ten, the one of the payer with the most, and the one that reached the bound.
    expect(granted).toBe(0.2 * 200 + 10 + 2);
  });
});
