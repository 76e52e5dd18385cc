// The cost of an answer: tokens of a usage report, priced line by line as the model's card says.
import type { Price, Rates } from "../core/card.ts";
import { type BillLine, computeCost, type NanoUsd } from "../core/money.ts";
import type { Tokens } from "../core/record.ts";

const UNITS_PER_MILLION = 1_000_000;
/** A million USD, whole nano-dollars: a cost beyond it is a mistake, and no row could hold it exactly. */
const COST_MAX: NanoUsd = 1_000_000 * 1_000_000_000;

/** The highest tier whose threshold the prompt passes, whole; else the price's own rates. */
function ratesFor(price: Price, promptTokens: number): Rates {
  if (price.tiers === undefined) return price;
  const passed = price.tiers.filter((tier) => promptTokens > tier.aboveTokens);
  const [highest] = passed.toSorted((a, b) => b.aboveTokens - a.aboveTokens);
  return highest ?? price;
}

/**
 * The bill for an answer that took so many calls, each with the same prompt. A rate that the card leaves out is the one
 * of the kind it belongs to: input, or output.
 */
export function listBillLines(price: Price, tokens: Tokens, calls = 1): readonly BillLine[] {
  const rates = ratesFor(price, tokens.prompt / calls);
  const { prompt, cached, cacheWrite, completion, reasoning, searches } = tokens;
  const lines: readonly BillLine[] = [
    { what: "input", count: prompt - cached - cacheWrite, usdPerMillion: rates.input },
    { what: "cached input", count: cached, usdPerMillion: rates.cachedInput ?? rates.input },
    { what: "cache write", count: cacheWrite, usdPerMillion: rates.cacheWrite ?? rates.input },
    { what: "output", count: completion - reasoning, usdPerMillion: rates.output },
    { what: "reasoning", count: reasoning, usdPerMillion: rates.reasoning ?? rates.output },
    { what: "request", count: calls, usdPerMillion: (price.perRequest ?? 0) * UNITS_PER_MILLION },
    { what: "search", count: searches, usdPerMillion: (price.perSearch ?? 0) * UNITS_PER_MILLION },
  ];
  return lines.filter((line) => line.count > 0 && line.usdPerMillion > 0);
}

/** The sum of a bill in whole nano-dollars, rounded up once. */
export function sumBill(lines: readonly BillLine[], markup: number): NanoUsd {
  return Math.min(computeCost(lines, markup), COST_MAX);
}

/** The cost of an answer in whole nano-dollars; a model without a price costs nothing. */
export function cost(price: Price | null, tokens: Tokens, markup: number, calls = 1): NanoUsd {
  return price === null ? 0 : sumBill(listBillLines(price, tokens, calls), markup);
}
