// A request's ticket: what the ledger needs to admit and settle it.

import type { Attempt } from "../core/attempt.ts";
import type { Claim, LineTerms, Offer, ToolTerms } from "../core/demand.ts";
import type { GatewayKey, KeyProof } from "../core/keys/key.ts";
import type { TokenLoad } from "../core/limits/limit.ts";
import type { ModelCard, Price } from "../core/models/card.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { Clock } from "../core/world/world.ts";
import type { Ask, Ledger, Ticket } from "../ledger/ledger.ts";
import type { Form } from "../operations/form.ts";
import { countPlaces } from "./attempt/calls.ts";
import { type Call, shortenModel } from "./call.ts";
import { findCeiling } from "./plan/ceiling.ts";
import { makeOffers } from "./plan/fitted.ts";
import { isPayable, nameFirst, type Plan } from "./plan/plan.ts";
import { estimateLoad, type ReservingPorts, reserveKnown } from "./plan/reserving.ts";

/** A nano-dollar. */
const SMALLEST = [{ what: "request", count: 1, usdPerMillion: 0.001 }];

interface TicketPorts extends ReservingPorts {
  readonly ledger: Pick<Ledger, "ticket">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** A request as the ledger sees it. Its offers, which are costly to make, are only made if something is to be held. */
class RequestAsk<F extends Form> implements Ask {
  readonly id: string;
  readonly isNew: boolean;
  readonly isEntered: boolean;
  readonly requestId: string;
  readonly key: GatewayKey;
  readonly proof: KeyProof | null;
  readonly operation: string;
  readonly surface: string;
  readonly modelAsked: string;
  readonly modelPlanned: string | null;
  readonly selector: string | null;
  readonly stream: boolean;
  readonly answers: number;
  readonly leastOffers: (() => readonly Offer[]) | null;
  readonly isPayable: boolean;
  readonly isGroup: boolean;
  readonly idempotency: Claim | null;
  readonly line: LineTerms | null;
  readonly ceilingNanoUsd: NanoUsd | null;
  readonly nowMs: number;
  readonly tool?: ToolTerms;
  readonly #ports: TicketPorts;
  readonly #call: Call<F>;
  readonly #attempts: readonly Attempt[];

  constructor(ports: TicketPorts, call: Call<F>, plan: Plan, isEntered: boolean) {
    const { operation, ask, selection } = call;
    this.id = call.id;
    this.isNew = !isEntered;
    this.isEntered = isEntered;
    this.requestId = call.requestId;
    this.key = call.key;
    this.proof = call.proof;
    this.operation = operation.name;
    this.surface = call.surface;
    this.modelAsked = shortenModel(ask.model);
    this.modelPlanned = nameFirst(plan);
    this.selector = selection.kind === "selector" ? `Router#${selection.selector.name}` : null;
    this.stream = ask.stream === true;
    this.answers = countPlaces(call, plan.attempts);
    this.leastOffers = operation.offerLeast ? makeLeastOffers(call, plan, operation.offerLeast) : null;
    this.isPayable = isPayable(selection);
    this.isGroup = selection.kind === "group";
    this.idempotency = call.idempotency;
    this.line = call.line ? call.line.terms : null;
    this.ceilingNanoUsd = call.steering.maxCostUsd === null ? null : findCeiling(call);
    this.nowMs = ports.clock.nowMs();
    if (call.toolRight) this.tool = { ...call.toolRight, memberTools: call.key.memberTools ?? null };
    this.#ports = ports;
    this.#call = call;
    this.#attempts = plan.attempts;
  }

  get isWithin(): boolean {
    return this.#call.isWithin === true;
  }

  #listCards(): readonly ModelCard[] {
    return this.#attempts.map(({ card }) => card);
  }

  offers(isReserving: boolean): readonly Offer[] {
    const cards = this.#listCards();
    const offers = makeOffers(this.#call, cards, this.nowMs);
    return isReserving ? reserveKnown(this.#ports, this.#call, cards, offers) : offers;
  }

  ownOffers(): readonly Offer[] {
    return this.#listCards().map(makeSmallestOffer);
  }

  load(): TokenLoad {
    return estimateLoad(this.#ports, this.#call, this.#attempts[0]?.card ?? null);
  }
}

/** `isEntered` is true if the ledger has let it in already, and only the rest of its admission is left. */
export function makeTicket<F extends Form>(
  ports: TicketPorts,
  call: Call<F>,
  plan: Plan,
  isEntered = false,
): Ticket {
  return ports.ledger.ticket(new RequestAsk(ports, call, plan, isEntered));
}

function makeLeastOffers<F extends Form>(
  { ask }: Call<F>,
  { attempts }: Plan,
  offerLeast: NonNullable<Call<F>["operation"]["offerLeast"]>,
): () => readonly Offer[] {
  return () => attempts.map(({ card }) => offerLeast(ask, card));
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
