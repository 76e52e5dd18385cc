// Announced prices: each applies from a day on and replaces the one before.
import type { LaterPrice, ModelCard, OperationName } from "../core/models/card.ts";
import { findUsualAt, listDates } from "../core/money/schedule.ts";
import { buildPrice, findMissingRate, findPriceProblem, type PriceFields, priceView } from "./price.ts";

export interface LaterPriceFields extends PriceFields {
  /** `YYYY-MM-DD`. The price applies from the start of that day in UTC. */
  readonly from: string;
  /** `YYYY-MM-DD`, the last day on which it applies. Afterwards the price before it applies again. */
  readonly until?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_CHARACTERS = 10;
const DAY_MS = 86_400_000;

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
    .map((one) => ({ fromMs: parseDay(one.from) ?? 0, ...buildEnd(one), price: buildPrice(one) }))
    .toSorted((one, other) => one.fromMs - other.fromMs);
}

function buildEnd({ until }: LaterPriceFields): Pick<LaterPrice, "untilMs"> {
  const lastMs = until === undefined ? null : parseDay(until);
  return lastMs === null ? {} : { untilMs: lastMs + DAY_MS };
}

/** Returns the first mistake in announced prices and its place in the list. Null if there is none. */
export function findLaterProblem(
  fields: readonly LaterPriceFields[],
  operations: ReadonlySet<OperationName>,
): { readonly at: number; readonly message: string } | null {
  for (const [at, { from, until, ...price }] of fields.entries()) {
    if (parseDay(from) === null) return { at, message: `from must be a date like 2027-01-31, not ${from}` };
    if (until !== undefined && parseDay(until) === null)
      return { at, message: `until must be a date like 2027-01-31, not ${until}` };
    if (until !== undefined && until < from) return { at, message: `until ${until} is before from ${from}` };
    if (fields.findIndex((one) => one.from === from) < at)
      return { at, message: `two prices start on ${from}` };
    const missing = findMissingRate(price, operations);
    const message = missing === null ? findPriceProblem(price) : `the field ${missing} is missing`;
    if (message !== null) return { at, message };
  }
  return null;
}

/** Returns the card with the price that applies at that time and the changes still to come. */
export function applyPrices(card: ModelCard, nowMs: number): ModelCard {
  if (card.laterPrices === undefined) return card;
  const { laterPrices: _announced, ...rest } = card;
  const changes = listChanges(card, nowMs);
  return {
    ...rest,
    price: findUsualAt(card, nowMs),
    ...(changes.length === 0 ? {} : { laterPrices: changes }),
  };
}

/** Returns the price from each later date on: the end of one price is the start of another. */
function listChanges(card: ModelCard, nowMs: number): readonly LaterPrice[] {
  const changes: LaterPrice[] = [];
  let last = findUsualAt(card, nowMs);
  for (const fromMs of listDates(card)) {
    if (fromMs <= nowMs) continue;
    const price = findUsualAt(card, fromMs);
    if (price !== last) changes.push({ fromMs, price });
    last = price;
  }
  return changes;
}

/** Returns the announced prices as JSON for clients. */
export function viewLaterPrices({
  laterPrices = [],
}: Pick<ModelCard, "laterPrices">): readonly LaterPriceFields[] {
  return laterPrices.flatMap(({ fromMs, untilMs, price }) => {
    if (price === null) return [];
    const until = untilMs === undefined ? {} : { until: formatDay(untilMs - DAY_MS) };
    return [{ from: formatDay(fromMs), ...until, ...priceView(price) }];
  });
}
