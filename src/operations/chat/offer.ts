// The worst-case cost of a chat request on a card, which the ledger holds before a provider is called.
import type { ModelCard, Price, Rates } from "../../core/card.ts";
import type { Offer } from "../../core/demand.ts";
import { asObject } from "../../core/json.ts";
import type { OfferTerms } from "../operation.ts";
import { estimateWorstPromptTokens } from "./estimate.ts";
import { type ChatMessage, type ChatRequest, readOutputLimit } from "./form.ts";
import { searchesMax } from "./searches.ts";

const UNITS_PER_MILLION = 1_000_000;

/**
 * Returns the highest rates that a prompt of up to this many tokens may be billed at, over the tiers within its reach.
 */
function findHighestRates(price: Price, request: ChatRequest, promptTokens: number) {
  const isForAnHour = price.cacheWrite1h !== undefined && cachesForAnHour(request);
  const tiers = price.tiers ?? [];
  const reached: readonly Rates[] = [price, ...tiers.filter(({ aboveTokens }) => promptTokens > aboveTokens)];
  return {
    input: Math.max(...reached.map((rates) => findHighestInput(rates, isForAnHour))),
    output: Math.max(...reached.map(findHighestOutput)),
  };
}

function findHighestInput(
  { input, cacheWrite, cacheWrite1h, cachedInput }: Rates,
  isForAnHour: boolean,
): number {
  return Math.max(input, cacheWrite ?? 0, cachedInput ?? 0, isForAnHour ? (cacheWrite1h ?? 0) : 0);
}

/** True if a cache mark of the request asks for an hour, which costs more than five minutes. */
function cachesForAnHour({ cache_control: mark, tools, messages }: ChatRequest): boolean {
  const isMarked = (one: unknown) => asObject(asObject(one).cache_control).ttl === "1h";
  const isPartMarked = ({ content }: ChatMessage) => Array.isArray(content) && content.some(isMarked);
  return asObject(mark).ttl === "1h" || (tools ?? []).some(isMarked) || messages.some(isPartMarked);
}

function findHighestOutput({ output, reasoning }: Rates): number {
  return Math.max(output, reasoning ?? 0);
}

/** Returns the most that the request may cost on a card. */
export function makeOffer(card: ModelCard, request: ChatRequest, terms: OfferTerms): Offer {
  const { price } = card;
  const choices = request.n ?? 1;
  const asked = readOutputLimit(request) ?? null;
  const limits = {
    card: card.id,
    choices,
    isLimitRequired: terms.isLimitRequired,
    outputTokensAsked: asked === null ? null : Math.min(asked, card.outputTokensMax ?? asked),
    outputTokensMax: card.outputTokensMax ?? card.contextTokensMax,
  };
  if (price === null) return { ...limits, isPriced: false, lines: [], outputUsdPerMillion: 0 };
  const promptTokens = estimateWorstPromptTokens(request, card, terms.unreadBytes);
  const rates = findHighestRates(price, request, promptTokens);
  const lines = [
    { what: "input", count: choices * promptTokens, usdPerMillion: rates.input },
    { what: "request", count: choices, usdPerMillion: (price.perRequest ?? 0) * UNITS_PER_MILLION },
    {
      what: "search",
      count: choices * Math.max(terms.searches, searchesMax(request, card)),
      usdPerMillion: (price.perSearch ?? 0) * UNITS_PER_MILLION,
    },
  ];
  return { ...limits, isPriced: true, lines, outputUsdPerMillion: rates.output };
}
