// Router#fair: the model with the best quality for its cost that keeps the share of the champion's quality asked for by
// the operator or the client; without labels, the cheapest that keeps it.
import { weighCost } from "./expense.ts";
import { isGoodEnough, scoreAbove, scoreByWeight } from "./saving.ts";
import type { SelectorRule } from "./selector.ts";

export const fair: SelectorRule = {
  name: "fair",
  about: "Picks the cheapest model of good quality for each request.",
  findPromisedShare: ({ share }) => share,
  savesMoney: true,
  rank: (candidates, { share, costWeight, usualCostUsd }) =>
    costWeight === null
      ? scoreAbove(share, candidates, candidates.costUsd)
      : scoreByWeight(costWeight, candidates, candidates.costUsd, (usd, champion) =>
          weighCost(usd, champion, usualCostUsd),
        ),
  canReplace: isGoodEnough,
};
