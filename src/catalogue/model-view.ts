// A model as clients see it in the list of models.
import { CAPABILITIES, type ModelCard } from "../core/models/card.ts";
import { stripProvider } from "./catalogue.ts";
import { findShown, viewPrice } from "./dated.ts";
import { formatDay, viewLaterPrices } from "./later-prices.ts";

const MILLISECONDS_PER_SECOND = 1000;

/**
 * An entry of `GET /v1/models`: OpenAI's four fields, then ours. Unknown values and an unpriced `pricing` are null. Most
 * models have no `later_pricing` and no `successor`.
 */
export function modelView(card: ModelCard) {
  return {
    id: card.id,
    object: "model",
    created: card.created,
    owned_by: card.ownedBy,
    name: stripProvider(card),
    context_window: card.contextTokensMax,
    context_length: card.contextTokensMax,
    max_output_tokens: card.outputTokensMax,
    pricing: viewPrice(card),
    ...(card.laterPrices ? { later_pricing: viewLaterPrices(findShown(card)) } : {}),
    capabilities: CAPABILITIES.filter((capability) => card.capabilities.has(capability)),
    operations: card.operations ? [...card.operations] : null,
    release_date: card.created === 0 ? null : formatDay(card.created * MILLISECONDS_PER_SECOND),
    shutdown_date: card.shutdownDate ?? null,
    ...(card.successor === undefined ? {} : { successor: card.successor }),
    kind: card.kind ?? null,
  };
}
export type ModelView = ReturnType<typeof modelView>;
