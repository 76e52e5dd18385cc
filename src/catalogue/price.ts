// Prices as the catalogue file, the configuration and the model list write them, and the checks for implausible ones.
import type { OperationName, Price, UnitPrices } from "../core/models/card.ts";
import { buildHours, findHoursProblem, type HourFields, viewHours } from "./hours.ts";
import { buildRates, type OptionalFields, type RateFields, viewRates } from "./rates.ts";
import { buildService, isServiceTier, type ServiceFields, viewService } from "./tier-prices.ts";

/** The prices per piece, each with both names. */
const UNIT_PRICES = [
  ["perRequest", "per_request"],
  ["perSearch", "per_search"],
  ["perImage", "per_image"],
  ["perMinute", "per_minute"],
  ["perCharacterMillion", "per_character_million"],
  ["perSearchUnit", "per_search_unit"],
  ["perPage", "per_page"],
] as const satisfies readonly (readonly [keyof UnitPrices, string])[];

interface TierFields extends RateFields {
  readonly above_tokens: number;
}
/** Prices per piece are in USD, `per_character_million` for a million characters. */
export interface PriceFields extends Partial<RateFields>, OptionalFields<typeof UNIT_PRICES> {
  readonly tiers?: readonly TierFields[];
  /** Other rates at some hours. */
  readonly hours?: readonly HourFields[];
  /** Other rates of other services. */
  readonly service?: ServiceFields;
}
/** No model costs more: a higher rate is per token or in cents. */
export const RATE_MAX = 10_000;
/** USD for one piece, such as a request, a search or a million characters. */
export const PIECE_MAX = 100;
/** A price off the model's known one by this factor is in another unit. */
const SLIP_FACTOR = 100;
const DIGITS = 1e6;

export const UNIT_FIELDS = UNIT_PRICES.map(([, field]) => field);

/** Returns the price. Tokens cost nothing if it names only pieces. */
export function buildPrice(fields: PriceFields): Price {
  const tiers = fields.tiers?.map((tier) => ({ ...buildRates(tier), aboveTokens: tier.above_tokens }));
  const bare: Price = {
    ...buildRates(fields),
    ...Object.fromEntries(UNIT_PRICES.map(([name, field]) => [name, fields[field]])),
    tiers: tiers?.sort((one, other) => one.aboveTokens - other.aboveTokens),
  };
  const { service } = fields;
  const usual: Price = service === undefined ? bare : { ...bare, service: buildService(service, bare) };
  return fields.hours === undefined ? usual : { ...usual, hours: buildHours(fields.hours, usual) };
}

/** Returns the price as JSON for clients. Rates that the model doesn't have are undefined, so JSON omits them. */
export function priceView(price: Price): PriceFields & RateFields {
  return {
    ...viewRates(price),
    ...Object.fromEntries(UNIT_PRICES.map(([name, field]) => [field, price[name]])),
    tiers: price.tiers?.map((tier) => ({ above_tokens: tier.aboveTokens, ...viewRates(tier) })),
    ...(price.hours ? { hours: viewHours(price.hours) } : {}),
    ...(price.service ? { service: viewService(price.service) } : {}),
  };
}

/** Returns a rate that the model needs but the price lacks. Null if there is none. */
export function findMissingRate(
  fields: PriceFields,
  operations: ReadonlySet<OperationName>,
): keyof PriceFields | null {
  const isWriter = operations.has("chat") || operations.has("completion");
  return (
    (isWriter ? (["input", "output"] as const).find((name) => fields[name] === undefined) : null) ?? null
  );
}

/** Returns the mistake in a price on its own. Null if there is none. */
export function findPriceProblem(fields: PriceFields): string | null {
  for (const [name, rate] of Object.entries(fields)) {
    if (typeof rate === "number") {
      const wrong = findRateProblem(name, rate);
      if (wrong !== null) return wrong;
    }
  }
  const { cached_input: cached, input } = fields;
  if (cached !== undefined && input !== undefined && cached > input)
    return `cached_input ${cached} is higher than input ${input}`;
  return findTierProblem(fields) ?? findHourProblem(fields) ?? findServiceProblem(fields);
}

function findTierProblem({ tiers = [] }: PriceFields): string | null {
  const starts = tiers.map((tier) => tier.above_tokens);
  if (new Set(starts).size < starts.length) return "two tiers start at the same number of tokens";
  for (const tier of tiers) {
    const wrong = findPriceProblem({ ...tier });
    if (wrong !== null) return `tier above ${tier.above_tokens} tokens: ${wrong}`;
  }
  return null;
}

function findHourProblem({ input, hours = [] }: PriceFields): string | null {
  for (const { days: _days, from: _from, to: _to, ...rates } of hours) {
    const wrong = findPriceProblem({ input, ...rates });
    if (wrong !== null) return `hours: ${wrong}`;
  }
  return findHoursProblem(hours);
}

function findServiceProblem({ input, service = {} }: PriceFields): string | null {
  for (const [tier, rates] of Object.entries(service)) {
    const wrong = isServiceTier(tier) ? findPriceProblem({ input, ...rates }) : "is no known service";
    if (wrong !== null) return `service ${tier}: ${wrong}`;
  }
  return null;
}

function findRateProblem(name: string, rate: number): string | null {
  if (name === "above_tokens") {
    return Number.isSafeInteger(rate) && rate > 0 ? null : "above_tokens must be a positive integer";
  }
  const most = name.startsWith("per_") ? PIECE_MAX : RATE_MAX;
  if (!(rate >= 0 && rate <= most)) return `${name} must be from 0 to ${most} USD, not ${rate}`;
  return Math.abs(Math.round(rate * DIGITS) / DIGITS - rate) < 1e-12
    ? null
    : `${name} must have at most 6 decimals`;
}

/** True if a price is so far from the model's known one that its unit must differ. 0 is a valid price. */
export function isUnitMistake(price: Price, known: Price): boolean {
  const pairs = [
    [price.input, known.input],
    [price.output, known.output],
  ];
  return pairs.some(([one = 0, other = 0]) => {
    if (one === 0 || other === 0) return false;
    return one / other >= SLIP_FACTOR || other / one >= SLIP_FACTOR;
  });
}
