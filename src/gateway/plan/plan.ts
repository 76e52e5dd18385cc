// The plan of a request: an ordered list of attempts for failover. Selectors return an order, not a single choice.

import type { Attempt } from "../../core/attempt.ts";
import { type FailureKind, USUAL_FAILURES } from "../../core/faults/failure-kinds.ts";
import { Fault } from "../../core/faults/fault.ts";
import { countAs, type GroupMember, type ModelCard } from "../../core/models/card.ts";
import type { Address } from "../../health/address.ts";
import type { Health } from "../../health/health.ts";
import type { ComingCall } from "../../health/order/coming-calls.ts";
import { type Load, ONE_CALL } from "../../health/rate.ts";
import type { Choice } from "../../selectors/choose.ts";
import { type KeptDecision, keepDecision } from "../../selectors/decision.ts";
import { explore } from "../../selectors/explore.ts";
import { orderAttempts } from "./attempt-order.ts";
import { type ChoiceInput, chooseModel, type Selecting } from "./choose-model.ts";
import { ADDRESSES_MAX, CALLS_MAX, Gathering, type GatheringInput } from "./gathering.ts";
import { type Group, keepAble, type OrderInput, orderGroup } from "./group-order.ts";
import { findHome, type Home } from "./home.ts";

/** The meaning of the request's `model`. */
export type Selection =
  | { readonly kind: "card"; readonly card: ModelCard; readonly fallbacks: readonly ModelCard[] }
  | (Group & { readonly kind: "group" })
  | Selecting;

/** The most that a request may cost. */
export interface Ceiling {
  /** True if a short answer by this model fits. */
  covers(card: ModelCard): boolean;
  /** Returns a Fault that names the cheapest of the models that don't fit. Null if there are none. */
  findFault(): Fault | null;
}

interface PlanInput extends OrderInput, ChoiceInput, GatheringInput {
  readonly selection: Selection;
  /** Missing if it may cost any amount. */
  readonly ceiling?: Ceiling | null;
}

export interface Plan {
  readonly attempts: readonly Attempt[];
  /** Spare attempts, for when other requests have since used up the credentials above. */
  readonly spares: readonly Attempt[];
  readonly load: Load;
  /** The selector's reasons for this order. Null if the client named the model. */
  readonly decision: KeptDecision | null;
  /** The first place of the conversation's order. Missing or null if it has none. */
  readonly home?: Home | null;
  /** Its first call, counted among those that are about to begin. Missing if there is nothing to choose. */
  readonly coming?: ComingCall;
}

/** Returns the model under which a request counts that none answers. */
export function nameFirst({ attempts, spares }: Pick<Plan, "attempts" | "spares">): string | null {
  const card = (attempts[0] ?? spares[0])?.card;
  if (card === undefined) return null;
  return countAs(card);
}

/** The number of credentials of the first model to try before another model. */
const FIRST_CARD_MAX = 2;

/**
 * Returns at least one attempt. Attempts that aren't allowed right now (cooling down, breaker open) are left out unless
 * there are no others: then failover finds the one allowed first. Throws a Fault if the model can't take the request or
 * no provider is enabled.
 */
export function planCalls(input: PlanInput): Plan {
  const { cards: chosen, decision } = chooseCards(input);
  const cards = restGone(chosen, input);
  const { load = ONE_CALL } = input;
  const gathered = new Gathering(input, (attempts) => orderAttempts(attempts, input));
  for (const card of keepCovered(cards, input.ceiling)) if (!gathered.add(card)) break;
  const { every, ready, longer } = gathered;
  if (every.length === 0) throw explainNone(input);
  const plan = interleave(input.selection.kind === "selector" ? putNewAddressesFirst(ready, input) : ready);
  const order =
    plan.length > 0
      ? plan
      : every.filter((attempt) => !input.health.isBarred(attempt, input.nowMs, input.payer));
  const attempts = limitAttempts(order, input.health, longer);
  const spares = input.health.ownLimits.any ? every.filter((attempt) => !attempts.includes(attempt)) : [];
  const mayMove = every.length > 1 || input.selection.kind === "group";
  const home = mayMove ? findHome(input, attempts[0], listSharers(input.selection)) : null;
  return { attempts, spares, load, decision, home };
}

/** Returns the models among which a conversation has its place. Null if a selector chooses. */
function listSharers(selection: Selection): readonly GroupMember[] | null {
  if (selection.kind === "selector") return null;
  return selection.kind === "group" ? selection.members : [{ card: selection.card, weight: 1 }];
}

function explainNone({ ceiling }: PlanInput): Fault {
  const none = new Fault("no_provider_available", "No provider of this model is enabled.");
  return ceiling?.findFault() ?? none;
}

