// When tool servers are asked for their lists, and what of them is kept.
import { describe, expect, test } from "bun:test";
import { type ListTimes, planList } from "../../src/tools/freshness.ts";
import { buildMirror, EMPTY_LISTS } from "../../src/tools/mirror.ts";
import { MirrorPool } from "../../src/tools/mirror-pool.ts";
import { RecentValues } from "../../src/tools/recent-values.ts";

describe("a list", () => {
  const taken: ListTimes = { takenAtMs: 0, failedAtMs: null, isOutdated: false };
  test.each([
    ["is asked for if there is none", { ...taken, takenAtMs: null }, 0, false, true],
    [
      "isn't asked for within 10 s of a failure",
      { ...taken, takenAtMs: null, failedAtMs: 0 },
      9_999,
      false,
      false,
    ],
    ["is asked for 10 s after a failure", { ...taken, takenAtMs: null, failedAtMs: 0 }, 10_000, false, true],
    ["is shown for 60 s", taken, 59_999, true, false],
    ["is shown and asked for after 60 s", taken, 60_000, true, true],
    ["is asked for once it has changed", { ...taken, isOutdated: true }, 1, true, true],
    ["is shown while its server fails", { ...taken, failedAtMs: 60_000 }, 60_001, true, false],
    ["isn't shown after ten minutes", { ...taken, failedAtMs: 599_000 }, 600_000, false, false],
  ] as const)("%s", (_name, times, nowMs, canShow, mustAsk) => {
    expect(planList(times, nowMs)).toEqual({ canShow, mustAsk });
  });
});

test("of the values that are kept, the one that was used longest ago goes first", () => {
  const countBytes = (values: Iterable<{ readonly bytes: number }>) =>
    [...values].reduce((sum, { bytes }) => sum + bytes, 0);
  const values = new RecentValues<{ readonly bytes: number }>({ count: 2, bytes: 100, countBytes });
  const use = (key: string, bytes = 1) => values.get(key, () => ({ bytes }));
  const first = use("a");
  use("b");
  expect(use("a")).toBe(first);
  use("c");
  expect(use("a")).toBe(first);
  expect(use("b", 7).bytes).toBe(7);
  expect(use("large", 101).bytes).toBe(101);
  expect(use("b", 8).bytes).toBe(8);
});

test("mirrors with the same lists are one object, and no others", () => {
  const pool = new MirrorPool();
  const make = (names: readonly string[]) =>
    buildMirror({ ...EMPTY_LISTS, tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) });
  const first = pool.share(make(["a", "b"]));
  expect(pool.share(make(["a", "b"]))).toBe(first);
  const other = pool.share(make(["a"]));
  expect([...other.tools.keys()]).toEqual(["a"]);
  expect(pool.share(make(["a", "b"]))).toBe(first);
});
