// The catalogue's cards as of a time: with the prices that apply then, and how near their models' ends are.
import type { GroupMember, ModelCard } from "../core/models/card.ts";
import { findNextHour } from "../core/money/hours.ts";
import { priceCardAt } from "../core/money/schedule.ts";
import { applyPrices, parseDay } from "./later-prices.ts";
import { type PriceFields, priceView } from "./price.ts";
import type { RateFields } from "./rates.ts";

const DAY_MS = 86_400_000;
/** Long enough to move to another model before the end. */
const SOON_DAYS = 30;

/** Returns the card as of that time, Unix milliseconds. */
export function dateCard(card: ModelCard, nowMs: number): ModelCard {
  const priced = applyPrices(card, nowMs);
  const ending = findEnding(priced, nowMs);
  const dated = ending === undefined ? priced : { ...priced, ending };
  const { price } = dated;
  return price?.hours ? priceCardAt({ ...dated, timedPrice: price }, nowMs) : dated;
}

/** Returns the next time after that one at which any of the cards changes, Unix milliseconds. Infinity if there is none. */
export function findNextChange(cards: readonly ModelCard[], nowMs: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const card of cards) {
    const { laterPrices, timedPrice } = card;
    next = Math.min(next, laterPrices?.[0]?.fromMs ?? next);
    if (timedPrice) next = Math.min(next, findNextHour(timedPrice, nowMs));
    for (const atMs of listEnds(card)) if (atMs > nowMs) next = Math.min(next, atMs);
  }
  return next;
}

/** Returns the card's price as clients see it: the usual one, with those of other hours. Null if it has none. */
export function viewPrice(card: ModelCard): (PriceFields & RateFields) | null {
  const { price, timedPrice } = findShown(card);
  const usual = timedPrice ?? price;
  return usual && priceView(usual);
}

/** Returns the card whose prices clients may see. */
export function findShown(card: ModelCard): ModelCard {
  return card.unfactored?.isShown ? card.unfactored.card : card;
}

/** True after the model's last day. */
export function hasEnded({ ending }: ModelCard): boolean {
  return ending === "over";
}

/** Returns the members that last, else those that haven't ended, else all. */
export function keepLasting(members: readonly GroupMember[]): readonly GroupMember[] {
  const lasting = members.filter(({ card }) => card.ending === undefined);
  if (lasting.length > 0) return lasting;
  const answering = members.filter(({ card }) => !hasEnded(card));
  return answering.length > 0 ? answering : members;
}

function findEnding(card: ModelCard, nowMs: number): ModelCard["ending"] {
  const [soonMs, overMs] = listEnds(card);
  if (soonMs === undefined || overMs === undefined || nowMs < soonMs) return undefined;
  return nowMs < overMs ? "soon" : "over";
}

/** Returns when the model's last days begin, and the end of its last day. Empty if no shutdown is announced. */
function listEnds({ shutdownDate }: ModelCard): readonly number[] {
  const dayMs = shutdownDate === undefined ? null : parseDay(shutdownDate);
  return dayMs === null ? [] : [dayMs - SOON_DAYS * DAY_MS, dayMs + DAY_MS];
}
