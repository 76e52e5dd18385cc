// Request ids: those of one moment sort together, and none can be guessed.
import { expect, test } from "bun:test";
import { random } from "../../src/app/world.ts";
import { mintOrderedId } from "../../src/core/world/ordered-id.ts";
import { NOON } from "../harness/samples.ts";

test("later ids are greater, whatever their random bits", () => {
  for (let round = 0; round < 200; round++) {
    const moments = [NOON, NOON + 1, NOON + 2.9, NOON + 86_400_000, NOON * 2];
    const ids = moments.map((atMs) => mintOrderedId(random, atMs));
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  }
});

test("ids of the same millisecond sort as they were made, and differ in their last 64 bits", () => {
  for (let ms = 0; ms < 40; ms++) {
    const ids = Array.from({ length: 1000 }, () => mintOrderedId(random, NOON + ms));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(1);
    expect(new Set(ids.map((id) => id.slice(16))).size).toBe(1000);
    for (const id of ids) expect(id).toHaveLength(32);
  }
});
