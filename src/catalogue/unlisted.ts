// The card of a model of which only the name is known.
import type { ModelCard } from "../core/card.ts";

/** No request is refused for what it can't do, and it has no price. */
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