/** Yields the models that fit the ceiling. */
function* keepCovered(cards: Iterable<ModelCard>, ceiling: PlanInput["ceiling"]): Iterable<ModelCard> {
  for (const card of cards) if (ceiling?.covers(card) !== false) yield card;
}

/**
 * After the first model, each other address gets a turn before any gets a second: failures often affect a whole
 * address.
 */
function putNewAddressesFirst(
  ready: readonly (readonly Attempt[])[],
  { health }: PlanInput,
): readonly (readonly Attempt[])[] {
  const met = new Set<Address | undefined>();
  const again: (readonly Attempt[])[] = [];
  const first: (readonly Attempt[])[] = [];
  for (const attempts of ready) {
    const address = attempts[0] && health.addresses.find(attempts[0].card.provider);
    (met.has(address) ? again : first).push(attempts);
    met.add(address);
  }
  return [...first, ...again];
}

/** As many attempts as there may be calls, `longer` among them, plus one per further address in case connections fail. */
function limitAttempts(
  order: readonly Attempt[],
  health: Health,
  longer: Attempt | null,
): readonly Attempt[] {
  if (order.length <= CALLS_MAX) return order;
  const findAddress = ({ card }: Attempt) => health.addresses.find(card.provider);
  const kept = order.slice(0, CALLS_MAX);
  if (longer !== null && !kept.includes(longer)) kept[CALLS_MAX - 1] = longer;
  const met = new Set(kept.map(findAddress));
  for (const attempt of order.slice(CALLS_MAX)) {
    const address = findAddress(attempt);
    if (met.size >= ADDRESSES_MAX) break;
    if (!met.has(address) && !kept.includes(attempt)) kept.push(attempt);
    met.add(address);
  }
  return kept;
}

/** Two credentials of the requested model come first, then each other model once before any repeats. */
function interleave([first = [], ...others]: readonly (readonly Attempt[])[]): readonly Attempt[] {
  if (others.length === 0) return first;
  const once = others.flatMap((attempts) => attempts.slice(0, 1));
  const rest = others.flatMap((attempts) => attempts.slice(1));
  return [...first.slice(0, FIRST_CARD_MAX), ...once, ...rest];
}

/** Yields the models that their providers have first. The others are the last resort. */
function* restGone(cards: Iterable<ModelCard>, { health, nowMs, selection }: PlanInput): Iterable<ModelCard> {
  const gone: ModelCard[] = [];
  let isAny = false;
  for (const card of cards) {
    if (health.isGone(card.id, nowMs)) gone.push(card);
    else {
      const leading = gone.length > 0 ? listLeading(selection, card) : null;
      if (leading?.includes("gone") === false) yield* gone.splice(0);
      isAny = true;
      yield card;
    }
  }
  if (!isAny) yield* gone;
}

function chooseCards(input: PlanInput): { cards: Iterable<ModelCard>; decision: KeptDecision | null } {
  const { selection, rules, roll } = input;
  if (selection.kind === "card") {
    input.refuseUnable(selection.card);
    return {
      cards: [selection.card, ...keepAble(selection.fallbacks, input.refuseUnable).able],
      decision: null,
    };
  }
  if (selection.kind === "group") return { cards: orderGroup(selection, input), decision: null };
  const choice = chooseModel(selection, input);
  const tried = explore(choice, rules.explore, roll)?.card ?? null;
  return {
    cards: listCards(choice, tried),
    decision: keepDecision(choice, input.steering?.quality ?? rules.fairQuality, tried),
  };
}

/** Best first, except that a model being explored comes before all. */
function* listCards(choice: Choice, tried: ModelCard | null): Iterable<ModelCard> {
  if (tried !== null) yield tried;
  for (const card of choice.inOrder()) if (card !== tried) yield card;
}

/** The failures that lead to a fallback. Null for a model that the request was for. */
export function listLeading(selection: Selection, card: ModelCard): readonly FailureKind[] | null {
  switch (selection.kind) {
    case "selector":
      return null;
    case "card":
      return card === selection.card ? null : listFailures(selection.card, card);
    case "group": {
      if (selection.members.some((member) => member.card === card)) return null;
      const owners = selection.members.filter((member) => member.card.fallbacks.includes(card.id));
      return owners.flatMap((owner) => listFailures(owner.card, card));
    }
  }
}

function listFailures({ fallbackFailures }: ModelCard, { id }: ModelCard): readonly FailureKind[] {
  return fallbackFailures?.get(id) ?? USUAL_FAILURES;
}

/** False if neither the named model nor any member of the named group has a price. */
export function isPayable(selection: Selection): boolean {
  switch (selection.kind) {
    case "card":
      return selection.card.price !== null;
    case "group":
      return selection.members.some(({ card }) => card.price !== null);
    case "selector":
      return true;
  }
}
