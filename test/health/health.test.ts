// The order of candidates after failures, with time as an argument: credentials, conversations, fallbacks.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault, type FaultCode } from "../../src/core/faults/fault.ts";
import type { FaultDetails } from "../../src/core/faults/fault-details.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { HOUSE, makeCard, names, OTHER, Planning } from "../selectors/planning.ts";

let router: Planning;
beforeEach(() => {
  router = new Planning();
});

describe("several credentials", () => {
  test("are used by weight, all of them in every plan", () => {
    router.on("House", ["a", 1], ["b", 3]);
    const { a = 0, b = 0 } = router.firsts(1000, 0);
    expect([a + b, Math.round(b / 100)]).toEqual([1000, 7 + Math.round((b - 700) / 100)]);
    expect(b).toBeWithin(700, 800);
    expect(router.plan(0)).toHaveLength(2);
  });

  test("share the running requests, and a slower one gets fewer", () => {
    const running = router.firsts(40, 0, (first) => router.begun(first, 0));
    expect(running.a).toBeWithin(16, 25);
    for (let at = 0; at < 20; at++) {
      router.works(HOUSE, "a", 1000, 20);
      router.works(HOUSE, "b", 1000, 4000);
    }
    const { a = 0, b = 0 } = router.firsts(100, 1000);
    expect(a).toBeGreaterThan(3 * b);
  });

  test.each([401, 402, 403])(
    "are retired by a %d for a minute or until the configuration changes, with one log line",
    (status) => {
      router.fails(HOUSE, "a", 0, "upstream_auth", { upstreamStatus: status });
      expect(names(router.plan(59_999))).toBe("b");
      expect(router.health.begin(router.attemptOf(HOUSE, "a"), 59_999)).toBeNull();
      const told = router.events.filter(({ event }) => event === "credential_retired");
      expect(told).toMatchObject([
        { level: "error", provider: "House", upstream_status: status, credential: "of-a" },
      ]);
      expect(JSON.stringify(router.events)).not.toContain("secret");
      router.on("House", ["a", 1], ["b", 1]);
      expect(router.plan(59_999)).toHaveLength(2);
    },
  );

  test("are not retired by a 403 of one model if others work", () => {
    router.works(makeCard("House#large"), "a", 0);
    router.fails(HOUSE, "a", 0, "upstream_auth", { upstreamStatus: 403 });
    expect(names(router.plan(0))).toBe("b");
    expect(router.health.isReady(router.attemptOf(makeCard("House#large"), "a"), 0, NOBODY)).toBe(true);
    expect(router.health.isReady(router.attemptOf(HOUSE, "a"), 0, NOBODY)).toBe(false);
  });

  test("are tried in turn if all are rejected, until one is accepted again", () => {
    router.fails(HOUSE, "a", 0, "upstream_auth", { upstreamStatus: 402 });
    router.fails(HOUSE, "b", 1, "upstream_auth", { upstreamStatus: 402 });
    expect(names(router.plan(2))).toBe("a");
    router.fails(HOUSE, "a", 3, "upstream_auth", { upstreamStatus: 402 });
    expect(names(router.plan(4))).toBe("b");
    router.works(HOUSE, "b", 5);
    router.works(HOUSE, "b", 5);
    expect(names(router.plan(6))).toBe("b");
    expect(router.health.isBarred(router.attemptOf(HOUSE, "a"), 6, NOBODY)).toBe(true);
    expect(router.events.map(({ event }) => event)).toEqual([
      "credential_retired",
      "credential_retired",
      "credential_back",
    ]);
  });

  test("a new configuration closes breakers opened by rejections", () => {
    router.on("House", ["a", 1]);
    for (let at = 0; at < 5; at++) router.fails(HOUSE, "a", 0, "upstream_auth", { upstreamStatus: 401 });
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 0)).toBeNull();
    expect(router.health.unavailable(router.plan(0), 0, NOBODY).code).toBe("upstream_auth");
    router.on("House", ["a", 1]);
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 0)).not.toBeNull();
  });

  test("removed credentials are forgotten, and knowledge of the others is kept", () => {
    for (const name of ["a", "b"]) {
      for (let at = 0; at < 5; at++) router.fails(HOUSE, name, 0, "upstream_error");
    }
    router.on("House", ["b", 1], ["c", 1]);
    const states = [...(router.health.card(HOUSE.id)?.deployments.values() ?? [])].map(({ breaker }) =>
      breaker.readState(0),
    );
    expect([states, names(router.plan(0))]).toEqual([["open"], "c"]);
  });

  test("calls that are under way when the configuration changes still count as parallel ones", () => {
    router.on("House", ["a", 1, { parallel: 2 }]);
    const earlier = [
      router.begun(router.attemptOf(HOUSE, "a"), 0),
      router.begun(router.attemptOf(HOUSE, "a"), 0),
    ];
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 1)).toBeNull();
    router.on("House", ["a", 1, { parallel: 3 }]);
    const third = router.begun(router.attemptOf(HOUSE, "a"), 2);
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 3)).toBeNull();
    for (const permit of [...earlier, third]) permit.finish(4, 1);
    for (let at = 0; at < 3; at++) router.begun(router.attemptOf(HOUSE, "a"), 5);
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 6)).toBeNull();
    expect(router.health.findAway(6, NOBODY).has("House")).toBe(true);
  });

  test("a 429 rests a credential for as long as it says, for this model only", () => {
    router.fails(HOUSE, "a", 0, "provider_busy", { upstreamStatus: 429, retryAfterMs: 7000 });
    expect([names(router.plan(6999)), router.plan(7000).length]).toEqual(["b", 2]);
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), 6999)).toBeNull();
    expect(router.health.isReady(router.attemptOf(makeCard("House#large"), "a"), 0, NOBODY)).toBe(true);
  });

  test("without Retry-After the rest grows each time, until a success", () => {
    const rests: number[] = [];
    let nowMs = 0;
    const rest = () => {
      router.fails(HOUSE, "a", nowMs, "provider_busy", { upstreamStatus: 429 });
      let until = nowMs;
      while (!router.health.isReady(router.attemptOf(HOUSE, "a"), until, NOBODY)) until += 100;
      rests.push(until - nowMs);
      nowMs = until;
    };
    for (let time = 0; time < 7; time++) rest();
    router.works(HOUSE, "a", nowMs);
    rest();
    expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 1000]);
  });

  test("if all rest, the fault says for how long", () => {
    router.fails(HOUSE, "a", 0, "provider_busy", { upstreamStatus: 429, retryAfterMs: 7000 });
    router.fails(HOUSE, "b", 0, "provider_busy", { upstreamStatus: 429, retryAfterMs: 3000 });
    const fault = router.health.unavailable(router.plan(1000), 1000, NOBODY);
    expect([fault.code, fault.details.retryAfterMs]).toEqual(["provider_busy", 2000]);
  });
});

