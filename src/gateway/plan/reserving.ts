// Reservations for a request whose prompt begins with one that is known: that part is held at what its provider reported, of
// which the cached part costs less, and takes no tokens of a minute.

import type { Offer } from "../../core/demand.ts";
import type { TokenLoad } from "../../core/limits/limit.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { listPrices } from "../../core/money/schedule.ts";
import type { Deadlines } from "../../core/world/world.ts";
import type { KnownPrompts } from "../../health/prompts.ts";
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";

export interface ReservingPorts {
  readonly prompts: KnownPrompts;
  readonly deadlines: Deadlines;
}

/** Returns the offers with what budgets reserve of cards that know a part of the prompt. */
export function reserveKnown<F extends Form>(
  { prompts, deadlines }: ReservingPorts,
  { prompt }: Pick<Call<F>, "prompt">,
  cards: readonly ModelCard[],
  offers: readonly Offer[],
): readonly Offer[] {
  const nowMs = deadlines.nowMs();
  return offers.map((offer) => {
    const known = prompts.find(prompt, offer.card, nowMs);
    const card = cards.find(({ id }) => id === offer.card);
    const rate = findCachedRate(card);
    if (known === null || rate === null || card === undefined) return offer;
    const { tokens: cachedTokens, turn } = known;
    if (turn === null) return reserve(offer, { cachedTokens, promptTokens: Number.POSITIVE_INFINITY, rate });
    const addedTokens = measureAdded(offer, prompts.measureWorst(prompt, card), turn.worstTokens);
    return reserve(offer, { cachedTokens, promptTokens: turn.promptTokens + addedTokens, rate });
  });
}

/**
 * Returns the worst of what a turn adds to an earlier one. A hook may make a request longer than the client's own: then its
 * length counts.
 */
function measureAdded(
  { lines, choices, unrepeatedTokens = 0 }: Offer,
  worst: number,
  before: number,
): number {
  const held = lines.find(({ what }) => what === "input")?.count ?? 0;
  return Math.max(worst + unrepeatedTokens, held / choices) - before;
}

interface Reservation {
  readonly cachedTokens: number;
  /** The most tokens of the prompt. Infinite for what the offer holds. */
  readonly promptTokens: number;
  /** The rate of cached input, in USD per million tokens. */
  readonly rate: number;
}

/** Each answer reads the prompt. A reservation is never more than the hold. */
function reserve(offer: Offer, { cachedTokens, promptTokens, rate }: Reservation): Offer {
  const { choices } = offer;
  const reservedLines = offer.lines.flatMap((line) => {
    if (line.what !== "input") return [line];
    const all = Math.min(line.count, choices * Math.max(promptTokens, cachedTokens));
    const count = Math.min(all, choices * cachedTokens);
    return [
      { ...line, count: all - count },
      { what: "cached input", count, usdPerMillion: Math.min(rate, line.usdPerMillion) },
    ];
  });
  return { ...offer, reservedLines };
}

/** The highest over the price's tiers, hours and dates, in USD per million. Null without a price. */
function findCachedRate(card: ModelCard | undefined): number | null {
  if (!card?.price) return null;
  const rates = listPrices(card).flatMap((price) => [price, ...(price.tiers ?? [])]);
  return Math.max(...rates.map(({ input, cachedInput = input }) => cachedInput));
}

/** Estimates the tokens that a limit of the minute counts. `first` is the plan's first card. */
export function estimateLoad<F extends Form>(
  { prompts, deadlines }: ReservingPorts,
  { operation, ask, prompt }: Pick<Call<F>, "operation" | "ask" | "prompt">,
  first: ModelCard | null,
): TokenLoad {
  const load = operation.estimateLoad(ask);
  const cached = first ? prompts.find(prompt, first.id, deadlines.nowMs()) : null;
  return cached === null ? load : { ...load, prompt: Math.max(0, load.prompt - cached.estimatedTokens) };
}
