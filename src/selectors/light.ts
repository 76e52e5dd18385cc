// Router#light: the fastest model that is good enough for a request of this difficulty.
import { isAboveFloor, scoreAbove } from "./floor.ts";
import type { SelectorRule } from "./selector.ts";

/** The share of the best quality that is kept for the easiest request, and for the hardest. */
const SHARE_EASY = 0.7;
const SHARE_HARD = 0.95;

export const light: SelectorRule = {
  name: "light",
  about: "Picks the fastest model for each request.",
  rank: (candidates, { difficulty }) => {
    const share = SHARE_EASY + (SHARE_HARD - SHARE_EASY) * difficulty;
    return scoreAbove(share, candidates, candidates.latencyMs);
  },
  canReplace: isAboveFloor,
};
