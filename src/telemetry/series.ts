// The series of a metric: counters and histograms, by the text of their labels.
import type { Values } from "./sums.ts";

export interface Counter {
  value: number;
}

export interface Histogram {
  /** The buckets' upper bounds, in counted units. */
  readonly bounds: readonly number[];
  /** By bucket. Each includes the counts of the ones before it. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Looks first, because that is faster for the series of most requests. */
export function findOrAdd<Series>(
  all: Map<string, Series>,
  name: string,
  make: (name: string) => Series,
): Series {
  return all.get(name) ?? all.getOrInsertComputed(name, make);
}

export function newCounter(): Counter {
  return { value: 0 };
}

export function newMap<Series>(): Map<string, Series> {
  return new Map();
}

export function listValues<Series>(
  series: ReadonlyMap<string, Series>,
  values: (one: Series) => Values,
): Record<string, Values> {
  return Object.fromEntries([...series].map(([text, one]) => [text, values(one)]));
}

export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  histogram.sum += value;
  histogram.count++;
  for (let at = bounds.length - 1; at >= 0 && value <= (bounds[at] ?? 0); at--) {
    counts[at] = (counts[at] ?? 0) + 1;
  }
}
