// A tool as a model card: its price for each call, for the ledger, budgets, hooks and rows.
import type { ModelCard } from "../../core/models/card.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import { nameToolModel, nameToolProvider } from "../../core/tools/rules.ts";

const NO_CAPABILITIES: ModelCard["capabilities"] = new Set();
const NO_FALLBACKS: ModelCard["fallbacks"] = [];

/** `tool` is the server's own name. */
export function makeToolCard(server: string, tool: string, priceNanoUsd: NanoUsd): ModelCard {
  return {
    id: nameToolModel(server, tool),
    provider: nameToolProvider(server),
    name: tool,
    created: 0,
    ownedBy: server,
    contextTokensMax: null,
    outputTokensMax: null,
    price: { input: 0, output: 0, perRequest: toUsd(priceNanoUsd) },
    isPriceStated: true,
    capabilities: NO_CAPABILITIES,
    listed: true,
    fallbacks: NO_FALLBACKS,
  };
}
