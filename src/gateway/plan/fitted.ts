// The request as it leaves for each card. Holds and estimates are made on it, so that a field that isn't sent doesn't
// change them.

import type { Offer } from "../../core/demand.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { isTimed, priceCardWithin } from "../../core/money/schedule.ts";
import type { Form } from "../../operations/form.ts";
import type { OfferTerms } from "../../operations/operation.ts";
import type { Call } from "../call.ts";
import type { Route } from "./routes.ts";
import { priceServed } from "./served-price.ts";

type Fitting<F extends Form> = Pick<Call<F>, "operation" | "routes" | "raw">;

/** Returns the request as a card's provider receives it: unchanged in the native lane, and if nobody serves the card. */
export function fitAsk<F extends Form>(
  call: Fitting<F>,
  ask: F["ask"],
  card: ModelCard,
  raw = call.raw,
): F["ask"] {
  return fitTo(call.routes.find(card, ask, raw), call, ask, card);
}

/**
 * Returns the worst-case cost on each card, each card once, in order. `nowMs` is wall time: prices that depend on the hour
 * count at the highest of the hours that a call may meet, or of all hours if it is missing.
 */
export function makeOffers<F extends Form>(
  call: Fitting<F> & Pick<Call<F>, "ask"> & Omit<OfferTerms, "answersPerCall">,
  cards: readonly ModelCard[],
  nowMs?: number,
): readonly Offer[] {
  const once = cards.length === 1 ? cards : [...new Set(cards)];
  const offers: Offer[] = [];
  for (const card of once) offers.push(makeOffer(call, card, priceWorst(call, card, nowMs)));
  return offers;
}

/** Clocks differ from a provider's, and an attempt begins some time after the admission. */
const HOUR_SLACK_MS = 60_000;

function priceWorst<F extends Form>(
  { routes }: Pick<Fitting<F>, "routes">,
  card: ModelCard,
  nowMs: number | undefined,
): ModelCard {
  const setup = routes.upstreams.get(card.provider)?.setup;
  const served = setup === undefined ? card : priceServed(card, setup);
  return isTimed(served) ? priceTimed(served, setup?.timeouts.totalMs, nowMs) : served;
}

function priceTimed(card: ModelCard, totalMs: number | undefined, nowMs: number | undefined): ModelCard {
  if (nowMs === undefined || totalMs === undefined) return priceCardWithin(card, 0, Number.POSITIVE_INFINITY);
  return priceCardWithin(card, nowMs - HOUR_SLACK_MS, nowMs + totalMs + HOUR_SLACK_MS);
}

function makeOffer<F extends Form>(
  call: Fitting<F> & Pick<Call<F>, "ask"> & Omit<OfferTerms, "answersPerCall">,
  card: ModelCard,
  priced: ModelCard,
): Offer {
  const { operation, isLimitRequired, searches, unreadBytes, cachesLong = false } = call;
  const route = call.routes.find(card, call.ask, call.raw);
  const ask = fitTo(route, call, call.ask, card);
  const answersPerCall = Math.max(1, route?.codec.answersPerCall(card, ask) ?? Number.POSITIVE_INFINITY);
  // Neither the client's own searches nor what only a provider of its family reads is translated.
  const isOwn = route !== null && route.lane !== null;
  return operation.offer(ask, priced, {
    isLimitRequired,
    answersPerCall,
    searches: isOwn ? searches : 0,
    unreadBytes: isOwn ? unreadBytes : 0,
    cachesLong: isOwn && cachesLong,
  });
}

function fitTo<F extends Form>(
  route: Route<F> | null,
  call: Pick<Fitting<F>, "operation" | "routes">,
  ask: F["ask"],
  card: ModelCard,
): F["ask"] {
  if (route === null || route.lane !== null) return ask;
  const { setup } = call.routes.upstreams.get(card.provider) ?? { setup: {} };
  return call.operation.fit(route.codec, ask, card, setup).ask;
}
