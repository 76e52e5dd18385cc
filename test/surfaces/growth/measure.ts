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
/** The larger work is so many times as large as the smaller one. */
const GROWTH = 8;

/**
 * Returns how many times as long the larger work takes as the smaller one, of which `most` would be too much. Rounds are
 * repeated only while they exceed it. The smaller work runs eight times in a row, so that both leave as much to collect:
 * on a busy machine, the collector made work that is linear seem to take 36 times as long.
 */
export function compareTimes(small: Work, large: Work, most: number): number {
  const smalls = () => {
    for (let time = 0; time < GROWTH; time++) small();
  };
  let smallsMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    // The first round compiles.
    smallsMs = Math.min(smallsMs, measureLeastMs(smalls, 1));
    largeMs = Math.min(largeMs, measureLeastMs(large, 1));
    if (round > 0 && largeMs * GROWTH <= smallsMs * most) break;
  }
  return (largeMs * GROWTH) / smallsMs;
}
