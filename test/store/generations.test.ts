// A cache in generations forgets what was not used lately, and nothing within a transaction.
import { expect, test } from "bun:test";
import { Generations } from "../../src/store/sqlite/generations.ts";

test("what is used stays, and the rest is forgotten once two generations are over", () => {
  const kept = new Generations<number>(3);
  for (const id of ["a", "b", "c"]) kept.set(id, 1);
  kept.turn();
  expect([kept.get("a"), kept.get("none")]).toEqual([1, undefined]);
  for (const id of ["d", "e"]) kept.set(id, 2);
  expect(kept.get("b")).toBe(1);
  kept.turn();
  expect(kept.get("c")).toBeUndefined();
  expect(["a", "b", "d", "e"].map(kept.get)).toEqual([1, 1, 2, 2]);
});

test("nothing is forgotten before the next turn, and what was deleted doesn't come back", () => {
  const kept = new Generations<number>(2);
  for (const id of ["a", "b", "c", "d", "e"]) kept.set(id, 1);
  expect(["a", "b", "c", "d", "e"].map(kept.get)).toEqual([1, 1, 1, 1, 1]);
  kept.turn();
  kept.delete("a");
  expect([kept.get("a"), kept.get("b")]).toEqual([undefined, 1]);
  kept.clear();
  expect(kept.get("b")).toBeUndefined();
});
