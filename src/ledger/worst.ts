// The worst that a request may cost: what is held of the balance before a provider is called.
import type { ModelCard, Price, Rates } from "../core/card.ts";
import { type ChatRequest, outputLimitOf } from "../core/chat.ts";
import type { Offer } from "../core/demand.ts";
import { type BillLine, costOf, type NanoUsd } from "../core/money.ts";
import { worstPromptTokens } from "./estimate.ts";
import { searchesMax } from "./searches.ts";

const UNITS_PER_MILLION = 1_000_000;
/** Of the free balance, what a request that names no limit of its own may hold. */
const SHARE_UNASKED = 1 / 4;
/** A shorter answer would seldom be of use: a balance that doesn't cover it doesn't cover the request. */
const OUTPUT_TOKENS_LEAST = 1024;

/** The rates that a prompt of up to so many tokens may be billed at: the dearest of the tiers within its reach. */
function dearest(price: Price, promptTokens: number): { readonly input: number; readonly output: number } {
  let input = dearestInput(price);
  let output = dearestOutput(price);
  for (const tier of price.tiers ?? []) {
    if (promptTokens <= tier.aboveTokens) continue;
    input = Math.max(input, dearestInput(tier));
    output = Math.max(output, dearestOutput(tier));
  }
  return { input, output };
}

function dearestInput({ input, cacheWrite, cachedInput }: Rates): number {
  return Math.max(input, cacheWrite ?? 0, cachedInput ?? 0);
}

function dearestOutput({ output, reasoning }: Rates): number {
  return Math.max(output, reasoning ?? 0);
}

/** What the request may cost on a card; null when the card has no price. */
function offerOf(card: ModelCard, request: ChatRequest): Offer | null {
  const { price } = card;
  if (price === null) return null;
  const choices = request.n ?? 1;
  const promptTokens = worstPromptTokens(request, card);
  const rates = dearest(price, promptTokens);
  const asked = outputLimitOf(request) ?? null;
  return {
    card: card.id,
    lines: [
      { what: "input", count: choices * promptTokens, usdPerMillion: rates.input },
      { what: "request", count: choices, usdPerMillion: (price.perRequest ?? 0) * UNITS_PER_MILLION },
      {
        what: "search",
        count: choices * searchesMax(request, card),
        usdPerMillion: (price.perSearch ?? 0) * UNITS_PER_MILLION,
      },
    ],
    outputUsdPerMillion: rates.output,
    choices,
    outputTokensAsked: asked === null ? null : Math.min(asked, card.outputTokensMax ?? asked),
    outputTokensMax: card.outputTokensMax ?? card.contextTokensMax,
  };
}

/** What the request may cost on each of the cards that has a price, in their order. */
export function offersOf(cards: readonly ModelCard[], request: ChatRequest): readonly Offer[] {
  const offers: Offer[] = [];
  for (const [at, card] of cards.entries()) {
    const offer = cards.indexOf(card) === at ? offerOf(card, request) : null;
    if (offer !== null) offers.push(offer);
  }
  return offers;
}

/** The cost of so many tokens of output per choice, whole nano-dollars, markup included. */
function worstCost(offer: Offer, outputTokens: number, markup: number): NanoUsd {
  const { lines, outputUsdPerMillion: usdPerMillion, choices } = offer;
  const output: BillLine = { what: "output", count: choices * outputTokens, usdPerMillion };
  return costOf([...lines, output], markup);
}

export interface HoldTerms {
  readonly nanoUsd: NanoUsd;
  /** By card, the output per choice that is held for. */
  readonly outputTokens: Readonly<Record<string, number>>;
}

/** What has to be held for a plan, at its dearest card; null when the free balance does not cover it. */
export function termsFor(offers: readonly Offer[], freeNanoUsd: NanoUsd, markup: number): HoldTerms | null {
  let nanoUsd = 0;
  const outputTokens: Record<string, number> = {};
  for (const offer of offers) {
    const tokens = outputFor(offer, freeNanoUsd, markup);
    const worst = worstCost(offer, tokens, markup);
    if (worst > freeNanoUsd) return null;
    nanoUsd = Math.max(nanoUsd, worst);
    outputTokens[offer.card] = tokens;
  }
  return { nanoUsd, outputTokens };
}

/** The output per choice to hold for: what the client asked, else the model's limit as far as a quarter of the balance goes. */
function outputFor(offer: Offer, freeNanoUsd: NanoUsd, markup: number): number {
  const { outputTokensAsked, outputTokensMax, outputUsdPerMillion, choices } = offer;
  if (outputTokensAsked !== null) return outputTokensAsked;
  const most = outputTokensMax ?? Number.MAX_SAFE_INTEGER;
  const tokenNano = outputUsdPerMillion * 1000 * markup * choices;
  if (tokenNano === 0) return most;
  const room = freeNanoUsd * SHARE_UNASKED - worstCost(offer, 0, markup);
  return Math.min(most, Math.max(OUTPUT_TOKENS_LEAST, Math.floor(room / tokenNano)));
}
