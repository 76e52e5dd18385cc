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
  // Most amounts are zero. Filtering those out afterwards would cost 1% of a request.
  const add: AddLine = (what, count, usdPerMillion) => {
    if (count > 0 && usdPerMillion > 0) lines.push({ what, count, usdPerMillion });
  };
  addTokenLines(add, findRates(price, amounts.prompt / calls), amounts);
  addUnitLines(add, price, amounts, calls);
  return lines;
}

type AddLine = (what: string, count: number, usdPerMillion: number) => void;

function addTokenLines(add: AddLine, rates: Rates, amounts: Amounts): void {
  const { prompt, cached, cacheWrite, cacheWrite1h, cacheWrite12h, inputAudio, inputImage } = amounts;
  const { completion, reasoning, outputAudio, outputImage } = amounts;
  const { input, output } = rates;
  const write = rates.cacheWrite ?? input;
  add("input", prompt - cached - cacheWrite - inputAudio - inputImage, input);
  add("cached input", cached, rates.cachedInput ?? input);
  add("cache write", cacheWrite - cacheWrite1h - cacheWrite12h, write);
  add("cache write for an hour", cacheWrite1h, rates.cacheWrite1h ?? write);
  add("cache write for twelve hours", cacheWrite12h, rates.cacheWrite12h ?? write);
  add("audio input", inputAudio, rates.inputAudio ?? input);
  add("image input", inputImage, rates.inputImage ?? input);
  add("output", completion - reasoning - outputAudio - outputImage, output);
  add("reasoning", reasoning, rates.reasoning ?? output);
  add("audio output", outputAudio, rates.outputAudio ?? output);
  add("image output", outputImage, rates.outputImage ?? output);
}

/** Adds the lines that aren't priced per token. */
function addUnitLines(add: AddLine, price: UnitPrices, amounts: Amounts, calls: number): void {
  const each = (usd = 0) => usd * UNITS_PER_MILLION;
  const { perMinute = 0, perCharacterMillion = 0 } = price;
  add("request", calls, each(price.perRequest));
  add("search", amounts.searches, each(price.perSearch));
  add("image", amounts.images, each(price.perImage));
  add("second", amounts.seconds, each(perMinute / SECONDS_PER_MINUTE));
  add("character", amounts.characters, perCharacterMillion);
  add("search unit", amounts.searchUnits, each(price.perSearchUnit));
  add("page", amounts.pages, each(price.perPage));
}

/** The total of a bill in nano-dollars, rounded up once. */
export function sumBill(lines: readonly BillLine[], markup: number): NanoUsd {
  return Math.min(computeCost(lines, markup), COST_MAX);
}
