// The price of a card at a given time: prices begin and end on dates, and some depend on the hour.
import type { LaterPrice, ModelCard, Price } from "../models/card.ts";
import { mergeHighest } from "./highest.ts";
import { findHourPrice, findNextHour, listHourlyPrices } from "./hours.ts";

type DatedCard = Pick<ModelCard, "price" | "timedPrice" | "laterPrices">;

/** Returns the card with the price of that time, Unix milliseconds. The same card if its price is always the same. */
export function priceCardAt(card: ModelCard, atMs: number): ModelCard {
  return isTimed(card) ? { ...card, price: findPriceAt(card, atMs) } : card;
}

/** Returns the card with the highest rates that a call within this time may be billed at. */
export function priceCardWithin(card: ModelCard, fromMs: number, toMs: number): ModelCard {
  if (!isTimed(card)) return card;
  const met = listUsualWithin(card, fromMs, toMs).flatMap((usual) =>
    usual === null ? [] : listHoursWithin(usual, fromMs, toMs),
  );
  return { ...card, price: met.length === 0 ? null : met.reduce(mergeHighest) };
}

/** True if the card's price may be another one at another time. */
export function isTimed({ timedPrice, laterPrices }: Pick<ModelCard, "timedPrice" | "laterPrices">): boolean {
  return timedPrice !== undefined || laterPrices !== undefined;
}

/** Returns the prices of all hours and dates. Empty if the card has no price. */
export function listPrices({ price, timedPrice = price ?? undefined, laterPrices = [] }: DatedCard) {
  const usual = [timedPrice, ...laterPrices.map((later) => later.price)];
  return usual.flatMap((one) => (one ? listHourlyPrices(one) : []));
}

/** Returns the price of the date with those of its hours. Null if there is none. */
export function findUsualAt({ price, timedPrice, laterPrices = [] }: DatedCard, atMs: number): Price | null {
  const last = laterPrices.findLast((one) => isInForce(one, atMs));
  return last === undefined ? (timedPrice ?? price) : last.price;
}

function findPriceAt(card: DatedCard, atMs: number): Price | null {
  const usual = findUsualAt(card, atMs);
  return usual && findHourPrice(usual, atMs);
}

function isInForce({ fromMs, untilMs = Number.POSITIVE_INFINITY }: LaterPrice, atMs: number): boolean {
  return fromMs <= atMs && atMs < untilMs;
}

/** Returns the times at which an announced price begins or ends, the earliest first. */
export function listDates({ laterPrices = [] }: DatedCard): readonly number[] {
  const times = laterPrices.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs ?? fromMs]);
  return [...new Set(times)].sort((one, other) => one - other);
}

function listUsualWithin(card: DatedCard, fromMs: number, toMs: number): readonly (Price | null)[] {
  const dates = listDates(card).filter((atMs) => atMs > fromMs && atMs <= toMs);
  return [fromMs, ...dates].map((atMs) => findUsualAt(card, atMs));
}

const WEEK_MS = 604_800_000;

function listHoursWithin(price: Price, fromMs: number, toMs: number): readonly Price[] {
  if (toMs - fromMs >= WEEK_MS) return listHourlyPrices(price);
  const met = [findHourPrice(price, fromMs)];
  for (let atMs = findNextHour(price, fromMs); atMs <= toMs; atMs = findNextHour(price, atMs)) {
    met.push(findHourPrice(price, atMs));
  }
  return met;
}
