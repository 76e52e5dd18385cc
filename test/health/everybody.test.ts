// A breaker that is open for everybody: who goes on, and how many calls all others have.
import { describe, expect, test } from "bun:test";
import { Breaker } from "../../src/health/breaker/breaker.ts";

const CALLER = "caller";

/** Lets the payer call, if the breaker does. Returns false if it doesn't. */
function call(breaker: Breaker, nowMs: number, payer: string, works: boolean): boolean {
  const passage = breaker.pass(nowMs, payer);
  if (passage === null) return false;
  if (works) breaker.recordSuccess(nowMs, payer, passage);
  else breaker.recordFailure(nowMs, payer, passage, CALLER);
  return true;
}

/** A breaker that two payers have opened for everybody, at 0 ms. */
function openForAll(): Breaker {
  const breaker = new Breaker();
  for (let at = 0; at < 5; at++) for (const payer of ["ann", "ben"]) call(breaker, 0, payer, false);
  expect(breaker.isOpenForAll(0)).toBeTrue();
  return breaker;
}

describe("a breaker that is open for everybody", () => {
  test("lets go on whoever was served within a minute, or has an answer coming in", () => {
    const breaker = new Breaker();
    for (const payer of ["cat", "dan"]) call(breaker, 0, payer, true);
    breaker.beginAnswer("dan");
    for (let at = 0; at < 10; at++) for (const payer of ["ann", "ben"]) call(breaker, 0, payer, false);
    const keepOpen = (nowMs: number) => {
      for (const payer of ["ann", "ben", "eva"]) breaker.recordFailure(nowMs, payer, "free", CALLER);
    };
    for (const nowMs of [20_000, 40_000, 60_000, 60_001]) {
      keepOpen(nowMs);
      expect(breaker.isOpenForAll(nowMs)).toBeTrue();
      expect([nowMs, breaker.isOpenFor(nowMs, "cat")]).toEqual([nowMs, nowMs > 60_000]);
      expect(breaker.pass(nowMs, "dan")).toBe("free");
    }
    breaker.endAnswer("dan");
    expect(breaker.pass(60_001, "dan")).toBe("all");
  });

  test("gives every other payer four calls until the first of them ends, then one a wait", () => {
    const breaker = openForAll();
    const pass = (nowMs: number) => breaker.pass(nowMs, "cat");
    expect([1, 2, 3, 4, 5].map(pass)).toEqual(["all", "all", "all", "all", null]);
    expect([breaker.waitMs(5, "cat"), breaker.lacksPlace(5, "cat")]).toEqual([null, true]);
    for (let at = 0; at < 4; at++) breaker.recordFailure(10, "cat", "all", CALLER);
    const waits: (number | null)[] = [];
    let nowMs = 10;
    for (let test = 0; test < 7; test++) {
      const waitMs = breaker.waitMs(nowMs, "cat");
      waits.push(waitMs);
      expect([breaker.pass(nowMs, "cat"), breaker.lacksPlace(nowMs, "cat")]).toEqual([null, false]);
      nowMs += waitMs ?? 0;
      breaker.recordFailure(nowMs - 1, "eva", "free", CALLER);
      const passage = pass(nowMs);
      expect([passage, pass(nowMs)]).toEqual([test === 0 ? "all" : "both", null]);
      breaker.recordFailure(nowMs, "cat", passage ?? "free", CALLER);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test("lets a payer go on at the first call that is answered, and nobody else", () => {
    const breaker = openForAll();
    expect(breaker.pass(1, "cat")).toBe("all");
    breaker.recordSuccess(2, "cat", "all");
    for (let at = 0; at < 20; at++) expect(breaker.pass(3, "cat")).toBe("free");
    expect([breaker.pass(3, "ann"), breaker.pass(3, "ben"), breaker.waitMs(3, "ann")]).toEqual([
      null,
      null,
      997,
    ]);
  });

  test("has 8 places for those who failed within the hour, 64 for the others, and at most 16 for a voice", () => {
    const failed = openForAll();
    for (let at = 0; at < 20; at++) failed.recordFailure(0, `failed ${at}`, "free", CALLER);
    const count = (breaker: Breaker, nowMs: number, names: readonly string[]) =>
      names.filter((name) => breaker.pass(nowMs, name) !== null).length;
    const list = (name: string) => Array.from({ length: 100 }, (_, at) => `${name}${at}`);
    expect(count(failed, 1000, list("failed ").slice(0, 20))).toBe(8);
    expect(count(failed, 1000, list("acct_"))).toBe(64);
    const voices = openForAll();
    expect(count(voices, 1, list("acme member_"))).toBe(16);
    expect(count(voices, 1, list("acct_"))).toBe(48);
    expect(voices.lacksPlace(1, "acct_new")).toBeTrue();
    voices.release("acct_0", "all");
    expect([voices.lacksPlace(1, "acct_new"), voices.pass(1, "acct_new")]).toEqual([false, "all"]);
  });

  test("closes once the numbers aren't reached any more, and resets no payer's own circuit", () => {
    const breaker = openForAll();
    const changes = Array.from({ length: 12 }, (_, at) => {
      breaker.pass(1 + at, "cat");
      return breaker.recordSuccess(1 + at, "cat", at === 0 ? "all" : "free");
    });
    expect(changes.filter((change) => change === "all")).toHaveLength(1);
    expect([breaker.readState(20), breaker.listOpenPayers()]).toEqual(["closed", ["ann", "ben"]]);
    expect([breaker.pass(20, "ann"), breaker.pass(20, "new")]).toEqual([null, "free"]);
  });

  test("closes after 30 s without a failure, but not while a call is out", () => {
    const breaker = openForAll();
    expect([breaker.isOpenForAll(29_999), breaker.isOpenForAll(30_000)]).toEqual([true, false]);
    const hanging = openForAll();
    hanging.pass(20_000, "cat");
    expect(hanging.isOpenForAll(40_000)).toBeTrue();
    hanging.recordFailure(50_000, "cat", "all", CALLER);
    expect([hanging.isOpenForAll(79_999), hanging.isOpenForAll(80_000)]).toEqual([true, false]);
  });
});
