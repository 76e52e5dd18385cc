// The counts of a provider's usage report: one that is malformed spoils the report, and is never taken for nothing.
import { countOf } from "../../core/json.ts";

/**
 * A reported count. What isn't there is 0; what is no count (below zero, beyond every number, a text) is NaN, which every
 * sum passes on: with 0 in its place a prompt of a million tokens would be billed as none.
 */
export function parseCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const isCount = typeof value === "number" && value >= 0 && Number.isFinite(value);
  return isCount ? countOf(value) : Number.NaN;
}

/** As `parseCount`, and undefined where nothing is reported. */
export function parseKnownCount(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : parseCount(value);
}

/** The counts of prompt and answer. A report that has neither is no report, and no answer of nothing: both are NaN. */
export function parseMainCounts(prompt: unknown, completion: unknown): readonly [number, number] {
  const [first, second] = [parseKnownCount(prompt), parseKnownCount(completion)];
  return first === undefined && second === undefined ? [Number.NaN, Number.NaN] : [first ?? 0, second ?? 0];
}
