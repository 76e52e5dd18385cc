// Router#best: the cheapest of the models whose predicted quality is within a hundredth of the highest. Where there are
// labels, the model with the highest overall level, unless another is better for this kind of request by more than
// chance explains.
import { findTop, ROUNDING, scoreAbove } from "./saving.ts";
import type { Columns, RankAsk, SelectorRule } from "./selector.ts";

/** The champion stays if fewer than this share of labelled prompts are at least as unlike the rest as the request. */
export const LIKENESS_MIN = 0.3;
/** Predictions this close are equally good. */
export const CLOSE = 0.01;
/** Larger than any difference between qualities. */
const ALWAYS_CHAMPION = 1;

export function scoreBest(candidates: Columns, ask: RankAsk): (place: number) => number {
  const { quality, costAt, champion } = candidates;
  const off = findLeadNeeded(ask);
  const own = quality[champion] ?? 0;
  const floor = Math.max(findTop(candidates) - off, own) - Math.max(0, CLOSE - off);
  return scoreAbove(floor + off, candidates, costAt, own >= floor - ROUNDING ? [champion] : []);
}

/** Returns the lead in quality that another model needs over the champion: none if there are no labels to confirm one. */
function findLeadNeeded({ isTaught, likeness, margin }: RankAsk): number {
  if (!isTaught) return 0;
  return likeness < LIKENESS_MIN ? ALWAYS_CHAMPION : margin;
}

export const best: SelectorRule = {
  name: "best",
  about: "Picks the best model for each request.",
  findPromisedShare: () => 1,
  saves: null,
  rank: (candidates, ask) => ({ scoreOf: scoreBest(candidates, ask), marks: [] }),
  // Within its uncertainty, the other may be as good.
  canReplace: (other, first) => other.quality + (other.quality - other.qualityLow) >= first.quality,
};
