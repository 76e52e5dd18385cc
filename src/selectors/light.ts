// Router#light: the model with the best quality for its time that keeps the share of the champion's quality this
// request's difficulty calls for; without labels, the fastest that keeps it. Never slower than the choices of
// Router#best and Router#fair.
import { weighTime } from "./expense.ts";
import { rankFair } from "./fair.ts";
import { findFirst, findTop, isGoodEnough, scoreAbove, scoreByWeight } from "./saving.ts";
import type { Columns, RankAsk, Ranking, SelectorRule } from "./selector.ts";

/** The share of the best quality to keep for the easiest and the hardest request. */
const SHARE_EASY = 0.7;
const SHARE_HARD = 0.95;

/** `difficulty` is 0…1. */
export function findLightShare(difficulty: number): number {
  return SHARE_EASY + (SHARE_HARD - SHARE_EASY) * difficulty;
}

function rankLight(candidates: Columns, ask: RankAsk): Ranking {
  const { latencyAt, champion } = candidates;
  const { difficulty, timeWeight } = ask;
  const {
    scoreOf: scoreFair,
    marks: [dear = -1],
  } = rankFair(candidates, ask);
  const cheap = findFirst(candidates, scoreFair);
  const marks = [dear, cheap];
  if (timeWeight === null) {
    const floor = findLightShare(difficulty) * findTop(candidates);
    return { scoreOf: scoreAbove(floor, candidates, latencyAt, marks), marks };
  }
  const reference = latencyAt(dear) < latencyAt(cheap) ? dear : cheap;
  const longest = latencyAt(reference);
  const scoreOf = scoreByWeight(candidates, {
    weight: timeWeight,
    reference,
    mayReplace: (place) => latencyAt(place) <= longest,
    expenseOf: (place) => weighTime(latencyAt(place), latencyAt(champion)),
  });
  return { scoreOf, marks };
}

export const light: SelectorRule = {
  name: "light",
  about: "Picks the fastest model for each request.",
  findPromisedShare: ({ difficulty }) => findLightShare(difficulty),
  saves: "time",
  rank: rankLight,
  canReplace: isGoodEnough,
};
