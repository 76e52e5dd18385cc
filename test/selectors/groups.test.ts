// Models under one name: how they share the load, which conversations stay on which, and the order of fallbacks.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { ChatMessage } from "../../src/operations/chat/form.ts";
import { makeDice } from "./dice.ts";
import { type Asking, digestWithKey, makeCard, names, Planning } from "./planning.ts";

const NORTH = makeCard("North#m");
const EAST = makeCard("East#m");
const SOUTH = makeCard("South#m");
const GROUP = {
  group: [
    { card: NORTH, weight: 6 },
    { card: EAST, weight: 3 },
    { card: SOUTH, weight: 1 },
  ],
} satisfies Asking;
const REQUESTS = 1000;

let router: Planning;
beforeEach(() => {
  router = new Planning(makeDice(7));
  router.on("North", ["n", 1]);
  router.on("East", ["e", 1]);
  router.on("South", ["s", 1]);
});

/** The share of `REQUESTS` plans in which each model comes first. */
function shares(nowMs: number, asking: Asking = GROUP): Record<string, number> {
  const counts: Record<string, number> = { n: 0, e: 0, s: 0 };
  for (let at = 0; at < REQUESTS; at++) {
    const first = names(router.plan(nowMs, asking).slice(0, 1));
    counts[first] = (counts[first] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / REQUESTS]));
}

function breaks(card: ModelCard, name: string, nowMs: number): void {
  for (let at = 0; at < 5; at++) router.fails(card, name, nowMs, "upstream_error");
}

describe("load within a group", () => {
  /** Five standard deviations of a share of one half. */
  const BOUND = (5 * 0.5) / Math.sqrt(REQUESTS);

  test("is distributed by weight, with the others following in order of weight", () => {
    const { n = 0, e = 0, s = 0 } = shares(0);
    expect(Math.abs(n - 0.6)).toBeLessThan(BOUND);
    expect(Math.abs(e - 0.3)).toBeLessThan(BOUND);
    expect(Math.abs(s - 0.1)).toBeLessThan(BOUND);
    const orders = new Set(Array.from({ length: 300 }, () => names(router.plan(0, GROUP))));
    expect([...orders].toSorted()).toEqual(["e n s", "n e s", "s n e"]);
  });

  test("skips a model with an open breaker, and returns with the probe", () => {
    breaks(NORTH, "n", 0);
    const { n = 0, e = 0 } = shares(500);
    expect(n).toBe(0);
    expect(Math.abs(e - 0.75)).toBeLessThan(BOUND);
    expect(names(router.plan(500, GROUP))).not.toContain("n");
    expect(shares(1000).n).toBeGreaterThan(0);
  });

  test("skips a model that is rate-limited", () => {
    router.fails(NORTH, "n", 0, "provider_busy", { upstreamStatus: 429, retryAfterMs: 5000 });
    expect(shares(4999).n).toBe(0);
    expect(shares(5000).n).toBeGreaterThan(0.5);
  });

  test("is reduced for a model that has recently been failing", () => {
    for (let at = 0; at < 20; at++) {
      router.works(NORTH, "n", 0);
      if (at % 2 === 0) router.fails(NORTH, "n", 0, "upstream_error");
    }
    const { n = 0 } = shares(0);
    expect(n).toBeGreaterThan(0.25);
    expect(n).toBeLessThan(0.5);
    expect(shares(600_000).n).toBeGreaterThan(0.55);
  });

  test("is spread over the credentials of a model", () => {
    router.on("North", ["n", 1], ["m", 1]);
    const firsts = new Set(Array.from({ length: 100 }, () => names(router.plan(0, GROUP).slice(0, 1))));
    expect([...firsts].toSorted()).toEqual(["e", "m", "n", "s"]);
  });
});

describe("a conversation in a group", () => {
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const goingOn = (at: number) => ({
    ...GROUP,
    messages: [user(`story ${at}`), { role: "assistant", content: "Once" } as const, user("go on")],
  });
  const places = Array.from({ length: 200 }, (_, at) => at);
  const firsts = (nowMs: number) => places.map((at) => names(router.plan(nowMs, goingOn(at)).slice(0, 1)));

  beforeEach(() => {
    router.digest = digestWithKey;
  });

  test("stays on its model, and each model has its share by weight", () => {
    const before = firsts(0);
    expect(firsts(86_400_000)).toEqual(before);
    const total = GROUP.group.reduce((sum, { weight }) => sum + weight, 0);
    for (const { card, weight } of GROUP.group) {
      const name = card.provider.slice(0, 1).toLowerCase();
      const share = before.filter((one) => one === name).length / before.length;
      expect(Math.abs(share - weight / total)).toBeLessThan(0.1);
    }
  });

  test("moves while that model is unhealthy, to the next of its order", () => {
    const before = firsts(0);
    const next = places.map((at) => names(router.plan(0, goingOn(at)).slice(1, 2)));
    breaks(SOUTH, "s", 1);
    expect(firsts(2)).toEqual(before.map((name, at) => (name === "s" ? (next[at] ?? "") : name)));
  });
});

describe("a request that some members can't take", () => {
  test("only goes to the others", () => {
    const asking = { ...GROUP, unable: [NORTH] };
    expect(shares(0, asking).n).toBe(0);
    expect(names(router.plan(0, asking))).not.toContain("n");
    expect(names(router.plan(0, { ...asking, fallbacks: [NORTH, makeCard("Other#small")] }))).toMatch(/x$/);
  });

  test("gets the first member's fault if none can take it", () => {
    const asking = { ...GROUP, unable: [NORTH, EAST, SOUTH] };
    expect(() => router.plan(0, asking)).toThrow(new Fault("unsupported_capability", "not North#m"));
  });
});

test("fallbacks of the members come last, each once", () => {
  const other = makeCard("Other#small");
  expect(names(router.plan(0, { ...GROUP, fallbacks: [EAST, other] }))).toMatch(/ x$/);
});

test("if none may be called, the plan still exists to say so", () => {
  breaks(NORTH, "n", 0);
  breaks(EAST, "e", 100);
  breaks(SOUTH, "s", 200);
  const plan = router.plan(300, GROUP);
  expect(names(plan)).toBe("n e s");
  expect(router.health.unavailable(plan, 300, NOBODY).details.retryAfterMs).toBe(700);
});
