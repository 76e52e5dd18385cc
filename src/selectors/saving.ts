// Scores for selectors that save money or time: the saving weighed against the champion's quality or, if no labels show
// the loss, the largest saving above a floor of quality.
import { TINY } from "./expense.ts";
import { CHAMPION_ONLY } from "./learning/tradeoff.ts";
import { findChampion, type Rankable, type Scored } from "./selector.ts";

/** The lowest score of models that are good enough. All others score less. */
const GOOD_ENOUGH = 1;

/**
 * Scores the champion 1, and a model that is worth more 1 plus the difference, where worth is quality less the weighted
 * expense. A model more expensive than the champion never comes before it.
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

/** Scores models above this share of the best quality from 1 to 2, the cheapest highest, and the others by quality. */
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
