// Medians, percentiles and spreads, and their formatting.

export function computeMedian(values: readonly number[]): number {
  return computePercentile(values, 0.5);
}

/** The value that this share of all values doesn't exceed. */
export function computePercentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Formats with three significant digits and no exponent. */
export function shown(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3));
}

/** The median, with the minimum and maximum of all rounds. */
export function spread(values: readonly number[]): string {
  if (values.length === 1) return shown(computeMedian(values));
  return `${shown(computeMedian(values))} (${shown(Math.min(...values))}–${shown(Math.max(...values))})`;
}

/** Returns ranks from 0 with a Zipf(1) distribution over `count`. */
export function zipf(count: number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return () => {
    const drawn = Math.random() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export function shuffled<Value>(values: readonly Value[], random: () => number = Math.random): Value[] {
  return values
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

/** A figure of paired rounds, and the 95 % interval of the figures of rounds drawn with replacement. */
export interface Ratio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const DRAWS = 2000;

/** Compares the sums of the rounds. */
export function computeRatio(
  ours: readonly number[],
  others: readonly number[],
  random: () => number,
): Ratio {
  return drawRounds(ours, others, random, (our, other) => our / other);
}

/** Compares the means of the rounds. */
export function computeDifference(
  ours: readonly number[],
  others: readonly number[],
  random: () => number,
): Ratio {
  return drawRounds(ours, others, random, (our, other) => (our - other) / ours.length);
}

function drawRounds(
  ours: readonly number[],
  others: readonly number[],
  random: () => number,
  compare: (our: number, other: number) => number,
): Ratio {
  const sum = (values: readonly number[], rounds: readonly number[]) =>
    rounds.reduce((total, round) => total + (values[round] ?? 0), 0);
  const rounds = ours.map((_, round) => round);
  const drawn = Array.from({ length: DRAWS }, () => {
    const some = rounds.map(() => Math.floor(random() * rounds.length));
    return compare(sum(ours, some), sum(others, some));
  });
  return {
    value: compare(sum(ours, rounds), sum(others, rounds)),
    low: computePercentile(drawn, 0.025),
    high: computePercentile(drawn, 0.975),
  };
}

export function writeRatio({ value, low, high }: Ratio): string {
  return `${value.toFixed(3)} [${low.toFixed(3)}–${high.toFixed(3)}]`;
}

export function writeDifference({ value, low, high }: Ratio): string {
  return `${value.toFixed(1)} [${low.toFixed(1)}–${high.toFixed(1)}]`;
}
