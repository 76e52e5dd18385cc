// The plan of a request: an ordered list of attempts, which failover walks. Selection gives an order, not a choice.
import type { Attempt } from "../core/attempt.ts";
import type { ModelCard } from "../core/card.ts";
import { Fault } from "../core/fault.ts";
import type { Credential, RouterRules } from "../core/settings.ts";
import type { Address } from "../health/address.ts";
import type { Health } from "../health/health.ts";
import { type Load, ONE_CALL } from "../health/rate.ts";
import { spread } from "../health/spread.ts";
import type { Conversation, Stickiness } from "../health/stickiness.ts";
import type { Choosable } from "../operations/operation.ts";
import type { ChooseInput } from "../selectors/candidate.ts";
import { type Choice, choose } from "../selectors/choose.ts";
import { type KeptDecision, keptDecision } from "../selectors/decision.ts";
import { explored } from "../selectors/explore.ts";
import { BY_RULE } from "../selectors/rules.ts";
import type { SelectorRule } from "../selectors/selector.ts";
import { type Group, keepAble, orderGroup } from "./group-order.ts";

/** The meaning of the client's `model`. */
export type Selection =
  | { readonly kind: "card"; readonly card: ModelCard; readonly fallbacks: readonly ModelCard[] }
  | (Group & { readonly kind: "group" })
  | { readonly kind: "selector"; readonly selector: SelectorRule; readonly candidates: readonly ModelCard[] };

/** Live health, what was learned, and what is likely to be cached. */
export type Known = Pick<ChooseInput, "health" | "learned" | "cached">;

export interface PlanInput {
  /** Throws the Fault `unsupported_capability` if the model can't take what the request is about. */
  readonly refuseUnable: (card: ModelCard) => void;
  /** False: its provider can't fetch the request's images; left out: none has to be fetched. */
  readonly takesImageUrls?: ((card: ModelCard) => boolean) | undefined;
  /** The request as selectors read it; null: none chooses for its operation. */
  readonly describe: (() => Choosable) | null;
  readonly selection: Selection;
  readonly rules: RouterRules;
  /** The share of the best quality that the client asked `Router#fair` to keep, 0…1; null: the operator's. */
  readonly quality: number | null;
  /** The facts that a selector uses beside the catalogue; left out: nothing is known. */
  readonly known?: Known;
  /** The credentials of a provider that is on; none: it is off. */
  readonly credentialsOf: (provider: string) => readonly Credential[];
  /** A number from 0 up to 1, drawn at each call, that spreads load by the credentials' weights. */
  readonly roll: () => number;
  readonly conversation: Conversation;
  readonly health: Health;
  /** The load that the request puts on a credential by one call. */
  readonly load?: Load;
  readonly stickiness: Stickiness;
  /** On the monotonic clock. */
  readonly nowMs: number;
}

export interface Plan {
  readonly attempts: readonly Attempt[];
  /** Further ways to ask, for when other requests have meanwhile used up the credentials of those above. */
  readonly spares: readonly Attempt[];
  readonly load: Load;
  /** A selector's reasons for this order; null: the client named the model. */
  readonly decision: KeptDecision | null;
}

/** The most calls made for one request. Attempts whose connection doesn't come about are not among them. */
export const CALLS_MAX = 4;
/** The most addresses in a plan: a request is answered while one of them can be reached. */
const ADDRESSES_MAX = 4;
/** The credentials of the first model that are tried before another model. */
const FIRST_CARD_MAX = 2;

/**
 * At least one attempt. Those that can't be asked now (resting, an open breaker) are left out unless there are no others:
 * then the walk finds out which of them may be asked first. Throws a Fault when the model can't take the
 * request or no provider is on.
 */
export function planCalls(input: PlanInput): Plan {
  const { cards, decision } = cardsOf(input);
  const { load = ONE_CALL } = input;
  const only = onlyAttempt(input);
  if (only !== null) return { attempts: [only], spares: [], load, decision };
  const every: Attempt[] = [];
  const ready: (readonly Attempt[])[] = [];
  const met = new Set<Address | undefined>();
  const addresses = Math.min(ADDRESSES_MAX, input.health.countAddressesAsked(input.nowMs));
  for (const card of cards) {
    const address = input.health.address(card.provider);
    if (ready.length >= CALLS_MAX && met.has(address)) continue;
    const attempts = input.credentialsOf(card.provider).map((credential): Attempt => ({ card, credential }));
    every.push(...attempts);
    const now = inOrder(attempts, input);
    if (now.length > 0) {
      ready.push(now);
      met.add(address);
    }
    if (ready.length >= CALLS_MAX && met.size >= addresses) break;
  }
  if (every.length === 0) throw new Fault("no_provider_available", "No provider of this model is on.");
  const first = every.length > 1 ? sticky(every, ready, input) : null;
  const spreadOut = mixed(input.selection.kind === "selector" ? ofAllAddresses(ready, input) : ready);
  const plan = first ? [first, ...spreadOut.filter((attempt) => attempt !== first)] : spreadOut;
  const order =
    plan.length > 0 ? plan : every.filter((attempt) => !input.health.isBarred(attempt, input.nowMs));
  const attempts = cut(order, input.health);
  const spares = input.health.ownLimits.any ? every.filter((attempt) => !attempts.includes(attempt)) : [];
  return { attempts, spares, load, decision };
}

/**
 * If one model is served by one credential there is nothing to choose: it is asked if it may be, and if it may not,
 * the walk finds that out. The way of all other plans comes to the same in 1 µs more.
 */
function onlyAttempt({ selection, credentialsOf }: PlanInput): Attempt | null {
  if (selection.kind !== "card" || selection.fallbacks.length > 0) return null;
  const { card } = selection;
  const credentials = credentialsOf(card.provider);
  const [credential] = credentials;
  return credential === undefined || credentials.length > 1 ? null : { card, credential };
}

