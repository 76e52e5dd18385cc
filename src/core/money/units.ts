// The units in which a model's work is counted and priced.
import { asNumber } from "../json/json.ts";

/**
 * No work. `prompt` counts the tokens read and includes `cached`, `cacheWrite`, `inputAudio` and `inputImage`.
 * `completion` counts those written and includes `reasoning`, `outputAudio` and `outputImage`.
 */
const none = {
  prompt: 0,
  cached: 0,
  cacheWrite: 0,
  /** The part of `cacheWrite` that is cached for an hour. */
  cacheWrite1h: 0,
  /** The part of `cacheWrite` that is cached for twelve hours. */
  cacheWrite12h: 0,
  inputAudio: 0,
  inputImage: 0,
  completion: 0,
  reasoning: 0,
  outputAudio: 0,
  outputImage: 0,
  searches: 0,
  images: 0,
  /** Whole seconds of audio. */
  seconds: 0,
  characters: 0,
  /** The billing unit of rerank models: a query with up to 100 documents. */
  searchUnits: 0,
  pages: 0,
};

export type Unit = keyof typeof none;

/** Whole numbers, negative only in what is taken out of a sum. */
export type Amounts = Readonly<Record<Unit, number>>;

export const NO_AMOUNTS: Amounts = none;

export const UNITS: readonly Unit[] = Object.keys(NO_AMOUNTS).filter((name): name is Unit => name in none);

export function addAmounts(one: Amounts, other: Amounts): Amounts {
  const sum: Record<Unit, number> = { ...one };
  for (const unit of UNITS) sum[unit] += other[unit];
  return sum;
}

/** Returns the amounts that aren't 0, as they are stored. */
export function shortenAmounts(amounts: Amounts): Partial<Amounts> {
  const some: Partial<Record<Unit, number>> = {};
  for (const unit of UNITS) if (amounts[unit] !== 0) some[unit] = amounts[unit];
  return some;
}

/** Returns all amounts of stored ones. */
export function expandAmounts(stored: Readonly<Record<string, unknown>>): Amounts {
  const amounts: Record<Unit, number> = { ...NO_AMOUNTS };
  for (const unit of UNITS) amounts[unit] = asNumber(stored[unit]) ?? 0;
  return amounts;
}
