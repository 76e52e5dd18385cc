// Means with bootstrap intervals, entropy, calibration, and RouteLLM's measures of a two-model router.
import { makeDice } from "../dice.ts";

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1000;

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The mean of the values and its 95% interval by bootstrap. */
export function bootstrapped(values: readonly number[], seed = 1): Interval {
  const dice = makeDice(seed);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw++) sum += values[Math.floor(dice() * values.length)] ?? 0;
    return sum / Math.max(1, values.length);
  });
  return { mean: average(values), ...computeSpread(means) };
}

/** The middle 95% of the values. */
export function computeSpread(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}

/** In bits. */
export function computeEntropy(picks: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const pick of picks) counts.set(pick, (counts.get(pick) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / picks.length) * Math.log2(count / picks.length);
  return bits;
}

export interface TwoModels {
  readonly apgr: number;
  /** The shares of calls to the strong model that recover 50% and 80% of the gap. */
  readonly cpt50: number;
  readonly cpt80: number;
}

/** RouteLLM's measures. The area is under the whole curve rather than at ten thresholds. */
export function twoModels(
  lean: readonly number[],
  strong: readonly number[],
  weak: readonly number[],
): TwoModels {
  const order = lean.map((_, at) => at).toSorted((a, b) => (lean[b] ?? 0) - (lean[a] ?? 0) || a - b);
  const gap = strong.reduce((sum, value, at) => sum + value - (weak[at] ?? 0), 0);
  const curve = [0];
  let gained = 0;
  for (const at of order) {
    gained += (strong[at] ?? 0) - (weak[at] ?? 0);
    curve.push(gained / gap);
  }
  const area = curve.slice(1).reduce((sum, value, at) => sum + (value + (curve[at] ?? 0)) / 2, 0);
  const first = (share: number) => curve.findIndex((value) => value >= share) / order.length;
  return { apgr: area / order.length, cpt50: first(0.5), cpt80: first(0.8) };
}

export interface Bin {
  readonly predicted: number;
  readonly seen: number;
  readonly count: number;
}

/** Ten bins of predictions, and the mean gap between predicted and observed, weighted by count. */
export function computeCalibration(pairs: readonly (readonly [number, number])[]): {
  readonly error: number;
  readonly bins: readonly Bin[];
} {
  const bins: Bin[] = [];
  for (let bin = 0; bin < 10; bin++) {
    const own = pairs.filter(([predicted]) => Math.min(9, Math.floor(predicted * 10)) === bin);
    if (own.length === 0) continue;
    bins.push({
      predicted: average(own.map(([predicted]) => predicted)),
      seen: average(own.map(([, seen]) => seen)),
      count: own.length,
    });
  }
  const error =
    bins.reduce((sum, { predicted, seen, count }) => sum + Math.abs(predicted - seen) * count, 0) /
    Math.max(1, pairs.length);
  return { error, bins };
}

export function percent(value: number, digits = 1): string {
  return `${(value * 100).toFixed(digits)} %`;
}

/** Formats as "0.583 (0.560…0.607)". */
export function shown({ mean, low, high }: Interval, digits = 3): string {
  return `${mean.toFixed(digits)} (${low.toFixed(digits)}…${high.toFixed(digits)})`;
}
