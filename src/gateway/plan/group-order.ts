// The order in which the models of a group are tried.

import type { Attempt } from "../../core/attempt.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { GroupMember, ModelCard } from "../../core/models/card.ts";
import type { Credential } from "../../core/settings.ts";
import type { Health } from "../../health/health.ts";
import { drawMember } from "../../health/order/draw.ts";
import { orderByHash } from "../../health/order/hash-order.ts";
import { measureCrowd, measureDoing, passOver, passOverFilled } from "../../health/order/passing-over.ts";
import type { Load } from "../../health/rate.ts";
import type { Conversation } from "../../health/stickiness.ts";

/** Several models behind one name. */
export interface Group {
  /** Never empty. Larger weights come first more often. */
  readonly members: readonly GroupMember[];
  /** The fallbacks of a member. */
  readonly fallbacks: readonly ModelCard[];
}

/** The part of a plan's input that decides in which order models are tried. */
export interface OrderInput {
  /** Throws the Fault `unsupported_capability` if the model can't take this kind of request. */
  readonly refuseUnable: (card: ModelCard) => void;
  /** The credentials of an enabled provider. Empty for a disabled one. */
  readonly credentialsOf: (provider: string) => readonly Credential[];
  /** Returns a new random number in [0, 1), which spreads load by the credentials' weights. */
  readonly roll: () => number;
  readonly conversation: Conversation;
  readonly health: Health;
  /** The payer of the request. */
  readonly payer: string;
  /** The load that one call puts on a credential. */
  readonly load?: Load;
  /**
   * The keyed digest of conversations' names, by which their models and credentials are ordered: a client can't aim at one.
   * Missing if they are drawn.
   */
  readonly digest?: ((text: string) => string) | undefined;
  /** On the monotonic clock. */
  readonly nowMs: number;
}

/**
 * The members in the conversation's order, or else one drawn by weight and health and the others, larger weights first. Then the
 * fallbacks. Throws the first model's Fault if none can take the request.
 */
export function orderGroup({ members, fallbacks }: Group, input: OrderInput): readonly ModelCard[] {
  const { health, roll, nowMs, payer, load, refuseUnable } = input;
  const weights = new Map(members.map(({ card, weight }) => [card, weight]));
  const { able, refused } = keepAble([...weights.keys()], refuseUnable);
  if (able.length === 0) throw refused;
  const sharers = able.map((card) => {
    const attempts = input.credentialsOf(card.provider).map((credential): Attempt => ({ card, credential }));
    const open = attempts.filter((attempt) => health.isReady(attempt, nowMs, payer, load));
    return { card, weight: weights.get(card) ?? 0, attempts: open };
  });
  const ordered = able.length > 1 ? orderSharers(sharers, input) : null;
  const first = ordered ? null : drawMember(sharers, health, roll, nowMs, payer)?.card;
  const others = [...(ordered ?? able), ...keepAble(fallbacks, refuseUnable).able];
  return [...new Set(first ? [first, ...others] : others)];
}

interface Sharer {
  readonly card: ModelCard;
  readonly weight: number;
  /** Those that may be called now. */
  readonly attempts: readonly Attempt[];
}

/** Returns the members in the conversation's order, those that can't be called now last. Null if one is drawn. */
function orderSharers(sharers: readonly Sharer[], input: OrderInput): readonly ModelCard[] | null {
  const { conversation, digest, health, nowMs, payer } = input;
  const seed = conversation.seedOrder(digest);
  if (seed === null) return null;
  const ordered = orderMembers(seed, sharers);
  const open = ordered.filter(({ attempts }) => attempts.length > 0);
  const preferred = conversation.isFree
    ? passOver(open, ({ weight, attempts }) => measureDoing(weight, attempts, health, nowMs, payer))
    : passOverFilled(open, ({ weight, attempts }) =>
        measureCrowd(weight, attempts, health, conversation.keyId),
      );
  return [...preferred, ...ordered.filter(({ attempts }) => attempts.length === 0)].map(({ card }) => card);
}

/** Returns the members of a group in the order of the conversation with this seed. */
export function orderMembers<Member extends GroupMember>(
  seed: bigint,
  members: readonly Member[],
): readonly Member[] {
  const named = members.map((member) => ({ ...member, name: `model ${member.card.id}` }));
  return orderByHash(seed, named);
}

/** Returns the models that can take the request, and why the first of the others can't. */
export function keepAble(
  cards: readonly ModelCard[],
  refuseUnable: (card: ModelCard) => void,
): { readonly able: readonly ModelCard[]; readonly refused: Fault | null } {
  let refused: Fault | null = null;
  const able = cards.filter((card) => {
    try {
      refuseUnable(card);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      refused ??= thrown;
      return false;
    }
  });
  return { able, refused };
}
