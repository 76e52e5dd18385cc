// Reservations for a request whose prompt begins with one that is known: what is cached of it costs less, and takes no
// tokens of a minute.

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

/** Returns the offers with what budgets reserve of cards that have cached a part of the prompt. */
export function reserveCached<F extends Form>(
  { prompts, deadlines }: ReservingPorts,
  { prompt }: Pick<Call<F>, "prompt">,
  cards: readonly ModelCard[],
  offers: readonly Offer[],
): readonly Offer[] {
  const nowMs = deadlines.nowMs();
  return offers.map((offer) => {
    const cached = prompts.find(prompt, offer.card, nowMs);
    if (cached === null || cached.tokens === 0) return offer;
    const rate = findCachedRate(cards.find(({ id }) => id === offer.card));
    return rate === null ? offer : reserve(offer, cached.tokens, rate);
  });
}

/** Each answer reads the prefix. */
function reserve(offer: Offer, cachedTokens: number, usdPerMillion: number): Offer {
  const reservedLines = offer.lines.flatMap((line) => {
    if (line.what !== "input") return [line];
    const count = Math.min(line.count, offer.choices * cachedTokens);
    return [
      { ...line, count: line.count - count },
      { what: "cached input", count, usdPerMillion: Math.min(usdPerMillion, line.usdPerMillion) },
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
