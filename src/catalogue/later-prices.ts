// Announced prices: each applies from a day on and replaces the one before.
import type { LaterPrice, ModelCard, OperationName } from "../core/models/card.ts";
import { buildPrice, findMissingRate, findPriceProblem, type PriceFields, priceView } from "./price.ts";

export interface LaterPriceFields extends PriceFields {
  /** `YYYY-MM-DD`. The price applies from the start of that day in UTC. */
  readonly from: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_CHARACTERS = 10;

/** Parses `YYYY-MM-DD` into the start of the day in UTC, Unix milliseconds. Null for anything else. */
export function parseDay(text: string): number | null {
  const ms = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) || formatDay(ms) !== text ? null : ms;
}

/** Returns the day in UTC as `YYYY-MM-DD`. */
export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, DATE_CHARACTERS);
}

/** Returns the prices, the earliest first. */
export function buildLaterPrices(fields: readonly LaterPriceFields[]): readonly LaterPrice[] {
  return fields
    .map((one) => ({ fromMs: parseDay(one.from) ?? 0, price: buildPrice(one) }))
    .toSorted((one, other) => one.fromMs - other.fromMs);
}

/** Returns the first mistake in announced prices and its place in the list. Null if there is none. */
export function findLaterProblem(
  fields: readonly LaterPriceFields[],
  operations: ReadonlySet<OperationName>,
): { readonly at: number; readonly message: string } | null {
  for (const [at, { from, ...price }] of fields.entries()) {
    if (parseDay(from) === null) return { at, message: `from must be a date like 2027-01-31, not ${from}` };
    if (fields.findIndex((one) => one.from === from) < at)
      return { at, message: `two prices start on ${from}` };
    const missing = findMissingRate(price, operations);
    const message = missing === null ? findPriceProblem(price) : `the field ${missing} is missing`;
    if (message !== null) return { at, message };
  }
  return null;
}

/** Returns the card with the price that applies at that time and the prices still to come. */
export function applyPrices(card: ModelCard, nowMs: number): ModelCard {
  const { laterPrices = [], ...rest } = card;
  const due = laterPrices.filter(({ fromMs }) => fromMs <= nowMs);
  const last = due.at(-1);
  if (!last) return card;
  const left = laterPrices.slice(due.length);
  return { ...rest, price: last.price, ...(left.length === 0 ? {} : { laterPrices: left }) };
}

/** Returns the announced prices as JSON for clients. */
export function viewLaterPrices({ laterPrices = [] }: ModelCard): readonly LaterPriceFields[] {
  return laterPrices.map(({ fromMs, price }) => ({ from: formatDay(fromMs), ...priceView(price) }));
}
