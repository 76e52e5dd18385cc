// Cards of models for tests, each with the few fields that matter to a test.
import type { ModelCard } from "../src/core/card.ts";

/** A listed card of which nothing but its id (`Provider#name`) is known, apart from the given fields. */
export function makeModelCard(id: string, fields: Partial<ModelCard> = {}): ModelCard {
  const [provider = "", ...name] = id.split("#");
  return {
    id,
    provider,
    name: name.join("#"),
    created: 0,
    ownedBy: provider,
    contextTokensMax: null,
    outputTokensMax: null,
    price: null,
    capabilities: new Set(),
    listed: true,
    fallbacks: [],
    ...fields,
  };
}
