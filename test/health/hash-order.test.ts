// The order of a conversation's candidates: shares, and what changes with the list of candidates.
import { expect, test } from "bun:test";
import { orderByHash } from "../../src/health/order/hash-order.ts";

const CANDIDATES = [
  { name: "a", weight: 1 },
  { name: "b", weight: 1 },
  { name: "c", weight: 2 },
];
const SEEDS = Array.from({ length: 4000 }, (_, at) => Bun.hash.wyhash(`conversation ${at}`));

const namesOf = (seed: bigint, candidates: typeof CANDIDATES) =>
  orderByHash(seed, candidates).map(({ name }) => name);

test("each comes first, and second, in proportion to its weight", () => {
  const share = (at: number, name: string, among = SEEDS) =>
    among.filter((seed) => namesOf(seed, CANDIDATES)[at] === name).length / among.length;
  expect(share(0, "a")).toBeWithin(0.22, 0.28);
  expect(share(0, "c")).toBeWithin(0.46, 0.54);
  // Those of a candidate that is away are shared by weight, too.
  const ofA = SEEDS.filter((seed) => namesOf(seed, CANDIDATES)[0] === "a");
  expect(share(1, "c", ofA)).toBeWithin(0.6, 0.73);
});

test("the order of the list changes nothing, and one more candidate leaves the order of the others", () => {
  for (const seed of SEEDS.slice(0, 500)) {
    const before = namesOf(seed, CANDIDATES);
    expect(namesOf(seed, CANDIDATES.toReversed())).toEqual(before);
    const more = namesOf(seed, [{ name: "d", weight: 3 }, ...CANDIDATES]);
    expect(more.filter((name) => name !== "d")).toEqual(before);
  }
});

test("a larger weight only moves conversations to its candidate", () => {
  const heavier = CANDIDATES.map((one) => (one.name === "a" ? { ...one, weight: 3 } : one));
  for (const seed of SEEDS.slice(0, 500)) {
    const first = namesOf(seed, heavier)[0];
    if (first !== "a") expect(first).toBe(namesOf(seed, CANDIDATES)[0] ?? "");
  }
});

test("candidates beyond 1,024 follow as they came", () => {
  const many = Array.from({ length: 1030 }, (_, at) => ({ name: `${at}`, weight: 1 }));
  const order = namesOf(1n, many);
  expect(new Set(order).size).toBe(1030);
  expect(order.slice(1024)).toEqual(["1024", "1025", "1026", "1027", "1028", "1029"]);
});
