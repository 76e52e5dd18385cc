// Scores of selectors that keep a share of the best quality and then save something: money, or time.
import type { Candidates, Scored } from "./selector.ts";

/** Those above the floor have scores from here on; below it a score is a quality, which is less. */
const ABOVE_FLOOR = 1;
/** Two that are free are equal. */
const TINY = 1e-9;

/** Above this share of the best quality 1 to 2, the least expensive highest; below it the quality. */
export function scoreAbove(
  share: number,
  { size, careful }: Candidates,
  expenses: Float64Array,
): Float64Array {
  let highest = 0;
  for (let at = 0; at < size; at++) highest = Math.max(highest, careful[at] ?? 0);
  const floor = share * highest;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < size; at++)
    if ((careful[at] ?? 0) >= floor) least = Math.min(least, expenses[at] ?? 0);
  const scores = new Float64Array(size);
  for (let at = 0; at < size; at++) {
    const quality = careful[at] ?? 0;
    scores[at] = quality >= floor ? ABOVE_FLOOR + (least + TINY) / ((expenses[at] ?? 0) + TINY) : quality;
  }
  return scores;
}

export function isAboveFloor({ score }: Scored): boolean {
  return score >= ABOVE_FLOOR;
}
