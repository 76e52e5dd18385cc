// Router#fair: the cheapest model that keeps the share of the best quality which the operator or the client asks for.
import { isAboveFloor, scoreAbove } from "./floor.ts";
import type { SelectorRule } from "./selector.ts";

export const fair: SelectorRule = {
  name: "fair",
  about: "Picks the least costly model of good quality for each request.",
  rank: (candidates, { share }) => scoreAbove(share, candidates, candidates.costUsd),
  canReplace: isAboveFloor,
};
