// Counts that fade with time, and quantiles over them. Reading changes nothing: a count is projected to the time given.

/** After this many half-lives the counts are rescaled, before the growing weights of new ones lose digits. */
const HALF_LIVES_MAX = 40;

/** Several counts that halve every `halfLifeMs`. Instead of shrinking earlier counts, later ones weigh more. */
export class FadingCounts {
  readonly #halfLifeMs: number;
  readonly #counts: Float64Array;
  /** The moment at which a count weighs 1. */
  #originMs = 0;

  constructor(size: number, halfLifeMs: number) {
    this.#counts = new Float64Array(size);
    this.#halfLifeMs = halfLifeMs;
  }

  add(slot: number, nowMs: number, by = 1): void {
    if (this.#halfLives(nowMs) > HALF_LIVES_MAX) this.#rebase(nowMs);
    this.#counts[slot] = (this.#counts[slot] ?? 0) + by * 2 ** this.#halfLives(nowMs);
  }

  /** The count of a slot after fading. */
  at(slot: number, nowMs: number): number {
    const count = this.#counts[slot] ?? 0;
    return count === 0 ? 0 : count * 2 ** -this.#halfLives(nowMs);
  }

  /** Adds this share of all counts, faded, to others. */
  addTo(sums: Float64Array, nowMs: number, share = 1): void {
    const factor = share * 2 ** -this.#halfLives(nowMs);
    for (let slot = 0; slot < sums.length; slot++) {
      sums[slot] = (sums[slot] ?? 0) + (this.#counts[slot] ?? 0) * factor;
    }
  }

  clear(): void {
    this.#counts.fill(0);
  }

  #halfLives(nowMs: number): number {
    return (nowMs - this.#originMs) / this.#halfLifeMs;
  }

  #rebase(nowMs: number): void {
    const factor = 2 ** -this.#halfLives(nowMs);
    for (const [slot, count] of this.#counts.entries()) this.#counts[slot] = count * factor;
    this.#originMs = nowMs;
  }
}

/** Good and bad outcomes that halve every `halfLifeMs`: the lean form, of which there is one for each payer. */
export class FadingPair {
  readonly #halfLifeMs: number;
  #good = 0;
  #bad = 0;
  #atMs = 0;

  constructor(halfLifeMs: number) {
    this.#halfLifeMs = halfLifeMs;
  }

  add(isGood: boolean, nowMs: number): void {
    const factor = this.#fade(nowMs);
    this.#good = this.#good * factor + Number(isGood);
    this.#bad = this.#bad * factor + Number(!isGood);
    this.#atMs = nowMs;
  }

  goodAt(nowMs: number): number {
    return this.#good * this.#fade(nowMs);
  }

  badAt(nowMs: number): number {
    return this.#bad * this.#fade(nowMs);
  }

  clear(): void {
    this.#good = 0;
    this.#bad = 0;
  }

  #fade(nowMs: number): number {
    return 2 ** ((this.#atMs - nowMs) / this.#halfLifeMs);
  }
}

/** The ratio of a bucket's upper bound to its lower one. A quantile is off by at most half of it. */
const RATIO = 1.12;
const BUCKETS = 125;

/** Values from 1 to about a million, by their size; smaller and larger ones count as 1 and as a million. */
export class FadingValues {
  readonly buckets: FadingCounts;

  constructor(halfLifeMs: number) {
    this.buckets = new FadingCounts(BUCKETS, halfLifeMs);
  }

  add(value: number, nowMs: number): void {
    const bucket = Math.floor(Math.log(Math.max(1, value)) / Math.log(RATIO));
    this.buckets.add(Math.min(bucket, BUCKETS - 1), nowMs);
  }
}

/** The typical size of the last values (a geometric mean), kept for some time after the fresh ones have faded. */
export class LastValues {
  readonly #keptMs: number;
  #log: number | null = null;
  #atMs = 0;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  add(value: number, nowMs: number): void {
    const log = Math.log(Math.max(1, value));
    this.#log =
      this.at(nowMs) === null || this.#log === null ? log : this.#log + LAST_SHARE * (log - this.#log);
    this.#atMs = nowMs;
  }

  /** The time at which the last value becomes too old. Infinity if there is none. */
  untilMs(nowMs: number): number {
    return this.at(nowMs) === null ? Number.POSITIVE_INFINITY : this.#atMs + this.#keptMs;
  }

  /** Returns null if the last value is older than `keptMs`. */
  at(nowMs: number): number | null {
    return this.#log === null || nowMs - this.#atMs > this.#keptMs ? null : Math.exp(this.#log);
  }
}
/** The weight of the last value. */
const LAST_SHARE = 0.2;

/** Returns the quantile at each share, over the values counted in any of these. Null if they have faded to nothing. */
export function computeQuantiles(
  values: readonly FadingValues[],
  shares: readonly number[],
  nowMs: number,
): readonly number[] | null {
  if (values.length === 0) return null;
  const { counts, weight } = sumBuckets(values, nowMs);
  return weight > WEIGHT_MIN ? shares.map((share) => findQuantile(counts, share * weight)) : null;
}

interface Median {
  readonly value: number;
  /** The time from which the counts are too faded to use, unless further values are added. */
  readonly fadedAtMs: number;
}

/**
 * Returns the median, which stays the same until a value is added, as all counts fade alike. Null if they have faded. Of each
 * of the values a share may count instead of the whole.
 */
export function computeMedian(
  values: readonly FadingValues[],
  halfLifeMs: number,
  nowMs: number,
  shares: readonly number[] = [],
): Median | null {
  const { counts, weight } = sumBuckets(values, nowMs, shares);
  if (weight <= WEIGHT_MIN) return null;
  return {
    value: findQuantile(counts, 0.5 * weight),
    fadedAtMs: nowMs + halfLifeMs * Math.log2(weight / WEIGHT_MIN),
  };
}

/** Counts that have faded below this weight are too few to use. */
const WEIGHT_MIN = 0.01;

/** Returns the number of values after fading. */
export function weighValues(values: readonly FadingValues[], nowMs: number): number {
  return sumBuckets(values, nowMs).weight;
}

function sumBuckets(values: readonly FadingValues[], nowMs: number, shares: readonly number[] = []) {
  const counts = new Float64Array(BUCKETS);
  for (const [at, { buckets }] of values.entries()) buckets.addTo(counts, nowMs, shares[at]);
  let weight = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) weight += counts[bucket] ?? 0;
  return { counts, weight };
}

function findQuantile(counts: Float64Array, rank: number): number {
  let below = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const count = counts[bucket] ?? 0;
    if (count > 0 && below + count >= rank) return RATIO ** (bucket + (rank - below) / count);
    below += count;
  }
  return RATIO ** BUCKETS;
}
