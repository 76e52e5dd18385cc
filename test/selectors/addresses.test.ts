// Failed connections count against the provider's address, and plans offer other addresses.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { countOpenBreakers, summarizeCard } from "../../src/health/report.ts";
import { HOUSE, makeCard, names, OTHER, Planning } from "./planning.ts";

let router: Planning;
beforeEach(() => {
  router = new Planning();
});

const REFUSED = new Fault("upstream_error", "no", { unsent: true });
const LARGE = makeCard("House#large");
const told = () => router.events.map(({ event }) => event);

function unreached(count: number, nowMs: number): void {
  for (let at = 0; at < count; at++)
    router.begun(router.attemptOf(at % 2 ? HOUSE : LARGE, "ab"[at % 2] ?? ""), nowMs).fail(nowMs, REFUSED);
}

describe("an address that accepts no connections", () => {
  test("is skipped with all its models and credentials, probed by one request, and used again after one answer", () => {
    unreached(5, 0);
    expect(told()).toEqual(["provider_unreachable"]);
    for (const model of [HOUSE, LARGE, makeCard("House#never-asked")]) {
      expect(router.health.isReady(router.attemptOf(model, "b"), 999, NOBODY)).toBe(false);
      expect(router.health.begin(router.attemptOf(model, "b"), 999)).toBeNull();
    }
    expect(router.health.isReady(router.attemptOf(OTHER, "x"), 999, NOBODY)).toBe(true);
    expect(summarizeCard(router.health, LARGE.id, 999).breaker).toBe("open");
    expect(countOpenBreakers(router.health, 999).get(HOUSE.id)).toBe(1);
    expect(names(router.plan(999, { fallbacks: [OTHER] }))).toBe("x");
    const fault = router.health.unavailable(router.plan(400), 400, NOBODY);
    expect([fault.code, fault.details.retryAfterMs]).toEqual(["no_provider_available", 600]);
    const probe = router.begun(router.attemptOf(HOUSE, "a"), 1000);
    expect(router.health.begin(router.attemptOf(LARGE, "b"), 1000)).toBeNull();
    // Any answer will do, since it shows that the connection works.
    probe.fail(1010, new Fault("upstream_error", "no", { upstreamStatus: 500 }));
    expect(told()).toEqual(["provider_unreachable", "provider_reached"]);
    // Models that were never reached are not blamed.
    expect(router.health.isReady(router.attemptOf(LARGE, "a"), 1010, NOBODY)).toBe(true);
  });

  test("waits longer after each failed probe, and an inconclusive probe allows the next", () => {
    unreached(5, 0);
    router.begun(router.attemptOf(HOUSE, "a"), 1000).fail(1000, REFUSED);
    expect(router.health.isReady(router.attemptOf(HOUSE, "a"), 2999, NOBODY)).toBe(false);
    router.begun(router.attemptOf(HOUSE, "a"), 3000).abandon();
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 3000)).not.toBeNull();
  });

  test("is remembered if a new configuration still names it", () => {
    unreached(5, 0);
    router.on("Other", ["y", 1]);
    expect(router.health.isReady(router.attemptOf(HOUSE, "a"), 999, NOBODY)).toBe(false);
  });

  test("is not one whose connections break or whose kept connections were closed", () => {
    for (const stale of [false, true]) {
      const fault = new Fault("upstream_error", "no", stale ? { stale } : {});
      for (let at = 0; at < 20; at++) router.health.begin(router.attemptOf(HOUSE, "a"), 0)?.fail(0, fault);
      expect(router.health.isReady(router.attemptOf(LARGE, "a"), 0, NOBODY)).toBe(true);
    }
    expect(told()).toEqual(["breaker_opened"]);
  });
});

test("a stale connection says nothing about the provider", () => {
  const stale = new Fault("upstream_error", "no", { stale: true });
  for (let at = 0; at < 20; at++) router.begun(router.attemptOf(HOUSE, "a"), 0).fail(0, stale);
  expect(summarizeCard(router.health, HOUSE.id, 0)).toMatchObject({ breaker: "closed", errorRate: null });
});
