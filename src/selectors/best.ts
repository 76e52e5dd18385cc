// Router#best: the model with the highest overall level, unless another is better for this kind of request by more than
// chance explains.
import type { SelectorRule } from "./selector.ts";

/** The champion stays if fewer than this share of labelled prompts are at least as unlike the rest as the request. */
export const LIKENESS_MIN = 0.3;
/** Larger than any difference between qualities. */
export const ALWAYS_CHAMPION = 1;

export const best: SelectorRule = {
  name: "best",
  about: "Picks the best model for each request.",
  findPromisedShare: () => 1,
  savesMoney: false,
  rank: ({ quality, champion }, { likeness, margin }) => {
    const off = likeness < LIKENESS_MIN ? ALWAYS_CHAMPION : margin;
    return (place) => (quality[place] ?? 0) - (place === champion ? 0 : off);
  },
  // Within its uncertainty, the other may be as good.
  canReplace: (other, first) => other.quality + (other.quality - other.qualityLow) >= first.quality,
};
