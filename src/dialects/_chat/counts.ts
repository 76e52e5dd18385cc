// Parses the counts of a provider's usage report. A malformed count makes the report unusable; it never counts as zero.
import { asCount } from "../../core/json.ts";

/**
 * Returns a reported count: 0 if it is missing, NaN if it is not a count (negative, infinite, a text). NaN makes every
 * sum NaN; with 0 in its place a prompt of a million tokens would cost nothing.
 */
export function parseCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const isCount = typeof value === "number" && value >= 0 && Number.isFinite(value);
  return isCount ? asCount(value) : Number.NaN;
}

/** As `parseCount`, but undefined if the count is missing. */
export function parseKnownCount(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : parseCount(value);
}

/** Returns the counts of prompt and answer. If both are missing, the report is unusable, and both are NaN. */
export function parseMainCounts(prompt: unknown, completion: unknown): readonly [number, number] {
  const [first, second] = [parseKnownCount(prompt), parseKnownCount(completion)];
  return first === undefined && second === undefined ? [Number.NaN, Number.NaN] : [first ?? 0, second ?? 0];
}