describe("failures that count against a provider", () => {
  const five = (code: FaultCode, details: FaultDetails = {}) => {
    for (let at = 0; at < 5; at++) router.fails(OTHER, "x", 0, code, details);
    return router.health.deployment(router.attemptOf(OTHER, "x"))?.breaker.readState(0);
  };

  test.each<FaultCode>(["upstream_error", "upstream_timeout", "provider_busy"])("%s does", (code) => {
    expect(five(code)).toBe("open");
    expect(router.events).toMatchObject([{ event: "breaker_opened", level: "warn", model: OTHER.id }]);
    const fault = router.health.unavailable([router.attemptOf(OTHER, "x")], 400, NOBODY);
    expect([fault.code, fault.details.retryAfterMs]).toEqual(["no_provider_available", 600]);
  });

  test.each<FaultCode>([
    "upstream_rejected",
    "context_length_exceeded",
    "content_filter",
    "model_not_found",
    "client_gone",
    "internal_error",
    "store_unavailable",
  ])("%s doesn't", (code) => {
    expect(five(code, { upstreamStatus: 400 })).toBe("closed");
    expect(router.events).toEqual([]);
  });

  test("a probe that fails by the request's own fault shows that the provider is up", () => {
    five("upstream_error");
    router.fails(OTHER, "x", 1000, "upstream_rejected", { upstreamStatus: 400 });
    expect(router.health.deployment(router.attemptOf(OTHER, "x"))?.breaker.readState(0)).toBe("closed");
  });

  test("a probe whose client left is inconclusive, so the next request probes", () => {
    five("upstream_error");
    router.begun(router.attemptOf(OTHER, "x"), 1000).fail(1000, new Fault("client_gone", "gone"));
    expect(router.health.begin(router.attemptOf(OTHER, "x"), 1000)).not.toBeNull();
    expect(router.health.begin(router.attemptOf(OTHER, "x"), 1000)).toBeNull();
  });

  test("every attempt that ends is subtracted from the running ones and reported once", () => {
    const permit = router.begun(router.attemptOf(OTHER, "x"), 0);
    permit.recordFirstPart(10);
    permit.finish(20, 50);
    permit.abandon();
    permit.fail(30, new Fault("upstream_error", "late"));
    permit.fail(30, new Fault("upstream_error", "late"));
    const deployment = router.health.deployment(router.attemptOf(OTHER, "x"));
    expect([deployment?.inFlight, router.health.key(router.attemptOf(OTHER, "x"))?.inFlight]).toEqual([0, 0]);
    expect(Math.round(deployment?.countOutcomes(30, null).good ?? 0)).toBe(1);
    expect(Math.round(deployment?.countOutcomes(30, null).bad ?? 0)).toBe(1);
  });
});

test("no more than 2,000 models are remembered, whatever names clients make up", () => {
  for (let at = 0; at < 3000; at++) router.fails(makeCard(`House#made-up-${at}`), "a", 0, "upstream_error");
  expect([...router.health.cards()]).toHaveLength(2000);
});
