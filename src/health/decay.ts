// Counts that fade with time, and quantiles over them. Reading changes nothing: what is read is projected to its moment.

/** Beyond so many half-lives the counts are written anew, before the weights of new ones lose digits. */
const HALF_LIVES_MAX = 40;

/** Several counts that halve every `halfLifeMs`. A later count weighs more instead of the earlier ones being shrunk. */
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

  /** Adds all counts, faded, to others. */
  addTo(sums: Float64Array, nowMs: number): void {
    const factor = 2 ** -this.#halfLives(nowMs);
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

/** Each bucket's upper bound over its lower one: what is read is off by half of that at most. */
const RATIO = 1.12;
const BUCKETS = 125;

/** Values from 1 to about a million, by their size; smaller and larger ones count as those. */
export class FadingValues {
  readonly #buckets: FadingCounts;

  constructor(halfLifeMs: number) {
    this.#buckets = new FadingCounts(BUCKETS, halfLifeMs);
  }

  add(value: number, nowMs: number): void {
    const bucket = Math.floor(Math.log(Math.max(1, value)) / Math.log(RATIO));
    this.#buckets.add(Math.min(bucket, BUCKETS - 1), nowMs);
  }

  addTo(sums: Float64Array, nowMs: number): void {
    this.#buckets.addTo(sums, nowMs);
  }
}

/** The typical size of the last values (a geometric mean): remembered when nothing fresh is left, for some time. */
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

  /** null: there were none for so long. */
  at(nowMs: number): number | null {
    return this.#log === null || nowMs - this.#atMs > this.#keptMs ? null : Math.exp(this.#log);
  }
}
/** The weight of the last one. */
const LAST_SHARE = 0.2;

/** The values below which each of the shares lies, over all that was counted in any; null: it has faded to nothing. */
export function quantilesOf(
  values: readonly FadingValues[],
  shares: readonly number[],
  nowMs: number,
): readonly number[] | null {
  if (values.length === 0) return null;
  const counts = new Float64Array(BUCKETS);
  for (const one of values) one.addTo(counts, nowMs);
  let weight = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) weight += counts[bucket] ?? 0;
  return weight > WEIGHT_MIN ? shares.map((share) => quantile(counts, share * weight)) : null;
}

export interface Median {
  readonly value: number;
  /** From then on the counts tell nothing any more, unless there are further ones. */
  readonly fadedAtMs: number;
}

/** Until a further value is counted it stays the same, as all counts fade alike. null: they have faded to nothing. */
export function medianOf(values: readonly FadingValues[], halfLifeMs: number, nowMs: number): Median | null {
  const counts = new Float64Array(BUCKETS);
  for (const one of values) one.addTo(counts, nowMs);
  let weight = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) weight += counts[bucket] ?? 0;
  if (weight <= WEIGHT_MIN) return null;
  return {
    value: quantile(counts, 0.5 * weight),
    fadedAtMs: nowMs + halfLifeMs * Math.log2(weight / WEIGHT_MIN),
  };
}

/** A weight that has faded below this says nothing any more. */
const WEIGHT_MIN = 0.01;

function quantile(counts: Float64Array, rank: number): number {
  let below = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const count = counts[bucket] ?? 0;
    if (count > 0 && below + count >= rank) return RATIO ** (bucket + (rank - below) / count);
    below += count;
  }
  return RATIO ** BUCKETS;
}
