// A histogram of durations that can be summed over hours, keys and models to give percentiles.

/** Each bucket ends at this multiple of the previous one, so a percentile is off by at most a tenth. */
const FACTOR = 1.2;
const STEP = Math.log(FACTOR);
/** Three hours and more. */
const BUCKET_MAX = 90;

/** Returns the bucket of a duration: 0 is up to one millisecond, n is up to 1.2 to the power of n. */
export function findBucket(ms: number): number {
  if (ms <= 1) return 0;
  return Math.min(BUCKET_MAX, Math.ceil(Math.log(ms) / STEP - 1e-9));
}

/** The last whole millisecond of each bucket but the last one, in order. Some buckets have none of their own. */
export const BUCKET_ENDS: readonly number[] = Array.from({ length: BUCKET_MAX }, (_, bucket) =>
  Math.floor(FACTOR ** (bucket + 1e-9)),
);

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** In whole milliseconds. Null if nothing was counted. */
export function computePercentiles(counts: ReadonlyMap<number, number>): Percentiles | null {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  return { p50: computePercentile(buckets, total * 0.5), p95: computePercentile(buckets, total * 0.95) };
}

function computePercentile(buckets: readonly (readonly [number, number])[], rank: number): number {
  let below = 0;
  for (const [bucket, count] of buckets) {
    // Assumes that times are spread evenly, on a log scale, within a bucket.
    if (below + count >= rank) return Math.round(FACTOR ** (bucket - 1 + (rank - below) / count));
    below += count;
  }
  return Math.round(FACTOR ** (buckets.at(-1)?.[0] ?? 0));
}