/** Behind the first model each other address has its turn before any has another: what fails at one often fails for all of it. */
function ofAllAddresses(
  ready: readonly (readonly Attempt[])[],
  { health }: PlanInput,
): readonly (readonly Attempt[])[] {
  const met = new Set<Address | undefined>();
  const again: (readonly Attempt[])[] = [];
  const first: (readonly Attempt[])[] = [];
  for (const attempts of ready) {
    const address = attempts[0] && health.address(attempts[0].card.provider);
    (met.has(address) ? again : first).push(attempts);
    met.add(address);
  }
  return [...first, ...again];
}

/** As many attempts as calls are made, and one at each further address for when connections don't come about. */
function cut(order: readonly Attempt[], health: Health): readonly Attempt[] {
  if (order.length <= CALLS_MAX) return order;
  const addressOf = ({ card }: Attempt) => health.address(card.provider);
  const kept = order.slice(0, CALLS_MAX);
  const met = new Set(kept.map(addressOf));
  for (const attempt of order.slice(CALLS_MAX)) {
    const address = addressOf(attempt);
    if (met.size >= ADDRESSES_MAX) break;
    if (!met.has(address)) kept.push(attempt);
    met.add(address);
  }
  return kept;
}

/** One model's attempts that may be made now, spread over its credentials; where a probe is due, it goes first. */
function inOrder(attempts: readonly Attempt[], { health, roll, nowMs, load }: PlanInput): readonly Attempt[] {
  const ready = attempts.filter((attempt) => health.isReady(attempt, nowMs, load));
  if (ready.length < 2) return ready;
  // At most one of those that were refused is asked whether it still is: the request must be left with others.
  const refused = longestRefused(
    ready.filter((attempt) => health.isRefused(attempt)),
    health,
  );
  const others = ready.filter((attempt) => !health.isRefused(attempt));
  const isOpen = (attempt: Attempt) => Number(health.deployment(attempt)?.breaker.isOpen ?? false);
  return [...refused, ...spread(others, health, roll, nowMs).toSorted((a, b) => isOpen(b) - isOpen(a))];
}

/** A provider that refuses every credential is still asked, each time by another one: a purse may be filled again. */
function longestRefused(attempts: readonly Attempt[], health: Health): readonly Attempt[] {
  const atMs = (attempt: Attempt) => health.key(attempt)?.retired?.atMs ?? 0;
  return attempts.toSorted((a, b) => atMs(a) - atMs(b)).slice(0, 1);
}

/** The attempt that served the conversation before, if it may be made. A selector's choice of model is not bound by it. */
function sticky(
  every: readonly Attempt[],
  ready: readonly (readonly Attempt[])[],
  { selection, stickiness, conversation, nowMs }: PlanInput,
): Attempt | null {
  const found = stickiness.find(conversation, every, nowMs);
  const among = selection.kind === "selector" ? ready.slice(0, 1) : ready;
  return among.flat().find((attempt) => attempt === found) ?? null;
}

/** Two credentials of the model that was asked for, then each other model has its turn before any is tried again. */
function mixed([first = [], ...others]: readonly (readonly Attempt[])[]): readonly Attempt[] {
  if (others.length === 0) return first;
  const once = others.flatMap((attempts) => attempts.slice(0, 1));
  const rest = others.flatMap((attempts) => attempts.slice(1));
  return [...first.slice(0, FIRST_CARD_MAX), ...once, ...rest];
}

function cardsOf(input: PlanInput): { cards: Iterable<ModelCard>; decision: KeptDecision | null } {
  const { selection, rules, roll } = input;
  if (selection.kind === "card") {
    input.refuseUnable(selection.card);
    return {
      cards: [selection.card, ...keepAble(selection.fallbacks, input.refuseUnable).able],
      decision: null,
    };
  }
  if (selection.kind === "group") return { cards: orderGroup(selection, input), decision: null };
  const choice = chooseModel(selection.selector, selection.candidates, input);
  const tried = explored(choice, rules.explore, roll)?.card ?? null;
  return {
    cards: inTurn(choice, tried),
    decision: keptDecision(choice, input.quality ?? rules.fairQuality, tried),
  };
}

/** Best first, behind the one that is tried out. */
function* inTurn(choice: Choice, tried: ModelCard | null): Iterable<ModelCard> {
  if (tried !== null) yield tried;
  for (const card of choice.inOrder()) if (card !== tried) yield card;
}

/** The selector's choice for the request. Throws a Fault when no card is on, or none can serve it. */
function chooseModel(
  selector: SelectorRule,
  cards: readonly ModelCard[],
  input: Pick<PlanInput, "describe" | "rules" | "quality" | "known" | "takesImageUrls">,
): Choice {
  const { describe, rules, quality, known, takesImageUrls } = input;
  const { name } = selector;
  if (describe === null) {
    const message = `Router#${name} chooses among chat models: name a model as <Provider>#<model>.`;
    throw new Fault("unsupported_capability", message, { param: "model" });
  }
  const share = quality ?? rules.fairQuality;
  const choice = choose(selector, { ...known, ...describe(), cards, rules, quality: share, takesImageUrls });
  if (choice.choice !== null) return choice;
  if (Object.keys(choice.removed).every((reason) => reason === "denied" || reason.startsWith(BY_RULE))) {
    throw new Fault("no_provider_available", `No model is on that Router#${name} could choose.`);
  }
  throw new Fault("unsupported_capability", `No model behind Router#${name} can serve this request.`, {
    param: "model",
  });
}

/** False: the one model that was named has no price, nor has any of the group. */
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
