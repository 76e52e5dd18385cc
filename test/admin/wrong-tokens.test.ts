// The limit on wrong admin tokens: per minute, across all processes of a store, without a write for each guess.
import { beforeEach, expect, test } from "bun:test";
import { WrongTokens } from "../../src/admin/people/wrong-tokens.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { adminBench } from "./admin-world.ts";

const bench = adminBench();
const PER_MINUTE = 60;
let nowMs = 0;
let lines: LogEvent[] = [];
let writes = 0;

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20, 12, 0, 20);
  lines = [];
  writes = 0;
});

/** The count of one process, on a shared store. */
function processOf() {
  const { store } = bench().world;
  return new WrongTokens({
    store: {
      changeSetting: (name, change) => {
        writes++;
        return store.changeSetting(name, change);
      },
    },
    refused: { note: () => {} },
    clock: { nowMs: () => nowMs },
    log: (event) => void lines.push(event),
  });
}

/** Returns how many guesses are answered as wrong. The others are answered with a wait. */
function toldWrong(tokens: WrongTokens, guesses: number): number {
  const faults = Array.from({ length: guesses }, () => tokens.refuse("Wrong.", "192.0.2.1"));
  for (const fault of faults) {
    if (fault.code === "invalid_api_key") continue;
    expect(fault.code).toBe("rate_limit_exceeded");
    // At the twentieth second, the minute ends in 40 s.
    expect(fault.details.retryAfterMs).toBe(40_000);
  }
  return faults.filter(({ code }) => code === "invalid_api_key").length;
}

test("wrong tokens are refused for the rest of the minute, and the next minute starts over", () => {
  const tokens = processOf();
  expect(toldWrong(tokens, 10_000)).toBe(PER_MINUTE);
  nowMs += 40_000;
  expect(tokens.refuse("Wrong.", "").code).toBe("invalid_api_key");
});

test("processes on one store share the limit", async () => {
  const one = processOf();
  const other = processOf();
  const third = processOf();
  expect([toldWrong(one, 25), toldWrong(other, 25)]).toEqual([25, 25]);
  await Promise.all([one.share(), other.share()]);
  await one.share();
  // The store knows of 50. A process that counted none learns of them with its first guess.
  expect(toldWrong(third, 1)).toBe(1);
  await third.share();
  expect(toldWrong(third, 100)).toBe(PER_MINUTE - 51);
  await third.share();
  expect(toldWrong(one, 100)).toBeLessThanOrEqual(PER_MINUTE);
});

test("guesses write at most once a second, and not at all beyond the limit", async () => {
  const tokens = processOf();
  toldWrong(tokens, 10_000);
  expect(writes).toBe(0);
  await tokens.share();
  toldWrong(tokens, 10_000);
  for (let second = 0; second < 30; second++) await tokens.share();
  expect(writes).toBe(1);
});

test("nothing is written or logged without a wrong token", async () => {
  await processOf().share();
  expect([writes, lines]).toEqual([0, []]);
});

test("the log reports their number once a minute", async () => {
  const tokens = processOf();
  toldWrong(tokens, 3);
  await tokens.share();
  toldWrong(tokens, 1000);
  for (let second = 0; second < 59; second++) await tokens.share();
  expect(lines).toEqual([
    { event: "wrong_admin_tokens", level: "warn", tokens: 3, last_address: "192.0.2.1" },
  ]);
  nowMs += 60_000;
  await tokens.share();
  expect(lines.slice(1)).toMatchObject([{ tokens: 1000 }]);
});

test("a count left by another version or a wrong clock is ignored", async () => {
  const { store } = bench().world;
  for (const kept of ["", "nonsense", "99999999999 60", "1 60"]) {
    await store.setSetting("wrong_admin_tokens", kept);
    const tokens = processOf();
    expect(toldWrong(tokens, 1)).toBe(1);
    await tokens.share();
    expect(toldWrong(tokens, 100)).toBe(PER_MINUTE - 1);
  }
});

test("links that are refused count as well, and have a line of their own", async () => {
  const tokens = processOf();
  for (let at = 0; at < PER_MINUTE; at++) tokens.refuse("Used.", "127.0.0.1", "link");
  expect(toldWrong(tokens, 1)).toBe(0);
  await tokens.share();
  expect(lines).toEqual([
    { event: "wrong_admin_tokens", level: "warn", tokens: 1, last_address: "192.0.2.1" },
    { event: "refused_console_links", level: "warn", links: PER_MINUTE, last_address: "127.0.0.1" },
  ]);
});
