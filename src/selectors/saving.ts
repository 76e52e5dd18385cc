// Scores of selectors that save something, money or time: what is saved against what is lost of the champion's quality, or,
// where no labels tell what is lost, the most that can be saved above a floor of quality.
import { CHAMPION_ONLY } from "./learning/tradeoff.ts";
import { type Candidates, findChampion, type Scored } from "./selector.ts";

/** Those that are good enough have scores from here on; the others have less. */
const GOOD_ENOUGH = 1;
/** Two that are free are equal. */
const TINY = 1e-9;

/**
 * A cost as it is weighed: by the champion's for the same request and for labelled prompts, their geometric mean. By the first
 * alone, a request on which much can be saved counts no more than a short one, and by the second alone a long one counts so
 * much that quality counts for nothing.
 */
export function weighCost(usd: number, champion: number, usual: number): number {
  return (usd + TINY) / (Math.sqrt(champion * usual) + TINY);
}

/** A time as it is weighed: 0 is the champion's, and each e-th part of it one less. */
export function weighTime(ms: number, champion: number): number {
  return Math.log((ms + 1) / (champion + 1));
}

/**
 * 1 for the champion, above it by the worth of what is saved: quality less the weight of the expense. One that is more
 * expensive than the champion is never before it.
 */
export function scoreByWeight(
  weight: number,
  candidates: Candidates,
  expenses: Float64Array,
  weigh: (expense: number, champion: number) => number,
): Float64Array {
  const { size, quality } = candidates;
  const champion = findChampion(candidates);
  const usual = expenses[champion] ?? 0;
  const price = Math.max(0, weight);
  const worth = (at: number) => (quality[at] ?? 0) - price * weigh(expenses[at] ?? 0, usual);
  const own = worth(champion);
  const scores = new Float64Array(size);
  for (let at = 0; at < size; at++) {
    const more = worth(at) - own;
    const isBetter = more > 0 && (expenses[at] ?? 0) <= usual && weight !== CHAMPION_ONLY;
    scores[at] = at === champion || isBetter ? GOOD_ENOUGH + more : Math.min(0, more);
  }
  return scores;
}

/** Above this share of the best quality 1 to 2, the least expensive highest; below it the quality. */
export function scoreAbove(
  share: number,
  { size, quality }: Candidates,
  expenses: Float64Array,
): Float64Array {
  let highest = 0;
  for (let at = 0; at < size; at++) highest = Math.max(highest, quality[at] ?? 0);
  const floor = share * highest;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < size; at++)
    if ((quality[at] ?? 0) >= floor) least = Math.min(least, expenses[at] ?? 0);
  const scores = new Float64Array(size);
  for (let at = 0; at < size; at++) {
    const own = quality[at] ?? 0;
    scores[at] = own >= floor ? GOOD_ENOUGH + (least + TINY) / ((expenses[at] ?? 0) + TINY) : own;
  }
  return scores;
}

export function isGoodEnough({ score }: Scored): boolean {
  return score >= GOOD_ENOUGH;
}
