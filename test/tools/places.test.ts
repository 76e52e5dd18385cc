// The places of a tool server's calls: the share of an account, and who gets the next free one.
import { describe, expect, test } from "bun:test";
import { Places } from "../../src/tools/places.ts";
import { Dice } from "../sim/dice.ts";

/** Takes all places that the account may have, and returns their number. */
function takeAll(places: Places, accountId: string): number {
  let count = 0;
  while (places.take(accountId)) count++;
  return count;
}

const WAIT_MS = 5000;

describe("one account", () => {
  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [32, 24],
    [1000, 750],
  ])("of %d places holds at most three quarters, rounded down and at least one: %d", (count, most) => {
    const places = new Places(count);
    expect(takeAll(places, "a")).toBe(most);
    expect(takeAll(places, "b")).toBe(Math.min(most, count - most));
    expect(takeAll(places, "c")).toBe(count - most - Math.min(most, count - most));
  });

  test("that waits at its share gets the place that it gives back itself, and no other", () => {
    const places = new Places(4);
    takeAll(places, "a");
    places.take("b");
    const given: string[] = [];
    places.wait("a", 0, () => given.push("a"));
    places.leave("b", 1);
    expect(given).toEqual([]);
    places.leave("a", 2);
    expect(given).toEqual(["a"]);
    expect([places.take("a"), places.take("b")]).toEqual([false, true]);
  });
});

describe("the next free place", () => {
  test("goes to the waiting account that holds least, and there to the call that waits longest", () => {
    const places = new Places(4);
    for (const account of ["a", "a", "b", "c"]) expect(places.take(account)).toBe(true);
    const given: string[] = [];
    for (const name of ["a1", "a2", "b1", "d1", "d2"]) places.wait(name.charAt(0), 0, () => given.push(name));
    for (const account of ["c", "d", "b", "a", "d"]) places.leave(account, 1);
    expect(given).toEqual(["d1", "d2", "b1", "a1", "a2"]);
  });

  test("goes round among accounts that hold as much, however many calls of one wait", () => {
    const places = new Places(1);
    places.take("a");
    const given: string[] = [];
    for (let at = 0; at < 5; at++) places.wait("a", 0, () => given.push("a"));
    for (const account of ["b", "c", "b"]) places.wait(account, 0, () => given.push(account));
    let holder = "a";
    for (let at = 0; at < 8; at++) {
      places.leave(holder, 1);
      holder = given.at(-1) ?? "";
    }
    expect(given).toEqual(["a", "b", "c", "a", "b", "a", "a", "a"]);
  });

  test("goes to nobody whose time is over or who has left, and one that was given meanwhile goes on", () => {
    const places = new Places(1);
    places.take("a");
    const given: string[] = [];
    places.wait("late", 0, () => given.push("late"));
    const left = places.wait("left", 1, () => given.push("left"));
    const first = places.wait("first", 1, () => given.push("first"));
    places.wait("second", 1, () => given.push("second"));
    places.withdraw(left, 2);
    places.leave("a", WAIT_MS);
    expect(given).toEqual(["first"]);
    places.withdraw(first, WAIT_MS);
    expect(given).toEqual(["first", "second"]);
    places.leave("second", WAIT_MS);
    expect(places.take("a")).toBe(true);
  });
});

test("over 300 random days no place is lost, given twice or left free while somebody may have it", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const dice = new Dice(seed);
    const count = dice.int(1, 9);
    const most = Math.max(1, Math.floor(count * 0.75));
    const places = new Places(count);
    const held: string[] = [];
    const waiting = new Map<ReturnType<Places["wait"]>, string>();
    const countOf = (account: string) => held.filter((one) => one === account).length;
    for (let nowMs = 0; nowMs < 20_000; nowMs += dice.int(1, 500)) {
      const account = dice.pick(["a", "b", "c", "d"]);
      for (const waiter of [...waiting.keys()])
        if (waiter.untilMs <= nowMs && waiting.delete(waiter)) places.withdraw(waiter, nowMs);
      if (dice.chance(0.5) && held.length > 0) {
        const [leaver = ""] = held.splice(dice.int(0, held.length - 1), 1);
        places.leave(leaver, nowMs);
      } else if (places.take(account)) held.push(account);
      else {
        const waiter = places.wait(account, nowMs, () => {
          waiting.delete(waiter);
          held.push(account);
        });
        waiting.set(waiter, account);
      }
      expect(held.length).toBeLessThanOrEqual(count);
      for (const name of ["a", "b", "c", "d"]) expect(countOf(name)).toBeLessThanOrEqual(most);
      if (held.length < count) for (const name of waiting.values()) expect(countOf(name)).toBe(most);
    }
  }
});
