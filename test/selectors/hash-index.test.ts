// Counts by hash are those of a Map, in its order, however many there are and however they collide.
import { expect, test } from "bun:test";
import { HashCounts } from "../../src/selectors/text/hash-index.ts";
import { makeDice } from "./dice.ts";

test("counts by hash are a Map's", () => {
  for (const [hashes, most] of [
    [40, 2 ** 32],
    [5000, 2 ** 32],
    [5000, 3000],
  ] as const) {
    const roll = makeDice(hashes);
    const counts = new HashCounts(10);
    const expected = new Map<number, number>();
    // Zero is a hash like any other, and equal low bits collide.
    const drawn = [
      0,
      ...Array.from({ length: hashes }, () => Math.floor(roll() * most) & (roll() < 0.3 ? ~1023 : ~0)),
    ];
    for (const hash of [...drawn, ...drawn.slice(0, 100)].map((one) => one >>> 0)) {
      const weight = roll();
      counts.add(hash | 0, weight);
      expected.set(hash, (expected.get(hash) ?? 0) + weight);
    }
    const places = [...expected.keys()].map((_, place) => place);
    expect(places.map((place) => counts.countAt(place))).toEqual([...expected.values()]);
    expect(places.map((place) => counts.hashAt(place) >>> 0)).toEqual([...expected.keys()]);
    expect([...counts]).toEqual([...expected]);
    expect([...counts.keys()]).toEqual([...expected.keys()]);
    expect(counts.size).toBe(expected.size);
  }
});
