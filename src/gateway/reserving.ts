// Reservations for a request whose conversation is known: its cached prefix costs less, and no tokens of a minute.
import type { ModelCard } from "../core/card.ts";
import type { Offer } from "../core/demand.ts";
import { listHourlyPrices } from "../core/hours.ts";
import type { TokenLoad } from "../core/limit.ts";
import type { Deadlines } from "../core/world.ts";
import type { Stickiness } from "../health/stickiness.ts";
import type { Form } from "../operations/form.ts";
import type { Call } from "./call.ts";

export interface ReservingPorts {
  readonly stickiness: Stickiness;
  readonly deadlines: Deadlines;
}

/** Returns the offers with what budgets reserve of the card that served the conversation's last turn. */
export function reserveCached<F extends Form>(
  { stickiness, deadlines }: ReservingPorts,
  { conversation }: Pick<Call<F>, "conversation">,
  cards: readonly ModelCard[],
  offers: readonly Offer[],
): readonly Offer[] {
  const cached = stickiness.findCached(conversation, deadlines.nowMs());
  if (cached === null || cached.tokens === 0) return offers;
  const rate = findCachedRate(cards.find(({ id }) => id === cached.cardId));
  if (rate === null) return offers;
  return offers.map((offer) => (offer.card === cached.cardId ? reserve(offer, cached.tokens, rate) : offer));
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

/** The highest over the price's tiers and hours, in USD per million. Null without a price. */
function findCachedRate(card: ModelCard | undefined): number | null {
  if (!card?.price) return null;
  const prices = card.timedPrice ? listHourlyPrices(card.timedPrice) : [card.price];
  const rates = prices.flatMap((price) => [price, ...(price.tiers ?? [])]);
  return Math.max(...rates.map(({ input, cachedInput = input }) => cachedInput));
}

/** Estimates the tokens that a limit of the minute counts. */
export function estimateLoad<F extends Form>(
  { stickiness, deadlines }: ReservingPorts,
  { operation, ask, conversation }: Pick<Call<F>, "operation" | "ask" | "conversation">,
): TokenLoad {
  const { prompt, output } = operation.estimateLoad(ask);
  const cached = stickiness.findCached(conversation, deadlines.nowMs())?.tokens ?? 0;
  return { prompt: Math.max(0, prompt - cached), output };
}
