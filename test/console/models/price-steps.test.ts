// The two texts of a changed price, as a line for each of its parts.
import { expect, test } from "bun:test";
import { pairRates } from "../../../src/console/models/price-steps.ts";

test.each([
  ["input 1, output 2", "input 1.5, output 3", [["", ["input 1 → 1.5", "output 2 → 3"]]]],
  [
    "input 1, service flex: cached_input 0.5, above 272000: input 2",
    "input 2, service flex: cached_input 1, above 272000: input 4",
    [
      ["", ["input 1 → 2"]],
      ["service flex", ["cached input 0.5 → 1"]],
      ["above 272000", ["input 2 → 4"]],
    ],
  ],
])("%s and %s", (before, after, lines) => {
  expect<unknown>(pairRates(before, after)?.map(({ name, rates }) => [name, rates])).toEqual(lines);
});

test.each([
  ["400000", "500000"],
  ["2027-01-14", "2027-03-01"],
  ["input 1, output 2", "input 1"],
  ["input 1", "output 1"],
  ["service flex: input 1", "service priority: input 1"],
])("%s and %s aren't the same rates", (before, after) => {
  expect(pairRates(before, after)).toBeNull();
});
