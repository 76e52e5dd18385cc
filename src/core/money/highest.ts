// The highest of several prices, which is held if a call may be billed at any of them.
import type { Price, Rates, UnitPrices } from "../models/card.ts";
import { findRates } from "./price.ts";

/** Returns a price with the higher of each rate. */
export function mergeHighest(one: Price, other: Price): Price {
  const starts = [one, other].flatMap(({ tiers = [] }) => tiers.map(({ aboveTokens }) => aboveTokens));
  const tiers = [...new Set(starts)].map((aboveTokens) => ({
    ...mergeRates(findRates(one, aboveTokens + 1), findRates(other, aboveTokens + 1)),
    aboveTokens,
  }));
  return {
    ...one,
    ...mergeRates(one, other),
    ...mergeUnits(one, other),
    ...(tiers.length > 0 ? { tiers } : {}),
  };
}

function mergeUnits(one: UnitPrices, other: UnitPrices): UnitPrices {
  return {
    perRequest: findHigher(one.perRequest, other.perRequest),
    perSearch: findHigher(one.perSearch, other.perSearch),
    perImage: findHigher(one.perImage, other.perImage),
    perMinute: findHigher(one.perMinute, other.perMinute),
    perCharacterMillion: findHigher(one.perCharacterMillion, other.perCharacterMillion),
    perSearchUnit: findHigher(one.perSearchUnit, other.perSearchUnit),
    perPage: findHigher(one.perPage, other.perPage),
  };
}

function findHigher(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

function mergeRates(one: Rates, other: Rates): Rates {
  const first = completeRates(one);
  const second = completeRates(other);
  return {
    input: Math.max(first.input, second.input),
    output: Math.max(first.output, second.output),
    cachedInput: Math.max(first.cachedInput, second.cachedInput),
    cacheWrite: Math.max(first.cacheWrite, second.cacheWrite),
    cacheWrite1h: Math.max(first.cacheWrite1h, second.cacheWrite1h),
    cacheWrite12h: Math.max(first.cacheWrite12h, second.cacheWrite12h),
    reasoning: Math.max(first.reasoning, second.reasoning),
    inputAudio: Math.max(first.inputAudio, second.inputAudio),
    outputAudio: Math.max(first.outputAudio, second.outputAudio),
    inputImage: Math.max(first.inputImage, second.inputImage),
    outputImage: Math.max(first.outputImage, second.outputImage),
  };
}

/** A rate that only one of the prices names defaults to the input or output rate in the other. */
function completeRates(rates: Rates): Required<Rates> {
  const { input, output, cachedInput = input, cacheWrite = input } = rates;
  const { cacheWrite1h = cacheWrite, cacheWrite12h = cacheWrite } = rates;
  const { inputAudio = input, inputImage = input } = rates;
  const { reasoning = output, outputAudio = output, outputImage = output } = rates;
  return {
    input,
    output,
    cachedInput,
    cacheWrite,
    cacheWrite1h,
    cacheWrite12h,
    reasoning,
    inputAudio,
    outputAudio,
    inputImage,
    outputImage,
  };
}
