// The cost of an answer by its usage report and the model's card.
import type { Price, Rates, UnitPrices } from "../models/card.ts";
import { remember } from "../world/remember.ts";
import { type BillLine, computeCost, type NanoUsd } from "./money.ts";
import type { Amounts, Unit } from "./units.ts";

const UNITS_PER_MILLION = 1_000_000;
const SECONDS_PER_MINUTE = 60;
/** A million USD in nano-dollars. A higher cost is a mistake, and no row could store it exactly. */
const COST_MAX: NanoUsd = 1_000_000 * 1_000_000_000;

/** Returns the highest tier that the prompt exceeds, or else the price's own rates. */
export function findRates(price: Price, promptTokens: number): Rates {
  return price.tiers === undefined ? price : findTier(price, price.tiers, promptTokens);
}

function findTier(price: Price, tiers: NonNullable<Price["tiers"]>, promptTokens: number): Rates {
  const passed = tiers.filter((tier) => promptTokens > tier.aboveTokens);
  const [highest] = passed.toSorted((a, b) => b.aboveTokens - a.aboveTokens);
  return highest ?? price;
}

/** A line of a bill: the amount of a unit, minus what other lines have of it. */
interface Line {
  readonly what: string;
  readonly unit: Unit;
  readonly less?: readonly Unit[];
}

/** Missing rates default to the input or output rate they belong to. */
const TOKEN_LINES: readonly (Line & { readonly rate: (rates: Rates) => number })[] = [
  {
    what: "input",
    unit: "prompt",
    less: ["cached", "cacheWrite", "inputAudio", "inputImage"],
    rate: ({ input }) => input,
  },
  { what: "cached input", unit: "cached", rate: ({ input, cachedInput }) => cachedInput ?? input },
  {
    what: "cache write",
    unit: "cacheWrite",
    less: ["cacheWrite1h", "cacheWrite12h"],
    rate: ({ input, cacheWrite }) => cacheWrite ?? input,
  },
  {
    what: "cache write for an hour",
    unit: "cacheWrite1h",
    rate: ({ input, cacheWrite, cacheWrite1h }) => cacheWrite1h ?? cacheWrite ?? input,
  },
  {
    what: "cache write for twelve hours",
    unit: "cacheWrite12h",
    rate: ({ input, cacheWrite, cacheWrite12h }) => cacheWrite12h ?? cacheWrite ?? input,
  },
  { what: "audio input", unit: "inputAudio", rate: ({ input, inputAudio }) => inputAudio ?? input },
  { what: "image input", unit: "inputImage", rate: ({ input, inputImage }) => inputImage ?? input },
  {
    what: "output",
    unit: "completion",
    less: ["reasoning", "outputAudio", "outputImage"],
    rate: ({ output }) => output,
  },
  { what: "reasoning", unit: "reasoning", rate: ({ output, reasoning }) => reasoning ?? output },
  { what: "audio output", unit: "outputAudio", rate: ({ output, outputAudio }) => outputAudio ?? output },
  { what: "image output", unit: "outputImage", rate: ({ output, outputImage }) => outputImage ?? output },
];

/** Lines that aren't priced per token, in USD per million. */
const UNIT_LINES: readonly (Line & { readonly rate: (price: UnitPrices) => number })[] = [
  { what: "search", unit: "searches", rate: ({ perSearch }) => perMillion(perSearch) },
  { what: "image", unit: "images", rate: ({ perImage }) => perMillion(perImage) },
  {
    what: "second",
    unit: "seconds",
    rate: ({ perMinute = 0 }) => perMillion(perMinute / SECONDS_PER_MINUTE),
  },
  {
    what: "character",
    unit: "characters",
    rate: ({ perCharacterMillion = 0 }) => perCharacterMillion,
  },
  { what: "search unit", unit: "searchUnits", rate: ({ perSearchUnit }) => perMillion(perSearchUnit) },
  { what: "page", unit: "pages", rate: ({ perPage }) => perMillion(perPage) },
];

interface PricedLine {
  readonly line: Line;
  readonly usdPerMillion: number;
}

const UNPRICED: readonly PricedLine[] = [];

/** Most prices have few lines, and most requests the same prices: what costs nothing is left out once. */
function priceLines<P extends object>(all: readonly (Line & { readonly rate: (price: P) => number })[]) {
  return remember((price: P): readonly PricedLine[] => {
    let priced: PricedLine[] | null = null;
    for (const line of all) {
      const usdPerMillion = line.rate(price);
      if (usdPerMillion <= 0) continue;
      priced ??= [];
      priced.push({ line, usdPerMillion });
    }
    return priced ?? UNPRICED;
  });
}

const listTokenLines = priceLines(TOKEN_LINES);
const listUnitLines = priceLines(UNIT_LINES);

/** Returns the bill of an answer that took this many calls with the same prompt. */
export function listBillLines(price: Price, amounts: Amounts, calls = 1): readonly BillLine[] {
  const lines: BillLine[] = [];
  addLines(lines, listTokenLines(findRates(price, amounts.prompt / calls)), amounts);
  if (price.perRequest !== undefined && price.perRequest > 0 && calls > 0)
    lines.push({ what: "request", count: calls, usdPerMillion: perMillion(price.perRequest) });
  addLines(lines, listUnitLines(price), amounts);
  return lines;
}

/** Most amounts are zero. Filtering those out afterwards would cost 1% of a request. */
function addLines(lines: BillLine[], priced: readonly PricedLine[], amounts: Amounts): void {
  for (const { line, usdPerMillion } of priced) {
    const { what, unit, less = NO_UNITS } = line;
    let count = amounts[unit];
    for (const other of less) count -= amounts[other];
    if (count > 0) lines.push({ what, count, usdPerMillion });
  }
}

const NO_UNITS: readonly Unit[] = [];

function perMillion(usd = 0): number {
  return usd * UNITS_PER_MILLION;
}

/** The total of a bill in nano-dollars, rounded up once. */
export function sumBill(lines: readonly BillLine[], markup: number): NanoUsd {
  return Math.min(computeCost(lines, markup), COST_MAX);
}
