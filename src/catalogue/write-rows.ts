// Cards as rows of a catalogue file, the inverse of reading them.
import { CAPABILITIES, type ModelCard } from "../core/models/card.ts";
import { formatDay, viewLaterPrices } from "./later-prices.ts";
import { priceView } from "./price.ts";

const MILLISECONDS_PER_SECOND = 1000;

/** Returns the card as a row. Undefined fields are left out of its JSON. */
export function viewRow(card: ModelCard) {
  const later = viewLaterPrices(card);
  return {
    id: card.id,
    owner: card.ownedBy,
    released: card.created === 0 ? null : formatDay(card.created * MILLISECONDS_PER_SECOND),
    shutdown: card.shutdownDate,
    successor: card.successor,
    kind: card.kind,
    context: card.contextTokensMax,
    output: card.outputTokensMax,
    price: card.price === null ? null : priceView(card.price),
    later_prices: later.length === 0 ? undefined : later,
    capabilities: CAPABILITIES.filter((capability) => card.capabilities.has(capability)),
    operations: card.operations && [...card.operations],
    like: card.like,
    dialects: card.dialects,
  };
}
