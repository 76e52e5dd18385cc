// A request's ticket: what the ledger needs to admit and settle it.

import type { Offer } from "../core/demand.ts";
import type { ModelCard, Price } from "../core/models/card.ts";
import type { Clock } from "../core/world/world.ts";
import type { Ledger, Ticket } from "../ledger/ledger.ts";
import type { Form } from "../operations/form.ts";
import { countPlaces } from "./attempt/calls.ts";
import { type Call, shortenModel } from "./call.ts";
import { findCeiling } from "./plan/ceiling.ts";
import { makeOffers } from "./plan/fitted.ts";
import { isPayable, nameFirst, type Plan } from "./plan/plan.ts";
import { estimateLoad, type ReservingPorts, reserveCached } from "./plan/reserving.ts";

/** A nano-dollar. */
const SMALLEST = [{ what: "request", count: 1, usdPerMillion: 0.001 }];

interface TicketPorts extends ReservingPorts {
  readonly ledger: Pick<Ledger, "ticket">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** `isEntered` is true if the ledger has let it in already, and only the rest of its admission is left. */
export function makeTicket<F extends Form>(
  ports: TicketPorts,
  call: Call<F>,
  plan: Plan,
  isEntered = false,
): Ticket {
  const { operation, surface, id, requestId, key, proof, ask, selection, idempotency } = call;
  const { offerLeast } = operation;
  const cards = plan.attempts.map(({ card }) => card);
  const nowMs = ports.clock.nowMs();
  return ports.ledger.ticket({
    id,
    isNew: !isEntered,
    isEntered,
    requestId,
    key,
    proof,
    operation: operation.name,
    surface,
    modelAsked: shortenModel(ask.model),
    modelPlanned: nameFirst(plan),
    selector: selection.kind === "selector" ? `Router#${selection.selector.name}` : null,
    stream: ask.stream === true,
    answers: countPlaces(call, plan.attempts),
    offers: (isReserving) => {
      const offers = makeOffers(call, cards, nowMs);
      return isReserving ? reserveCached(ports, call, cards, offers) : offers;
    },
    ownOffers: () => cards.map(makeSmallestOffer),
    load: () => estimateLoad(ports, call, cards),
    leastOffers: offerLeast && (() => cards.map((card) => offerLeast(ask, card))),
    isPayable: isPayable(selection),
    isGroup: selection.kind === "group",
    idempotency,
    ceilingNanoUsd: findCeiling(call),
    nowMs,
  });
}

/** True if nothing costs anything. Rates that a price doesn't have are undefined. */
function isZero({ tiers = [], ...rates }: Price): boolean {
  const isNothing = (one: object) => Object.values(one).every((rate) => !rate);
  return isNothing(rates) && tiers.every(({ aboveTokens, ...own }) => isNothing(own));
}

/** An offer of a nano-dollar, or of nothing if the model costs nothing. */
function makeSmallestOffer({ id, price }: ModelCard): Offer {
  const isFree = price === null || isZero(price);
  return {
    card: id,
    isPriced: price !== null,
    lines: isFree ? [] : SMALLEST,
    outputUsdPerMillion: 0,
    choices: 1,
    isLimitMeant: false,
    outputTokensAsked: null,
    outputTokensMax: null,
  };
}
