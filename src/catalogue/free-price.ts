// The price of models on the operator's own servers, where nobody charges for a request.
import type { ModelCard, Price } from "../core/models/card.ts";
import type { ProviderSetup } from "../core/settings.ts";

const NOTHING: Price = { input: 0, output: 0 };

/** Returns the card with a price of 0 if it has none and its provider is the operator's own server. */
export function applyFreePrice(
  card: ModelCard,
  provider: Pick<ProviderSetup, "discovers"> | undefined,
): ModelCard {
  return card.price === null && provider?.discovers ? { ...card, price: NOTHING } : card;
}
