// Prices that depend on the hour, as of providers that cost more while they are busy.
import type { HourlyPrice, Price } from "../models/card.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const WEEK_DAYS = 7;

/** Returns the prices of all hours. */
export function listHourlyPrices({ hours = [], ...usual }: Price): readonly Price[] {
  return [usual, ...hours.map(({ price }) => price)];
}

/** Returns the price of that hour, Unix milliseconds. */
export function findHourPrice(price: Price, atMs: number): Price {
  if (price.hours === undefined) return price;
  const { hours, ...usual } = price;
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
