// The console's words for the work of an answer.
import { expect, test } from "bun:test";
import { describeUnits, describeUsage } from "../../src/console/frame/format.ts";

const NOTHING = { images: 0, seconds: 0, characters: 0, search_units: 0, pages: 0 };

test("usage is shown in tokens, in units, or in both", () => {
  const tokens = { prompt: 1200, completion: 30 };
  expect(describeUnits(NOTHING)).toBeNull();
  expect(describeUsage(tokens, NOTHING)).toBe("1,200 → 30");
  expect(describeUsage({ prompt: 0, completion: 0 }, { ...NOTHING, search_units: 1 })).toBe("1 search unit");
  expect(describeUsage(tokens, { ...NOTHING, images: 2, seconds: 61 })).toBe(
    "1,200 → 30, 2 images, 61 seconds",
  );
});
