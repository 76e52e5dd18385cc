// The approximate length of values as JSON.
import { expect, test } from "bun:test";
import { estimateLength } from "../../../src/core/json/rough-length.ts";

test("values count about as much as their JSON", () => {
  const text = "x".repeat(1000);
  const delta = { index: 0, delta: { role: "assistant", content: "Hello, world." }, finish_reason: null };
  for (const value of [
    text,
    { content: text },
    [[text], text],
    { tags: ["a", "b"], texts: { text } },
    delta,
  ]) {
    const { length } = JSON.stringify(value);
    expect(Math.abs(estimateLength(value) - length)).toBeLessThan(0.2 * length);
  }
});

test("bytes count once, wherever they stand", () => {
  const sound = new Uint8Array(100_000);
  expect(estimateLength([{ sound }, { part: { sound } }])).toBeWithin(200_000, 200_100);
  expect(estimateLength(sound.subarray(10))).toBe(99_990);
});
