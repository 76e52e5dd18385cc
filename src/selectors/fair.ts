// Router#fair: the model whose quality is best worth its cost, so that the share of the champion's quality is kept which
// the operator or the client asks for; without labels the cheapest of those that keep it.
import { isGoodEnough, scoreAbove, scoreByWeight, weighCost } from "./saving.ts";
import type { SelectorRule } from "./selector.ts";

export const fair: SelectorRule = {
  name: "fair",
  about: "Picks the least costly model of good quality for each request.",
  promise: ({ share }) => share,
  savesMoney: true,
  rank: (candidates, { share, costWeight, usualCostUsd }) =>
    costWeight === null
      ? scoreAbove(share, candidates, candidates.costUsd)
      : scoreByWeight(costWeight, candidates, candidates.costUsd, (usd, champion) =>
          weighCost(usd, champion, usualCostUsd),
        ),
  canReplace: isGoodEnough,
};
