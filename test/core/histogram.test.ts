// Percentiles from time buckets are close to those of the times themselves.
import { expect, test } from "bun:test";
import { computePercentiles, findBucket } from "../../src/core/world/histogram.ts";

function counted(times: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const ms of times) counts.set(findBucket(ms), (counts.get(findBucket(ms)) ?? 0) + 1);
  return counts;
}

function exact(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

test("a duration's bucket ends within a fifth above it and starts below it", () => {
  for (let ms = 2; ms < 1_000_000; ms = Math.ceil(ms * 1.01)) {
    const bucket = findBucket(ms);
    expect(1.2 ** bucket).toBeGreaterThanOrEqual(ms * (1 - 1e-6));
    expect(1.2 ** (bucket - 1)).toBeLessThan(ms);
  }
  expect([findBucket(0), findBucket(1), findBucket(-5), findBucket(1e12)]).toEqual([0, 0, 0, 90]);
});

test.each([
  ["even", (at: number) => 100 + at],
  ["spread over decades", (at: number) => Math.round(10 * 1.005 ** at)],
  ["two groups", (at: number) => (at % 3 === 0 ? 4000 + at : 200 + (at % 50))],
] as const)("percentiles of times that are %s are within a tenth", (_, timeAt) => {
  const times = Array.from({ length: 2000 }, (_, at) => timeAt(at));
  const found = computePercentiles(counted(times));
  for (const [share, percentile] of [
    [0.5, found?.p50 ?? 0],
    [0.95, found?.p95 ?? 0],
  ] as const) {
    expect(Math.abs(percentile / exact(times, share) - 1)).toBeLessThan(0.1);
  }
});

test("an empty histogram has no percentiles, and a single time is its own, approximately", () => {
  expect(computePercentiles(new Map())).toBeNull();
  expect(computePercentiles(new Map([[5, 0]]))).toBeNull();
  const one = computePercentiles(counted([500]));
  expect(Math.abs((one?.p50 ?? 0) / 500 - 1)).toBeLessThan(0.2);
});
