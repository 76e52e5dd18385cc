// Scores of selectors that save something, money or time: what is saved against what is lost of the champion's quality, or,
// where no labels tell what is lost, the most that can be saved above a floor of quality.
import { TINY } from "./expense.ts";
import { CHAMPION_ONLY } from "./learning/tradeoff.ts";
import { findChampion, type Rankable, type Scored } from "./selector.ts";

/** Those that are good enough have scores from here on; the others have less. */
const GOOD_ENOUGH = 1;

/**
 * 1 for the champion, above it by the worth of what is saved: quality less the weight of the expense. One that is more
 * expensive than the champion is never before it.
 */
export function scoreByWeight(
  weight: number,
  candidates: readonly Rankable[],
  expenseOf: (one: Rankable) => number,
  weigh: (expense: number, champion: number) => number,
): (one: Rankable) => number {
  const champion = findChampion(candidates);
  if (champion === undefined) return () => 0;
  const usual = expenseOf(champion);
  const price = Math.max(0, weight);
  const worth = (one: Rankable) => one.quality - price * weigh(expenseOf(one), usual);
  const own = worth(champion);
  return (one) => {
    const more = worth(one) - own;
    const isBetter = more > 0 && expenseOf(one) <= usual && weight !== CHAMPION_ONLY;
    return one === champion || isBetter ? GOOD_ENOUGH + more : Math.min(0, more);
  };
}

/** Above this share of the best quality 1 to 2, the least expensive highest; below it the quality. */
export function scoreAbove(
  share: number,
  candidates: readonly Rankable[],
  expenseOf: (one: Rankable) => number,
): (one: Rankable) => number {
  let highest = 0;
  for (const { quality } of candidates) highest = Math.max(highest, quality);
  const floor = share * highest;
  let least = Number.POSITIVE_INFINITY;
  for (const one of candidates) if (one.quality >= floor) least = Math.min(least, expenseOf(one));
  return (one) =>
    one.quality >= floor ? GOOD_ENOUGH + (least + TINY) / (expenseOf(one) + TINY) : one.quality;
}

export function isGoodEnough({ score }: Scored): boolean {
  return score >= GOOD_ENOUGH;
}
