// The card of a model that is known only by name.
import type { ModelCard } from "../core/models/card.ts";

/** No request is refused for a missing capability. The card has no price. */
export function makeUnlistedCard(
  provider: string,
  name: string,
  contextTokensMax: number | null = null,
): ModelCard {
  return {
    id: `${provider}#${name}`,
    provider,
    name,
    created: 0,
    ownedBy: provider,
    contextTokensMax,
    outputTokensMax: null,
    price: null,
    capabilities: new Set(),
    listed: false,
    fallbacks: [],
  };
}

/** Returns the card with what a request to it holds, and costs if its provider doesn't report a cost, as its price. */
export function priceUnlisted(card: ModelCard, holdUsd: number | undefined): ModelCard {
  if (holdUsd === undefined) return card;
  return { ...card, price: { input: 0, output: 0, perRequest: holdUsd }, isHoldPriced: true };
}
