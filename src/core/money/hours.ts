// Prices that depend on the hour, as of providers that cost more while they are busy.
import type { HourlyPrice, ModelCard, Price, Rates } from "../models/card.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const WEEK_DAYS = 7;

/** Returns the card with the price of that time, Unix milliseconds. The same card if its price is always the same. */
export function priceCardAt(card: ModelCard, atMs: number): ModelCard {
  return card.timedPrice ? { ...card, price: findPriceAt(card.timedPrice, atMs) } : card;
}

/** Returns the card with the highest rates that a call within this time may be billed at. */
export function priceCardWithin(card: ModelCard, fromMs: number, toMs: number): ModelCard {
  const { timedPrice } = card;
  if (timedPrice === undefined) return card;
  return { ...card, price: listPricesWithin(timedPrice, fromMs, toMs).reduce(mergeHighest) };
}

/** Returns the prices of all hours. */
export function listHourlyPrices({ hours = [], ...usual }: Price): readonly Price[] {
  return [usual, ...hours.map(({ price }) => price)];
}

function findPriceAt({ hours = [], ...usual }: Price, atMs: number): Price {
  return hours.find((one) => covers(one, atMs))?.price ?? usual;
}

/** Returns the next time at which an hour's price begins or ends, Unix milliseconds. Infinity if none does. */
export function findNextHour({ hours = [] }: Price, afterMs: number): number {
  const todayMs = Math.floor(afterMs / DAY_MS) * DAY_MS;
  let next = Number.POSITIVE_INFINITY;
  for (let day = 0; day <= WEEK_DAYS; day++) {
    const startMs = todayMs + day * DAY_MS;
    for (const { days, fromMinute, toMinute } of hours) {
      if (!days.has(new Date(startMs).getUTCDay())) continue;
      for (const minute of [fromMinute, toMinute]) {
        const atMs = startMs + minute * MINUTE_MS;
        if (atMs > afterMs) next = Math.min(next, atMs);
      }
    }
  }
  return next;
}

function covers({ days, fromMinute, toMinute }: HourlyPrice, atMs: number): boolean {
  const minute = Math.floor(atMs / MINUTE_MS) % DAY_MINUTES;
  return days.has(new Date(atMs).getUTCDay()) && minute >= fromMinute && minute < toMinute;
}

function listPricesWithin(price: Price, fromMs: number, toMs: number): readonly Price[] {
  if (toMs - fromMs >= WEEK_DAYS * DAY_MS) return listHourlyPrices(price);
  const met = [findPriceAt(price, fromMs)];
  for (let atMs = findNextHour(price, fromMs); atMs <= toMs; atMs = findNextHour(price, atMs)) {
    met.push(findPriceAt(price, atMs));
  }
  return met;
}

function mergeHighest(one: Price, other: Price): Price {
  const tiers = one.tiers?.map((tier, at) => ({ ...tier, ...mergeRates(tier, other.tiers?.[at] ?? tier) }));
  return { ...one, ...mergeRates(one, other), ...(tiers ? { tiers } : {}) };
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
