// Factors on a card's prices: of a provider or a credential, as negotiated, and of the region that serves its calls.
import type { LaterPrice, ModelCard, Price, Rates, UnitPrices } from "../models/card.ts";
import { priceCardAt } from "./schedule.ts";

/** Factors on tokens and on pieces, such as requests and searches. A region's counts for tokens alone. */
interface PriceFactors {
  readonly tokens: number;
  readonly pieces: number;
}

/** A name that no card has costs as many times the price of its relative. */
export interface FamilyPrice {
  readonly times: number;
  /** The names that may have relatives. */
  readonly names: RegExp;
}

/** The most decimals of prices and of factors on them. */
export const PRICE_DECIMALS = 6;
export const PRICE_FACTOR_MIN = 1e-6;
export const PRICE_FACTOR_MAX = 100;
const DIGITS = 10 ** PRICE_DECIMALS;
/** Far less than the last decimal, and more than doubles are off. */
const ROUNDING = 1e-4;

/** Returns the card with what a region adds to its token prices. */
export function addRegion(card: ModelCard, factor: number): ModelCard {
  return multiplyCard(card, { tokens: factor, pieces: 1 });
}

/**
 * Returns the card with all its prices multiplied: by the provider's factor, and by the highest of its credentials',
 * because any of them may be called.
 */
export function factorCard(card: ModelCard, factor: number, credentials: readonly number[]): ModelCard {
  const highest = credentials.length === 0 ? 1 : Math.max(...credentials);
  if (factor === 1 && credentials.every((one) => one === 1)) return card;
  const all = factor * highest;
  return { ...multiplyCard(card, { tokens: all, pieces: all }), unfactored: { card, factor, highest } };
}

/** Returns the card with all its prices so many times as high. */
export function raisePrices(card: ModelCard, times: number): ModelCard {
  return multiplyCard(card, { tokens: times, pieces: times });
}

/** Returns the card with the price of that time, Unix milliseconds, for a credential with this factor. */
export function priceCallAt(card: ModelCard, credentialFactor: number, atMs: number): ModelCard {
  const { unfactored } = card;
  if (unfactored === undefined || unfactored.highest === credentialFactor) return priceCardAt(card, atMs);
  const all = unfactored.factor * credentialFactor;
  const own = multiplyCard(unfactored.card, { tokens: all, pieces: all });
  return { ...card, price: priceCardAt(own, atMs).price };
}

/** Returns the price with its rates multiplied, rounded up to the decimals that prices have. */
export function multiplyPrice(price: Price, factors: PriceFactors): Price {
  const { tokens } = factors;
  return {
    ...price,
    ...multiplyRates(price, tokens),
    ...multiplyUnits(price, factors.pieces),
    ...(price.tiers
      ? { tiers: price.tiers.map((tier) => ({ ...tier, ...multiplyRates(tier, tokens) })) }
      : {}),
    ...(price.hours
      ? { hours: price.hours.map((hour) => ({ ...hour, price: multiplyPrice(hour.price, factors) })) }
      : {}),
    ...(price.service ? { service: multiplyService(price.service, factors) } : {}),
  };
}

function multiplyCard(card: ModelCard, factors: PriceFactors): ModelCard {
  const { price, timedPrice, laterPrices } = card;
  return {
    ...card,
    price: price && multiplyPrice(price, factors),
    ...(timedPrice ? { timedPrice: multiplyPrice(timedPrice, factors) } : {}),
    ...(laterPrices ? { laterPrices: laterPrices.map((later) => multiplyLater(later, factors)) } : {}),
  };
}

function multiplyLater(later: LaterPrice, factors: PriceFactors): LaterPrice {
  return { ...later, price: later.price && multiplyPrice(later.price, factors) };
}

function multiplyService(service: NonNullable<Price["service"]>, factors: PriceFactors): Price["service"] {
  return new Map([...service].map(([tier, price]) => [tier, multiplyPrice(price, factors)]));
}

function multiply(usd: number, factor: number): number {
  return Math.ceil(usd * factor * DIGITS - ROUNDING) / DIGITS;
}

/** A rate that the price doesn't have stays missing. */
function multiplyKnown(usd: number | undefined, factor: number): number | undefined {
  return usd === undefined ? undefined : multiply(usd, factor);
}

function multiplyRates(rates: Rates, factor: number): Rates {
  return {
    input: multiply(rates.input, factor),
    output: multiply(rates.output, factor),
    cachedInput: multiplyKnown(rates.cachedInput, factor),
    cacheWrite: multiplyKnown(rates.cacheWrite, factor),
    cacheWrite1h: multiplyKnown(rates.cacheWrite1h, factor),
    cacheWrite12h: multiplyKnown(rates.cacheWrite12h, factor),
    reasoning: multiplyKnown(rates.reasoning, factor),
    inputAudio: multiplyKnown(rates.inputAudio, factor),
    outputAudio: multiplyKnown(rates.outputAudio, factor),
    inputImage: multiplyKnown(rates.inputImage, factor),
    outputImage: multiplyKnown(rates.outputImage, factor),
  };
}

function multiplyUnits(units: UnitPrices, factor: number): UnitPrices {
  return {
    perRequest: multiplyKnown(units.perRequest, factor),
    perSearch: multiplyKnown(units.perSearch, factor),
    perImage: multiplyKnown(units.perImage, factor),
    perMinute: multiplyKnown(units.perMinute, factor),
    perCharacterMillion: multiplyKnown(units.perCharacterMillion, factor),
    perSearchUnit: multiplyKnown(units.perSearchUnit, factor),
    perPage: multiplyKnown(units.perPage, factor),
  };
}
