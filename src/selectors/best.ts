// Router#best: the model with the highest overall level, unless another is better for this kind of request by a
// margin that pays off on the labels.
import { findChampion, type SelectorRule } from "./selector.ts";

/** The champion stays where fewer than this share of the labelled prompts were as unlike the rest as this request is. */
export const LIKENESS_MIN = 0.3;
/** More than any difference of qualities. */
const UNKNOWN_KIND = 1;

export const best: SelectorRule = {
  name: "best",
  about: "Picks the best model for each request.",
  promise: () => 1,
  savesMoney: false,
  rank: (candidates, { likeness, margin }) => {
    const champion = findChampion(candidates);
    const off = likeness < LIKENESS_MIN ? UNKNOWN_KIND : (margin ?? UNKNOWN_KIND);
    return (one) => one.quality - (one === champion ? 0 : off);
  },
  // As far as anybody knows it may be as good.
  canReplace: (other, first) => other.quality + (other.quality - other.qualityLow) >= first.quality,
};
