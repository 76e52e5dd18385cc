// The order of the attempts on one model: by the conversation, so that it stays with its credential, or else drawn.

import type { Attempt } from "../../core/attempt.ts";
import type { Health } from "../../health/health.ts";
import { spread } from "../../health/order/draw.ts";
import { orderByHash } from "../../health/order/hash-order.ts";
import {
  measureCredential,
  measureDoing,
  passOver,
  passOverFilled,
} from "../../health/order/passing-over.ts";
import type { OrderInput } from "./group-order.ts";

/** Returns a model's attempts in the order of the conversation with this seed. All of its provider's are given. */
export function orderCredentials(seed: bigint, attempts: readonly Attempt[]): readonly Attempt[] {
  const named = attempts.map((attempt, at) => {
    const { credential, card } = attempt;
    // A name in quotes can't be another key's place.
    const place = credential.name === undefined ? (credential.position ?? at + 1) : `"${credential.name}"`;
    const name = credential.id ?? `${card.provider} ${place}`;
    return { attempt, name: `credential ${name}`, weight: credential.weight };
  });
  return orderByHash(seed, named).map(({ attempt }) => attempt);
}

/**
 * Returns the attempts on one model that are allowed now. A due probe goes first, if the conversation is new or has its first
 * place there.
 */
export function orderAttempts(attempts: readonly Attempt[], input: OrderInput): readonly Attempt[] {
  const { health, nowMs, payer, load, conversation, digest } = input;
  const ready = attempts.filter((attempt) => health.isReady(attempt, nowMs, payer, load));
  if (ready.length < 2) return ready;
  const seed = conversation.seedOrder(digest);
  const order = seed === null ? ready : orderCredentials(seed, attempts);
  const isRefused = (attempt: Attempt) => health.isRefused(attempt, nowMs, payer);
  const isOpen = (attempt: Attempt) => health.deployment(attempt)?.breaker.isOpenFor(nowMs, payer) ?? false;
  const mayProbe = (attempt: Attempt) => seed === null || conversation.isFirstTurn || attempt === order[0];
  // Probe at most one rejected credential, so that others remain for the request.
  const refused = pickLongestRefused(ready.filter(isRefused), health, payer).filter(mayProbe);
  const others = order.filter((attempt) => ready.includes(attempt) && !isRefused(attempt));
  const spreadOut = seed === null ? draw(others, input) : preferFree(others, input);
  const rank = (attempt: Attempt) => (isOpen(attempt) ? (mayProbe(attempt) ? 0 : 2) : 1);
  return [...refused, ...spreadOut.toSorted((a, b) => rank(a) - rank(b))];
}

function draw(attempts: readonly Attempt[], { health, roll, nowMs, payer }: OrderInput): readonly Attempt[] {
  return spread(attempts, health, roll, nowMs, payer);
}

/**
 * A conversation that goes on passes over only what its gateway key has filled, because another credential would have to read
 * its whole prompt again.
 */
function preferFree(attempts: readonly Attempt[], input: OrderInput): readonly Attempt[] {
  const { conversation, health, nowMs, payer } = input;
  const measure = (attempt: Attempt) => measureCredential(attempt, health, conversation.keyId);
  if (!conversation.isFree) return passOverFilled(attempts, measure);
  return passOver(attempts, (attempt) => ({
    ...measureDoing(attempt.credential.weight, [attempt], health, nowMs, payer),
    ...measure(attempt),
  }));
}

/** If all credentials of a provider are rejected, keep trying them in turn: a balance may be topped up again. */
function pickLongestRefused(attempts: readonly Attempt[], health: Health, payer: string): readonly Attempt[] {
  const atMs = (attempt: Attempt) => health.key(attempt)?.refusedAtMs(payer) ?? 0;
  return attempts.toSorted((a, b) => atMs(a) - atMs(b)).slice(0, 1);
}
