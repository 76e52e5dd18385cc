// The numbers of a tool's breaker.
import { expect, test } from "bun:test";
import { makeToolBreaker } from "../../src/health/breaker/tool.ts";

const A = "acct_a";
const B = "acct_b";

test("a tool isn't called for 10 s after five failures in a row, doubling to a minute, and one call tests it", () => {
  const breaker = makeToolBreaker();
  let nowMs = 0;
  for (let at = 0; at < 4; at++) breaker.recordFailure(nowMs, A, "free", "caller");
  breaker.recordSuccess(nowMs, A, "free");
  for (let at = 0; at < 4; at++) breaker.recordFailure(nowMs, A, "free", "caller");
  expect(breaker.isOpenFor(nowMs, A)).toBe(false);
  breaker.recordFailure(nowMs, A, "free", "caller");
  const waits: (number | null)[] = [];
  for (let at = 0; at < 5; at++) {
    const waitMs = breaker.waitMs(nowMs, A);
    waits.push(waitMs);
    nowMs += waitMs ?? 0;
    expect(breaker.pass(nowMs, A)).toBe("own");
    expect(breaker.pass(nowMs, A)).toBeNull();
    breaker.recordFailure(nowMs, A, "own", "caller");
  }
  expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(breaker.pass(nowMs, B)).toBe("free");
  nowMs += 60_000;
  expect(breaker.pass(nowMs, A)).toBe("own");
  breaker.recordSuccess(nowMs, A, "own");
  for (let at = 0; at < 5; at++) breaker.recordFailure(nowMs, A, "free", "caller");
  expect(breaker.waitMs(nowMs, A)).toBe(10_000);
});

test("failed connections leave everybody else few calls of a tool", () => {
  const breaker = makeToolBreaker();
  for (let at = 0; at < 5; at++) breaker.recordFailure(0, A, "free", "shared");
  expect([breaker.pass(0, A), breaker.pass(0, B)]).toEqual([null, "all"]);
  breaker.recordFailure(0, B, "all", "shared");
  expect(breaker.waitMs(0, B)).toBe(10_000);
});
