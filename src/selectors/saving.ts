// Scores for selectors: the largest saving above a floor of quality or, where labels show the loss, the saving weighed
// against the quality of another selector's choice.
import { TINY } from "./expense.ts";
import { CHAMPION_ONLY } from "./knowledge.ts";
import { type Columns, compareBySaving, type Score } from "./selector.ts";

/** The lowest score of models that are good enough. All others score less. */
const GOOD_ENOUGH = 1;
/** Qualities are thousandths, and differences of those aren't exact. */
export const ROUNDING = 1e-9;

type ScoreOf = (place: number) => number;

interface Weighing {
  readonly weight: number;
  /** The place of what another selector takes. */
  readonly reference: number;
  /** True if the model in a place may come before the reference. */
  readonly mayReplace: (place: number) => boolean;
  /** The expense in a place, in the unit that the weight is for. */
  readonly expenseOf: (place: number) => number;
}

/**
 * Scores the reference 1, and a model that may replace it and is worth more 1 plus the difference, where worth is quality
 * less the weighted expense.
 */
export function scoreByWeight({ quality }: Columns, weighing: Weighing): ScoreOf {
  const { weight, reference, mayReplace, expenseOf } = weighing;
  const price = Math.max(0, weight);
  const worth = (place: number) => (quality[place] ?? 0) - price * expenseOf(place);
  const own = worth(reference);
  return (place) => {
    const more = worth(place) - own;
    const isBetter = more >= 0 && weight !== CHAMPION_ONLY && mayReplace(place);
    return place === reference || isBetter ? GOOD_ENOUGH + more : Math.min(0, more);
  };
}

/**
 * Scores models of at least this quality, and those in `others`, from 1 to 2, the cheapest highest, and the rest by
 * quality. The floor is met by qualities that differ from it by a rounding error.
 */
export function scoreAbove(
  floor: number,
  { quality }: Columns,
  expenseAt: (place: number) => number,
  others: readonly number[],
): ScoreOf {
  const good = new Uint8Array(quality.length);
  let least = Number.POSITIVE_INFINITY;
  for (let place = 0; place < quality.length; place++) {
    if ((quality[place] ?? 0) < floor - ROUNDING) continue;
    good[place] = 1;
    least = Math.min(least, expenseAt(place));
  }
  for (const place of others) {
    good[place] = 1;
    least = Math.min(least, expenseAt(place));
  }
  return (place) =>
    good[place] === 1 ? GOOD_ENOUGH + (least + TINY) / (expenseAt(place) + TINY) : (quality[place] ?? 0);
}

/** Returns the place that comes first by these scores. −1 if there are none. */
export function findFirst(candidates: Columns, scoreOf: ScoreOf): number {
  let first = -1;
  let highest = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < candidates.quality.length; place++) {
    const score = scoreOf(place);
    const isAfter = first >= 0 && score === highest && compareBySaving(candidates, first, place) < 0;
    if (score < highest || isAfter) continue;
    first = place;
    highest = score;
  }
  return first;
}

/** Returns the highest quality. */
export function findTop({ quality }: Pick<Columns, "quality">): number {
  let top = 0;
  for (let place = 0; place < quality.length; place++) top = Math.max(top, quality[place] ?? 0);
  return top;
}

export function isGoodEnough({ score }: Score): boolean {
  return score >= GOOD_ENOUGH;
}
