// The home of a conversation, which is the first place of its order, and why one of its turns is served elsewhere.

import type { Attempt } from "../../core/attempt.ts";
import type { MoveCause } from "../../core/log/moved.ts";
import type { GroupMember, ModelCard } from "../../core/models/card.ts";
import { orderCredentials } from "./attempt-order.ts";
import { keepAble, type OrderInput, orderMembers } from "./group-order.ts";

/** The first model of a conversation's order with the first of its credentials. */
export interface Home extends Attempt {
  /** False if a selector has chosen the model, so that only its credentials have an order. */
  readonly isModelOrdered: boolean;
  /** The reason why the plan begins elsewhere. Null if it begins here. */
  readonly passedFor: MoveCause | null;
}

interface HomeInput extends OrderInput {
  /** Missing if the request may cost any amount. */
  readonly ceiling?: { covers(card: ModelCard): boolean } | null;
}

/**
 * Returns the home of a conversation whose plan begins with `first`. Null if it has no order. `members` are the models that
 * share the load, null if a selector has chosen one.
 */
export function findHome(
  input: HomeInput,
  first: Attempt | undefined,
  members: readonly GroupMember[] | null,
): Home | null {
  if (first === undefined) return null;
  const sharers = (members ?? [{ card: first.card, weight: 1 }]).filter(
    ({ card }) => input.credentialsOf(card.provider).length > 0,
  );
  if (sharers.every(({ card }) => card === sharers[0]?.card) && listAttempts(sharers[0], input).length < 2)
    return null;
  const seed = input.conversation.seedOrder(input.digest);
  if (seed === null) return null;
  const [home] = orderCredentials(seed, listAttempts(orderMembers(seed, sharers)[0], input));
  if (home === undefined) return null;
  const isFirst = first.card.id === home.card.id && first.credential === home.credential;
  const passedFor = isFirst ? null : explainPassing(home, first, input);
  return { ...home, isModelOrdered: members !== null, passedFor };
}

function listAttempts(
  sharer: Pick<GroupMember, "card"> | undefined,
  { credentialsOf }: HomeInput,
): readonly Attempt[] {
  if (sharer === undefined) return [];
  const { card } = sharer;
  return credentialsOf(card.provider).map((credential) => ({ card, credential }));
}

function explainPassing(home: Attempt, first: Attempt, input: HomeInput): MoveCause {
  const { health, nowMs, ceiling, refuseUnable } = input;
  const { card } = home;
  if (first.card.id === card.id) return explainUnready(home, input) ?? "load";
  if (keepAble([card], refuseUnable).able.length === 0 || ceiling?.covers(card) === false) return "needs";
  if (health.isGone(card.id, nowMs)) return "gone";
  // Another of the model's credentials could have been called in its place.
  const isAnyReady = listAttempts(home, input).some((attempt) => explainUnready(attempt, input) === null);
  return isAnyReady ? "load" : (explainUnready(home, input) ?? "load");
}

/** Returns why the attempt may not be made now. Null if it may. */
function explainUnready(attempt: Attempt, { health, nowMs, payer, load }: HomeInput): MoveCause | null {
  if (health.isReady(attempt, nowMs, payer, load)) return null;
  if (health.isShut(attempt.card.provider, nowMs, payer)) return "breaker";
  if (health.isBarred(attempt, nowMs, payer)) return "retired";
  const deployment = health.deployment(attempt);
  if (deployment?.isResting(nowMs)) return "rest";
  const isOpen = load?.insists !== true && deployment !== undefined && deployment.waitMs(nowMs, payer) !== 0;
  return isOpen ? "breaker" : "limit";
}

/** A turn that is served elsewhere. */
interface Move {
  readonly of: "model" | "credential";
  readonly cause: MoveCause;
}

/** Returns how the turn has moved. Null if its home served it. */
export function findMove(home: Home, served: Attempt | null): Move | null {
  if (served === null) return null;
  const isSameModel = served.card.id === home.card.id;
  if (isSameModel ? served.credential === home.credential : !home.isModelOrdered) return null;
  return { of: isSameModel ? "credential" : "model", cause: home.passedFor ?? "failover" };
}

/** Returns why the turn has moved, as rows say it. Null if its home served it. */
export function nameCause(home: Home, served: Attempt | null): MoveCause | null {
  return findMove(home, served)?.cause ?? null;
}
