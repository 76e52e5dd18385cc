// Router#light: the model with the best quality for its time that keeps the share of the champion's quality this
// request's difficulty calls for; without labels, the fastest that keeps it.
import { weighTime } from "./expense.ts";
import { isGoodEnough, scoreAbove, scoreByWeight } from "./saving.ts";
import type { SelectorRule } from "./selector.ts";

/** The share of the best quality to keep for the easiest and the hardest request. */
const SHARE_EASY = 0.7;
const SHARE_HARD = 0.95;

/** `difficulty` is 0…1. */
export function findLightShare(difficulty: number): number {
  return SHARE_EASY + (SHARE_HARD - SHARE_EASY) * difficulty;
}

export const light: SelectorRule = {
  name: "light",
  about: "Picks the fastest model for each request.",
  findPromisedShare: ({ difficulty }) => findLightShare(difficulty),
  savesMoney: false,
  rank: (candidates, { difficulty, timeWeight }) =>
    timeWeight === null
      ? scoreAbove(findLightShare(difficulty), candidates, candidates.latencyMs)
      : scoreByWeight(timeWeight, candidates, candidates.latencyMs, weighTime),
  canReplace: isGoodEnough,
};
