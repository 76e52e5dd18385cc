// Router#fair: the model whose quality is best worth its cost, so that the share of the champion's quality is kept which
// the operator or the client asks for; without labels the cheapest of those that keep it.
import { weighCost } from "./expense.ts";
import { isGoodEnough, scoreAbove, scoreByWeight } from "./saving.ts";
import type { Rankable, SelectorRule } from "./selector.ts";

const costOf = ({ costUsd }: Rankable) => costUsd ?? 0;

export const fair: SelectorRule = {
  name: "fair",
  about: "Picks the least costly model of good quality for each request.",
  promise: ({ share }) => share,
  savesMoney: true,
  rank: (candidates, { share, costWeight, usualCostUsd }) =>
    costWeight === null
      ? scoreAbove(share, candidates, costOf)
      : scoreByWeight(costWeight, candidates, costOf, (usd, champion) =>
          weighCost(usd, champion, usualCostUsd),
        ),
  canReplace: isGoodEnough,
};
