// The cost of an answer: tokens of a usage report, priced line by line as the model's card says.
import type { PiecePrices, Price, Rates } from "./card.ts";
import { type BillLine, computeCost, type NanoUsd } from "./money.ts";
import type { Amounts } from "./units.ts";

const UNITS_PER_MILLION = 1_000_000;
const SECONDS_PER_MINUTE = 60;
/** A million USD, whole nano-dollars: a cost beyond it is a mistake, and no row could hold it exactly. */
const COST_MAX: NanoUsd = 1_000_000 * 1_000_000_000;

/** The highest tier whose threshold the prompt passes, whole; else the price's own rates. */
function findRates(price: Price, promptTokens: number): Rates {
  if (price.tiers === undefined) return price;
  const passed = price.tiers.filter((tier) => promptTokens > tier.aboveTokens);
  const [highest] = passed.toSorted((a, b) => b.aboveTokens - a.aboveTokens);
  return highest ?? price;
}

/**
 * The bill for an answer that took so many calls, each with the same prompt. A rate that the card leaves out is the one
 * of the kind it belongs to: input, or output.
 */
export function listBillLines(price: Price, amounts: Amounts, calls = 1): readonly BillLine[] {
  const rates = findRates(price, amounts.prompt / calls);
  return [...listTokenLines(rates, amounts), ...listPieceLines(price, amounts, calls)].filter(
    (line) => line.count > 0 && line.usdPerMillion > 0,
  );
}

function listTokenLines(rates: Rates, amounts: Amounts): readonly BillLine[] {
  const { prompt, cached, cacheWrite, cacheWrite1h, inputAudio, inputImage } = amounts;
  const { completion, reasoning, outputAudio, outputImage } = amounts;
  const { input, output } = rates;
  const write = rates.cacheWrite ?? input;
  const read = prompt - cached - cacheWrite - inputAudio - inputImage;
  const written = completion - reasoning - outputAudio - outputImage;
  return [
    { what: "input", count: read, usdPerMillion: input },
    { what: "cached input", count: cached, usdPerMillion: rates.cachedInput ?? input },
    { what: "cache write", count: cacheWrite - cacheWrite1h, usdPerMillion: write },
    { what: "cache write for an hour", count: cacheWrite1h, usdPerMillion: rates.cacheWrite1h ?? write },
    { what: "audio input", count: inputAudio, usdPerMillion: rates.inputAudio ?? input },
    { what: "image input", count: inputImage, usdPerMillion: rates.inputImage ?? input },
    { what: "output", count: written, usdPerMillion: output },
    { what: "reasoning", count: reasoning, usdPerMillion: rates.reasoning ?? output },
    { what: "audio output", count: outputAudio, usdPerMillion: rates.outputAudio ?? output },
    { what: "image output", count: outputImage, usdPerMillion: rates.outputImage ?? output },
  ];
}

/** The lines of what isn't priced by the token. */
export function listPieceLines(price: PiecePrices, amounts: Amounts, calls: number): readonly BillLine[] {
  const each = (usd = 0) => usd * UNITS_PER_MILLION;
  const { perMinute = 0, perCharacterMillion = 0 } = price;
  return [
    { what: "request", count: calls, usdPerMillion: each(price.perRequest) },
    { what: "search", count: amounts.searches, usdPerMillion: each(price.perSearch) },
    { what: "image", count: amounts.images, usdPerMillion: each(price.perImage) },
    { what: "second", count: amounts.seconds, usdPerMillion: each(perMinute / SECONDS_PER_MINUTE) },
    { what: "character", count: amounts.characters, usdPerMillion: perCharacterMillion },
    { what: "search unit", count: amounts.searchUnits, usdPerMillion: each(price.perSearchUnit) },
    { what: "page", count: amounts.pages, usdPerMillion: each(price.perPage) },
  ];
}

/** The sum of a bill in whole nano-dollars, rounded up once. */
export function sumBill(lines: readonly BillLine[], markup: number): NanoUsd {
  return Math.min(computeCost(lines, markup), COST_MAX);
}

/** The cost of an answer in whole nano-dollars; a model without a price costs nothing. */
export function cost(price: Price | null, amounts: Amounts, markup: number, calls = 1): NanoUsd {
  return price === null ? 0 : sumBill(listBillLines(price, amounts, calls), markup);
}
