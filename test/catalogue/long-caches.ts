// Prices of caches: what the lists state of them, and the rates of longer times.
import type { PriceFacts } from "./sources.ts";

/** A cache-write rate below the input rate is a storage fee. A reasoning rate equal to the output rate is redundant. */
export function plain(price: PriceFacts): PriceFacts {
  const { input, output, cached_input, cache_write: write, reasoning, ...rest } = price;
  const kept: PriceFacts = { input, output };
  if (cached_input !== undefined) kept.cached_input = cached_input;
  if (write !== undefined && write >= input) kept.cache_write = write;
  if (reasoning !== undefined && reasoning !== output) kept.reasoning = reasoning;
  return { ...kept, ...rest };
}

const CLAUDE = /^(Anthropic|Azure|Bedrock|Vertex)#.*claude/;

/** Anthropic's price page: writing to a one-hour cache costs twice the input rate, on every cloud. */
function withHours({ tiers, ...price }: PriceFacts): PriceFacts {
  const addHour = <Rates extends Pick<PriceFacts, "input" | "cache_write">>(rates: Rates): Rates =>
    rates.cache_write === undefined ? rates : { ...rates, cache_write_1h: 2 * rates.input };
  return { ...addHour(price), ...(tiers ? { tiers: tiers.map(addHour) } : {}) };
}

const CACHES_LONG = /^OpenAI#gpt-(5\.6|6)/;

/** OpenAI's price page, November 2026: writing to a twelve-hour cache costs twice as much as to the usual one. */
function withTwelveHours({ tiers, ...price }: PriceFacts): PriceFacts {
  const addHours = <Rates extends Pick<PriceFacts, "cache_write">>(rates: Rates): Rates =>
    rates.cache_write === undefined ? rates : { ...rates, cache_write_12h: 2 * rates.cache_write };
  return { ...addHours(price), ...(tiers ? { tiers: tiers.map(addHours) } : {}) };
}

/** Returns the price with the rates of writing to caches that keep a prompt for longer than usual. */
export function addLongCaches(id: string, price: PriceFacts): PriceFacts {
  if (CLAUDE.test(id)) return withHours(price);
  return CACHES_LONG.test(id) ? withTwelveHours(price) : price;
}
