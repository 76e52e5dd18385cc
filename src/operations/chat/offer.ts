// The worst-case cost of a chat request on a card, which the ledger holds before a provider is called.

import type { Offer } from "../../core/demand.ts";
import type { ModelCard, Price, Rates } from "../../core/models/card.ts";
import { isLimitMeant } from "../../core/models/output-limit.ts";
import type { OfferTerms } from "../operation.ts";
import { asksForHours, asksToCache } from "./cache-times.ts";
import { estimateUnrepeatedTokens, estimateWorstPromptTokens } from "./estimate.ts";
import { type ChatRequest, type ContentPart, readOutputLimit } from "./form.ts";
import { searchesMax } from "./prompt/searches.ts";

const UNITS_PER_MILLION = 1_000_000;

/**
 * Returns the highest rates that a prompt of up to this many tokens may be billed at, over the tiers within its reach.
 */
function findHighestRates(price: Price, request: ChatRequest, promptTokens: number, cachesLong = false) {
  const isForAnHour =
    price.cacheWrite1h !== undefined && (asksToCache(request, "1h") || asksForHours(request));
  const isFor12Hours = price.cacheWrite12h !== undefined && (cachesLong || asksToCache(request, "12h"));
  const meant = { isForAnHour, isFor12Hours, isHeard: hasSound(request) };
  const highest = { input: 0, output: 0 };
  raise(highest, price, meant);
  if (price.tiers !== undefined)
    for (const tier of price.tiers) if (promptTokens > tier.aboveTokens) raise(highest, tier, meant);
  return highest;
}

interface HighestRates {
  input: number;
  output: number;
}

/** The rates beside those of plain tokens that a prompt may be billed at. */
interface PromptKinds {
  readonly isForAnHour: boolean;
  readonly isFor12Hours: boolean;
  readonly isHeard: boolean;
}

function raise(
  highest: HighestRates,
  rates: Rates,
  { isForAnHour, isFor12Hours, isHeard }: PromptKinds,
): void {
  const { input, cacheWrite = 0, cachedInput = 0, cacheWrite1h = 0, cacheWrite12h = 0 } = rates;
  const { inputAudio = 0, output, reasoning = 0, outputAudio = 0 } = rates;
  const written = Math.max(cacheWrite, isForAnHour ? cacheWrite1h : 0, isFor12Hours ? cacheWrite12h : 0);
  const heard = isHeard ? inputAudio : 0;
  highest.input = Math.max(highest.input, input, written, cachedInput, heard);
  highest.output = Math.max(highest.output, output, reasoning, outputAudio);
}

/** True if the prompt may hold sound, as a file or a video also can. */
function hasSound({ messages }: ChatRequest): boolean {
  for (const { content } of messages) if (Array.isArray(content) && content.some(mayBeSound)) return true;
  return false;
}

function mayBeSound({ type }: ContentPart): boolean {
  return type === "input_audio" || type === "file";
}

/** Returns the most that the request may cost on a card. */
export function makeOffer(card: ModelCard, request: ChatRequest, terms: OfferTerms): Offer {
  const { price } = card;
  const choices = request.n ?? 1;
  const asked = readOutputLimit(request) ?? null;
  const limits = {
    card: card.id,
    choices,
    isLimitMeant: asked !== null && isLimitMeant(asked, terms.isLimitRequired),
    outputTokensAsked: asked === null ? null : Math.min(asked, card.outputTokensMax ?? asked),
    outputTokensMax: card.outputTokensMax ?? card.contextTokensMax,
  };
  if (price === null) return { ...limits, isPriced: false, lines: [], outputUsdPerMillion: 0 };
  const searches = Math.max(terms.searches, searchesMax(request, card));
  const promptTokens = estimateWorstPromptTokens(request, card, terms.unreadBytes, searches);
  const rates = findHighestRates(price, request, promptTokens, terms.cachesLong);
  const lines = [
    { what: "input", count: choices * promptTokens, usdPerMillion: rates.input },
    { what: "request", count: choices, usdPerMillion: (price.perRequest ?? 0) * UNITS_PER_MILLION },
    {
      what: "search",
      count: choices * searches,
      usdPerMillion: (price.perSearch ?? 0) * UNITS_PER_MILLION,
    },
  ];
  const unrepeatedTokens = estimateUnrepeatedTokens(terms.unreadBytes, searches);
  return { ...limits, isPriced: true, lines, unrepeatedTokens, outputUsdPerMillion: rates.output };
}
