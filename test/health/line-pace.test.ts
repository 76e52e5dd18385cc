// The pace of lines of batches: what a provider's 429, its limits and a credential's own leave to them.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import type { Credential } from "../../src/core/settings.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { Health } from "../../src/health/health.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeKey } from "../harness/samples.ts";

const LINE = { requests: 1, tokens: 0, isLine: true };
const SINGLE = { ...LINE, isLine: false };
const BUSY = new Fault("provider_busy", "Too many requests.", { upstreamStatus: 429, retryAfterMs: 3000 });

function makeWorld(own: Partial<Credential> = {}) {
  const health = new Health(() => {});
  const credential = { secret: "key", weight: 1, ...own };
  const attempt = { card: makeModelCard("Acme#model"), credential };
  const setup = { name: "Acme", credentials: [credential], baseUrl: "http://acme.test" };
  health.configured([setup as never]);
  const pace = health.findPace(attempt);
  const begin = (nowMs: number, load = LINE, accountId = "acct_a") => {
    const refusals = new RequestRefusals(makeKey("key", { accountId }));
    const permit = health.begin(attempt, nowMs, refusals, load);
    if (permit === null) throw new Error("There is no room.");
    return permit;
  };
  return { health, attempt, pace, begin };
}

describe("after a 429", () => {
  test("none goes before the provider's time, then half as many, and one more for 20 answers", () => {
    const { pace, begin } = makeWorld();
    const lines = Array.from({ length: 8 }, () => begin(0));
    // All hit the same limit, which counts once.
    for (const [at, line] of lines.entries()) line.fail(at, BUSY);
    expect([pace.countRoom(2999), pace.countRoom(3008)]).toEqual([0, 4]);
    for (let answers = 0; answers < 20; answers++) begin(4000).finish(4001, null);
    expect(pace.countRoom(4002)).toBe(5);
    begin(4003).fail(4004, BUSY);
    expect(pace.countRoom(8000)).toBe(2);
  });

  test("one may always go, and single requests go on", () => {
    const { pace, begin, health, attempt } = makeWorld();
    for (let atMs = 0; atMs < 50_000; atMs += 10_000) begin(atMs).fail(atMs, BUSY);
    expect(pace.countRoom(60_000)).toBe(1);
    const line = begin(60_000);
    expect(health.begin(attempt, 60_000, null, LINE)).toBeNull();
    for (let others = 0; others < 5; others++) begin(60_000, SINGLE);
    line.abandon();
    expect(pace.countRoom(60_001)).toBe(1);
    expect(pace.countRoom(700_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("lines leave a quarter", () => {
  test.each([
    [
      "OpenAI",
      {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "30",
        "x-ratelimit-reset-requests": "1m30s",
      },
      90_000,
    ],
    [
      "Anthropic",
      {
        date: "Fri, 27 Nov 2026 10:00:00 GMT",
        "anthropic-ratelimit-requests-limit": "100",
        "anthropic-ratelimit-requests-remaining": "30",
        "anthropic-ratelimit-requests-reset": "2026-11-27T10:00:40Z",
      },
      40_000,
    ],
    [
      "a provider that doesn't say when",
      { "x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "30" },
      60_000,
    ],
  ])("of what %s says is left, until its reset", (_, headers, resetMs) => {
    const { pace, begin } = makeWorld();
    begin(0).recordResponse(new Headers(Object.entries(headers)), 0);
    expect(pace.countRoom(1)).toBe(5);
    begin(2);
    expect(pace.countRoom(3)).toBe(4);
    expect(pace.countRoom(resetMs)).toBe(Number.POSITIVE_INFINITY);
  });

  test("of a provider that says so only now and then, within a second", () => {
    const { pace, begin } = makeWorld();
    const left = { "x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "30" };
    begin(0).recordResponse(new Headers({ "content-type": "application/json" }), 0);
    begin(1000).recordResponse(new Headers(left), 1000);
    expect(pace.countRoom(1001)).toBe(5);
    begin(1100).recordResponse(new Headers({ ...left, "x-ratelimit-remaining-requests": "28" }), 1100);
    expect(pace.countRoom(1101)).toBe(3);
  });

  test("of tokens that are said to be left", () => {
    const { pace, begin } = makeWorld();
    const say = (left: number) =>
      begin(0).recordResponse(
        new Headers({ "x-ratelimit-remaining-tokens": String(left), "x-ratelimit-reset-tokens": "250ms" }),
        0,
      );
    say(1000);
    expect(pace.countRoom(1)).toBe(Number.POSITIVE_INFINITY);
    say(250);
    expect([pace.countRoom(1), pace.countRoom(250)]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  test("of the credential's own limits", () => {
    const rated = makeWorld({ requestsPerMinute: 10 });
    expect(rated.pace.countRoom(0)).toBe(8);
    for (let lines = 0; lines < 8; lines++) rated.begin(0);
    expect([rated.pace.countRoom(0), rated.health.begin(rated.attempt, 0, null, LINE)]).toEqual([0, null]);
    rated.begin(0, SINGLE);
    expect(makeWorld({ parallel: 4 }).pace.countRoom(0)).toBe(3);
    expect(makeWorld({ parallel: 1 }).pace.countRoom(0)).toBe(1);
  });
});

describe("lines of an account", () => {
  test("that the provider fails at, however many, leave another's the same pace", () => {
    const { pace, begin, health, attempt } = makeWorld();
    begin(0, LINE, "acct_b").finish(1, null);
    const broken = new Fault("upstream_error", "It can't render this text.", { upstreamStatus: 500 });
    const failing = Array.from({ length: 40 }, () => begin(2));
    for (const line of failing) line.fail(3, broken);
    const refusals = new RequestRefusals(makeKey("key", { accountId: "acct_a" }));
    expect(health.begin(attempt, 4, refusals, LINE)).toBeNull();
    expect(pace.countRoom(4)).toBe(Number.POSITIVE_INFINITY);
    begin(4, LINE, "acct_b").finish(5, null);
  });

  test("that meet the provider's limit leave another's single requests theirs, once the provider's time is over", () => {
    const { pace, begin } = makeWorld();
    for (const line of Array.from({ length: 8 }, () => begin(0))) line.fail(1, BUSY);
    const held = Array.from({ length: 4 }, () => begin(3001));
    expect(pace.countRoom(3002)).toBe(0);
    for (let at = 0; at < 20; at++) begin(3002, SINGLE, "acct_b").finish(3003, null);
    // Nor are another's lines kept away for longer than one of those lines takes.
    held[0]?.abandon();
    begin(3004, LINE, "acct_b").finish(3005, null);
  });
});
