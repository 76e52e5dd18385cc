// Scores for selectors that save money or time: the saving weighed against the champion's quality or, if no labels show
// the loss, the largest saving above a floor of quality.
import { TINY } from "./expense.ts";
import { CHAMPION_ONLY } from "./knowledge.ts";
import type { Columns, Scored } from "./selector.ts";

/** The lowest score of models that are good enough. All others score less. */
const GOOD_ENOUGH = 1;

/**
 * Scores the champion 1, and a model that is worth more 1 plus the difference, where worth is quality less the weighted
 * expense. A model more expensive than the champion never comes before it.
 */
export function scoreByWeight(
  weight: number,
  { quality, champion }: Columns,
  expense: Float64Array,
  weigh: (expense: number, champion: number) => number,
): (place: number) => number {
  const usual = expense[champion] ?? 0;
  const price = Math.max(0, weight);
  const worth = (place: number) => (quality[place] ?? 0) - price * weigh(expense[place] ?? 0, usual);
  const own = worth(champion);
  return (place) => {
    const more = worth(place) - own;
    const isBetter = more > 0 && (expense[place] ?? 0) <= usual && weight !== CHAMPION_ONLY;
    return place === champion || isBetter ? GOOD_ENOUGH + more : Math.min(0, more);
  };
}

/** Scores models above this share of the best quality from 1 to 2, the cheapest highest, and the others by quality. */
export function scoreAbove(
  share: number,
  { quality }: Columns,
  expense: Float64Array,
): (place: number) => number {
  let highest = 0;
  for (let place = 0; place < quality.length; place++) highest = Math.max(highest, quality[place] ?? 0);
  const floor = share * highest;
  let least = Number.POSITIVE_INFINITY;
  for (let place = 0; place < quality.length; place++)
    if ((quality[place] ?? 0) >= floor) least = Math.min(least, expense[place] ?? 0);
  return (place) => {
    const own = quality[place] ?? 0;
    return own >= floor ? GOOD_ENOUGH + (least + TINY) / ((expense[place] ?? 0) + TINY) : own;
  };
}

export function isGoodEnough({ score }: Scored): boolean {
  return score >= GOOD_ENOUGH;
}
