// The cost of an answer by its usage report and the model's card.
import type { Price, Rates, UnitPrices } from "../models/card.ts";
import { type BillLine, computeCost, type NanoUsd } from "./money.ts";
import type { Amounts } from "./units.ts";

const UNITS_PER_MILLION = 1_000_000;
const SECONDS_PER_MINUTE = 60;
/** A million USD in nano-dollars. A higher cost is a mistake, and no row could store it exactly. */
const COST_MAX: NanoUsd = 1_000_000 * 1_000_000_000;

/** Returns the highest tier that the prompt exceeds, or else the price's own rates. */
export function findRates(price: Price, promptTokens: number): Rates {
  if (price.tiers === undefined) return price;
  const passed = price.tiers.filter((tier) => promptTokens > tier.aboveTokens);
  const [highest] = passed.toSorted((a, b) => b.aboveTokens - a.aboveTokens);
  return highest ?? price;
}

/**
 * Returns the bill of an answer that took this many calls with the same prompt. Missing rates default to the input or
 * output rate they belong to.
 */
export function listBillLines(price: Price, amounts: Amounts, calls = 1): readonly BillLine[] {
  const lines: BillLine[] = [];
  addTokenLines(lines, findRates(price, amounts.prompt / calls), amounts);
  addUnitLines(lines, price, amounts, calls);
  return lines;
}

/** Most amounts are zero. Filtering those out afterwards would cost 1% of a request. */
function add(lines: BillLine[], what: string, count: number, usdPerMillion: number): void {
  if (count > 0 && usdPerMillion > 0) lines.push({ what, count, usdPerMillion });
}

function addTokenLines(lines: BillLine[], rates: Rates, amounts: Amounts): void {
  const { prompt, cached, cacheWrite, cacheWrite1h, cacheWrite12h, inputAudio, inputImage } = amounts;
  const { completion, reasoning, outputAudio, outputImage } = amounts;
  const { input, output } = rates;
  const write = rates.cacheWrite ?? input;
  add(lines, "input", prompt - cached - cacheWrite - inputAudio - inputImage, input);
  add(lines, "cached input", cached, rates.cachedInput ?? input);
  add(lines, "cache write", cacheWrite - cacheWrite1h - cacheWrite12h, write);
  add(lines, "cache write for an hour", cacheWrite1h, rates.cacheWrite1h ?? write);
  add(lines, "cache write for twelve hours", cacheWrite12h, rates.cacheWrite12h ?? write);
  add(lines, "audio input", inputAudio, rates.inputAudio ?? input);
  add(lines, "image input", inputImage, rates.inputImage ?? input);
  add(lines, "output", completion - reasoning - outputAudio - outputImage, output);
  add(lines, "reasoning", reasoning, rates.reasoning ?? output);
  add(lines, "audio output", outputAudio, rates.outputAudio ?? output);
  add(lines, "image output", outputImage, rates.outputImage ?? output);
}

function perMillion(usd = 0): number {
  return usd * UNITS_PER_MILLION;
}

/** Adds the lines that aren't priced per token. */
function addUnitLines(lines: BillLine[], price: UnitPrices, amounts: Amounts, calls: number): void {
  const { perMinute = 0, perCharacterMillion = 0 } = price;
  add(lines, "request", calls, perMillion(price.perRequest));
  add(lines, "search", amounts.searches, perMillion(price.perSearch));
  add(lines, "image", amounts.images, perMillion(price.perImage));
  add(lines, "second", amounts.seconds, perMillion(perMinute / SECONDS_PER_MINUTE));
  add(lines, "character", amounts.characters, perCharacterMillion);
  add(lines, "search unit", amounts.searchUnits, perMillion(price.perSearchUnit));
  add(lines, "page", amounts.pages, perMillion(price.perPage));
}

/** The total of a bill in nano-dollars, rounded up once. */
export function sumBill(lines: readonly BillLine[], markup: number): NanoUsd {
  return Math.min(computeCost(lines, markup), COST_MAX);
}
