// Router#fair: the model with the best quality for its cost that keeps the share of the champion's quality asked for by
// the operator or the client; without labels, the cheapest that keeps it. Unless more than the usual share is asked for,
// it never costs more than the choice of Router#best.
import { FAIR_QUALITY } from "../core/models/selector.ts";
import { scoreBest } from "./best.ts";
import { weighCost } from "./expense.ts";
import { findFirst, findTop, isGoodEnough, scoreAbove, scoreByWeight } from "./saving.ts";
import type { Columns, RankAsk, Ranking, SelectorRule } from "./selector.ts";

export function rankFair(candidates: Columns, ask: RankAsk): Ranking {
  const { costAt, champion } = candidates;
  const { share, costWeight, usualCostUsd } = ask;
  const dear = findFirst(candidates, scoreBest(candidates, ask));
  const marks = [dear];
  if (costWeight === null) {
    const others = share > FAIR_QUALITY ? [] : marks;
    return { scoreOf: scoreAbove(share * findTop(candidates), candidates, costAt, others), marks };
  }
  const reference = costAt(dear) < costAt(champion) ? dear : champion;
  const most = costAt(reference);
  const scoreOf = scoreByWeight(candidates, {
    weight: costWeight,
    reference,
    mayReplace: (place) => costAt(place) <= most,
    expenseOf: (place) => weighCost(costAt(place), costAt(champion), usualCostUsd),
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
