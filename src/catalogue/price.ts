// Prices as they are written down (catalogue file, configuration, model list), and what makes one unbelievable.
import type { OperationName, PiecePrices, Price, Rates } from "../core/card.ts";

/** The optional rates, each with its name in the catalogue and in the API. */
const RATES = [
  ["cachedInput", "cached_input"],
  ["cacheWrite", "cache_write"],
  ["cacheWrite1h", "cache_write_1h"],
  ["reasoning", "reasoning"],
  ["inputAudio", "input_audio"],
  ["outputAudio", "output_audio"],
  ["inputImage", "input_image"],
  ["outputImage", "output_image"],
] as const satisfies readonly (readonly [keyof Rates, string])[];

/** The prices of single pieces by both names. */
const PIECES = [
  ["perRequest", "per_request"],
  ["perSearch", "per_search"],
  ["perImage", "per_image"],
  ["perMinute", "per_minute"],
  ["perCharacterMillion", "per_character_million"],
  ["perSearchUnit", "per_search_unit"],
  ["perPage", "per_page"],
] as const satisfies readonly (readonly [keyof PiecePrices, string])[];

/** USD per million tokens, by the names that operators and clients see. */
export interface RateFields extends OptionalFields<typeof RATES> {
  readonly input: number;
  readonly output: number;
}
interface TierFields extends RateFields {
  readonly above_tokens: number;
}
/** The pieces are USD each, `per_character_million` for a million. */
export interface PriceFields extends Partial<RateFields>, OptionalFields<typeof PIECES> {
  readonly tiers?: readonly TierFields[];
}
type OptionalFields<Names extends readonly (readonly [string, string])[]> = Readonly<
  Partial<Record<Names[number][1], number>>
>;

/** No model costs more: a rate above it is one per token, or in cents. */
export const RATE_MAX = 10_000;
/** USD for one request or search, or for a million characters. */
export const PIECE_MAX = 100;
/** A price so many times off the one known for the model is in another unit. */
const SLIP_FACTOR = 100;
const DIGITS = 1e6;

/** The names of all fields but `tiers`. */
export const RATE_FIELDS = ["input", "output", ...RATES.map(([, field]) => field)] as const;
export const PIECE_FIELDS = PIECES.map(([, field]) => field);

/** Returns the price; tokens cost nothing where it names only pieces. */
export function buildPrice(fields: PriceFields): Price {
  const tiers = fields.tiers?.map((tier) => ({ ...buildRates(tier), aboveTokens: tier.above_tokens }));
  return {
    ...buildRates(fields),
    ...Object.fromEntries(PIECES.map(([name, field]) => [name, fields[field]])),
    tiers: tiers?.sort((one, other) => one.aboveTokens - other.aboveTokens),
  };
}

function buildRates(fields: Partial<RateFields>): Rates {
  const { input = 0, output = 0 } = fields;
  return { input, output, ...Object.fromEntries(RATES.map(([name, field]) => [name, fields[field]])) };
}

/** The price as JSON for clients: rates that the model doesn't have are undefined, so that JSON leaves them out. */
export function priceView(price: Price): PriceFields & RateFields {
  return {
    ...viewRates(price),
    ...Object.fromEntries(PIECES.map(([name, field]) => [field, price[name]])),
    tiers: price.tiers?.map((tier) => ({ above_tokens: tier.aboveTokens, ...viewRates(tier) })),
  };
}

function viewRates(rates: Rates): RateFields {
  const { input, output } = rates;
  return { input, output, ...Object.fromEntries(RATES.map(([name, field]) => [field, rates[name]])) };
}

/** Returns the rate that a price lacks although its model needs it; null if there is none. */
export function findMissingRate(
  fields: PriceFields,
  operations: ReadonlySet<OperationName>,
): keyof PriceFields | null {
  const isWriter = operations.has("chat") || operations.has("completion");
  return (
    (isWriter ? (["input", "output"] as const).find((name) => fields[name] === undefined) : null) ?? null
  );
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
  if (cached !== undefined && input !== undefined && cached > input)
    return `cached_input ${cached} is dearer than input ${input}`;
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
