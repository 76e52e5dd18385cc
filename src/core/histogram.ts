// Times counted in buckets, so that the counts of many hours, keys and models add up to percentiles of all of them.

/** Each bucket reaches so much farther than the one before: a percentile is off by a tenth at most, in the middle by half of that. */
const FACTOR = 1.2;
const STEP = Math.log(FACTOR);
/** Three hours and more. */
const BUCKET_MAX = 90;

/** The bucket of a time: 0 holds what took up to a millisecond, bucket n what took up to 1.2 to the n. */
export function findBucket(ms: number): number {
  if (ms <= 1) return 0;
  return Math.min(BUCKET_MAX, Math.ceil(Math.log(ms) / STEP - 1e-9));
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** In whole milliseconds; null when nothing was counted. */
export function computePercentiles(counts: ReadonlyMap<number, number>): Percentiles | null {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  return { p50: percentile(buckets, total * 0.5), p95: percentile(buckets, total * 0.95) };
}

function percentile(buckets: readonly (readonly [number, number])[], rank: number): number {
  let below = 0;
  for (const [bucket, count] of buckets) {
    // Within a bucket the times are taken to be spread evenly, as its factor grows.
    if (below + count >= rank) return Math.round(FACTOR ** (bucket - 1 + (rank - below) / count));
    below += count;
  }
  return Math.round(FACTOR ** (buckets.at(-1)?.[0] ?? 0));
}
