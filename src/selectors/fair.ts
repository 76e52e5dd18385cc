// Router#fair: the model with the best quality for its cost that keeps the share of the champion's quality asked for by
// the operator or the client; without labels, the cheapest that keeps it. Unless more than the usual share is asked for,
// it never costs more than the choice of Router#best.
import { FAIR_QUALITY } from "../core/models/selector.ts";
import { scoreBest } from "./best.ts";
import { weighCost } from "./expense.ts";
import { findFirst, findTop, isGoodEnough, scoreAbove, scoreByWeight } from "./saving.ts";
import type { Columns, RankAsk, Ranking, SelectorRule } from "./selector.ts";

export function rankFair(candidates: Columns, ask: RankAsk): Ranking {
  const { costUsd, champion } = candidates;
  const { share, costWeight, usualCostUsd } = ask;
  const dear = findFirst(candidates, scoreBest(candidates, ask));
  const marks = [dear];
  if (costWeight === null) {
    const others = share > FAIR_QUALITY ? [] : marks;
    return { scoreOf: scoreAbove(share * findTop(candidates), candidates, costUsd, others), marks };
  }
  const reference = (costUsd[dear] ?? 0) < (costUsd[champion] ?? 0) ? dear : champion;
  const most = costUsd[reference] ?? 0;
  const scoreOf = scoreByWeight(candidates, {
    weight: costWeight,
    reference,
    mayReplace: (place) => (costUsd[place] ?? 0) <= most,
    expenseOf: (place) => weighCost(costUsd[place] ?? 0, costUsd[champion] ?? 0, usualCostUsd),
  });
  return { scoreOf, marks };
}

export const fair: SelectorRule = {
  name: "fair",
  about: "Picks the cheapest model of good quality for each request.",
  findPromisedShare: ({ share }) => share,
  saves: "cost",
  rank: rankFair,
  canReplace: isGoodEnough,
};
