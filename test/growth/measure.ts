// Measures how the time of some work grows with its size.

export type Work = () => unknown;

/** The least of several rounds, in ms. Other load on the machine only makes a round slower. */
export function measureLeastMs(work: Work, rounds: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    work();
    least = Math.min(least, performance.now() - startedMs);
  }
  return least;
}

const ROUNDS_MAX = 30;

/**
 * Returns how many times as long the larger work takes, of which `most` would be too much. Rounds are repeated only
 * while they exceed it.
 */
export function compareTimes(small: Work, large: Work, most: number): number {
  let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS_MAX; round++) {
    // The first round compiles, and the smaller work is the one that noise hits hardest.
    smallMs = Math.min(smallMs, measureLeastMs(small, 2));
    largeMs = Math.min(largeMs, measureLeastMs(large, 1));
    if (round > 0 && largeMs <= smallMs * most) break;
  }
  return largeMs / smallMs;
}
