// Prices as they are written down (catalogue file, configuration, model list), and what makes one unbelievable.
import type { Price, Rates } from "../core/card.ts";

/** Rates in USD per million tokens, by the names that operators and clients see. */
export interface RateFields {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
  readonly cache_write?: number;
  readonly reasoning?: number;
}
export interface TierFields extends RateFields {
  readonly above_tokens: number;
}
export interface PriceFields extends RateFields {
  /** USD each. */
  readonly per_request?: number;
  readonly per_search?: number;
  readonly tiers?: readonly TierFields[];
}

/** No model costs more: a rate above it is one per token, or in cents. */
export const RATE_MAX = 10_000;
/** USD for one request or search. */
export const PIECE_MAX = 100;
/** A price so many times off the one known for the model is in another unit. */
const SLIP_FACTOR = 100;
const DIGITS = 1e6;

export function buildPrice(fields: PriceFields): Price {
  const tiers = fields.tiers?.map((tier) => ({ ...ratesOf(tier), aboveTokens: tier.above_tokens }));
  return {
    ...ratesOf(fields),
    perRequest: fields.per_request,
    perSearch: fields.per_search,
    tiers: tiers?.sort((one, other) => one.aboveTokens - other.aboveTokens),
  };
}

function ratesOf(fields: RateFields): Rates {
  return {
    input: fields.input,
    output: fields.output,
    cachedInput: fields.cached_input,
    cacheWrite: fields.cache_write,
    reasoning: fields.reasoning,
  };
}

/** The price as JSON for clients: rates that the model doesn't have are undefined, so that JSON leaves them out. */
export function priceView(price: Price): PriceFields {
  return {
    ...rateView(price),
    per_request: price.perRequest,
    per_search: price.perSearch,
    tiers: price.tiers?.map((tier) => ({ above_tokens: tier.aboveTokens, ...rateView(tier) })),
  };
}

function rateView(rates: Rates): RateFields {
  return {
    input: rates.input,
    output: rates.output,
    cached_input: rates.cachedInput,
    cache_write: rates.cacheWrite,
    reasoning: rates.reasoning,
  };
}

/** The mistake in a price by itself, in words; null if there is none. */
export function priceProblem(fields: PriceFields): string | null {
  for (const [name, rate] of Object.entries(fields)) {
    if (typeof rate === "number") {
      const wrong = rateProblem(name, rate);
      if (wrong !== null) return wrong;
    }
  }
  const { cached_input: cached, input } = fields;
  if (cached !== undefined && cached > input) return `cached_input ${cached} is dearer than input ${input}`;
  const starts = (fields.tiers ?? []).map((tier) => tier.above_tokens);
  if (new Set(starts).size < starts.length) return "two tiers start at the same number of tokens";
  for (const tier of fields.tiers ?? []) {
    const wrong = priceProblem({ ...tier });
    if (wrong !== null) return `tier above ${tier.above_tokens} tokens: ${wrong}`;
  }
  return null;
}

function rateProblem(name: string, rate: number): string | null {
  if (name === "above_tokens") {
    return Number.isSafeInteger(rate) && rate > 0 ? null : "above_tokens is not a number of tokens";
  }
  const most = name.startsWith("per_") ? PIECE_MAX : RATE_MAX;
  if (!(rate >= 0 && rate <= most)) return `${name} ${rate} is outside 0 to ${most} USD`;
  return Math.abs(Math.round(rate * DIGITS) / DIGITS - rate) < 1e-12
    ? null
    : `${name} has more than 6 decimals`;
}

/** True if a price is so far from the known one of the same model that its unit must be another. 0 is a price, not a slip. */
export function isSlip(price: Price, known: Price): boolean {
  const pairs = [
    [price.input, known.input],
    [price.output, known.output],
  ];
  return pairs.some(([one = 0, other = 0]) => {
    if (one === 0 || other === 0) return false;
    return one / other >= SLIP_FACTOR || other / one >= SLIP_FACTOR;
  });
}
