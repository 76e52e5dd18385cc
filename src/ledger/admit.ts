// Admission: whether a request is let in, by which place, and what is held of the balance for it.
import type { Admission, Answer, Granted } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import { type GatewayKey, invalidKey, isLive } from "../core/key.ts";
import type { RequestLimits } from "../core/record.ts";
import { meterIdOf, type Place } from "../core/rows.ts";
import { limitOf, limitsOf, type Standing, standingOf, usedUp } from "./allowance.ts";
import type { Books } from "./books.ts";
import { answeredBefore, claimReply } from "./replies.ts";
import { resolve } from "./settle.ts";
import { type HoldTerms, termsFor } from "./worst.ts";

export function admit(books: Books, demand: Admission): Answer {
  undo(books, demand);
  const key = books.keys.get(demand.keyId) ?? null;
  if (key === null || !isLive(key, demand.nowMs)) return refused(invalidKey());
  if (books.requests.get(demand.id) !== null) return refused(resolvedMeanwhile());
  const earlier = answeredBefore(books, demand);
  if (earlier !== null) return earlier;
  const granted = letIn(books, demand, key);
  if (granted.kind === "granted") hold(books, demand, granted);
  return granted;
}

function refused(fault: Fault): Answer {
  return { kind: "refused", fault };
}

/** It was let in, nobody heard of it, and others have taken its node for dead: let in again it could not be settled. */
function resolvedMeanwhile(): Fault {
  const message = "The gateway's store could not be used for too long. Please try again.";
  return new Fault("store_unavailable", message, { retryAfterMs: 1000 });
}

/** The same admission was written before without anybody knowing: it starts anew. */
function undo(books: Books, { id, nowMs }: Admission): void {
  const known = books.holds.get(id);
  if (known) resolve(books, known, { atMs: nowMs, ended: "lost", usageSource: "none", produced: null });
}

function letIn(books: Books, demand: Admission, key: GatewayKey): Answer {
  const { id, nowMs, quota, billing } = demand;
  if (billing.charge === "always") return paid(books, demand, key, null) ?? refused(unpaid(demand));
  const limit = limitOf(key, quota);
  if (limit === null) return free({ kind: "unlimited" }, null);
  const standing = standingOf(books, key, limit, quota, nowMs);
  if (standing.meter.used < limit)
    return free(takeAllowance(books, standing, nowMs), limitsOf(standing, 1, nowMs));
  const limits = limitsOf(standing, 0, nowMs);
  const balance = books.account(key.accountId).balanceNanoUsd;
  const payable = balance > 0 ? paid(books, demand, key, limits) : null;
  if (payable) return payable;
  if (standing.slotAtMs !== null && standing.slotAtMs <= nowMs)
    return free(takeSlot(books, standing, id, nowMs), limits);
  return refused(usedUp(standing, quota, nowMs));
}

function free(place: Place, limits: RequestLimits | null): Granted {
  return { kind: "granted", place, limits, holdNanoUsd: 0, outputTokens: null };
}

function takeAllowance(books: Books, { meter }: Standing, nowMs: number): Place {
  const { owner, day, used } = meter;
  const lastAtMs = Math.max(meter.lastAtMs, nowMs);
  books.meters.put(meterIdOf(owner, day), { ...meter, used: used + 1, lastAtMs });
  return { kind: "allowance", owner, day };
}

function takeSlot(books: Books, { slot }: Standing, id: string, nowMs: number): Place {
  const { owner, taken: previous } = slot;
  const taken = { atMs: nowMs, by: id };
  books.slots.put(owner, { ...slot, taken });
  return { kind: "throttle", owner, taken, previous };
}

/** Let in at the balance's cost; null when it can't pay, or the model has no price. */
function paid(
  books: Books,
  demand: Admission,
  key: GatewayKey,
  limits: RequestLimits | null,
): Granted | null {
  const terms = demand.offers.length === 0 ? null : affordable(books, demand, key);
  if (terms === null) return null;
  const { nanoUsd: holdNanoUsd, outputTokens } = terms;
  return { kind: "granted", place: { kind: "balance" }, limits, holdNanoUsd, outputTokens };
}

function affordable(books: Books, { offers, billing }: Admission, key: GatewayKey): HoldTerms | null {
  const { balanceNanoUsd } = books.account(key.accountId);
  const { spentNanoUsd, heldNanoUsd } = books.spend(key.accountId, key.id);
  const spendable = (key.spendLimitNanoUsd ?? Number.POSITIVE_INFINITY) - spentNanoUsd - heldNanoUsd;
  return termsFor(offers, Math.min(balanceNanoUsd, Math.max(0, spendable)), billing.markup);
}

function unpaid({ offers, modelAsked }: Admission): Fault {
  if (offers.length === 0) {
    const message = `Every request is paid for here, and the model '${modelAsked}' has no price.`;
    return new Fault("model_not_priced", message, { param: "model" });
  }
  const message =
    "The account's balance, or what the key may spend of it, does not cover what this request may cost. " +
    "Top it up, or ask for less: a smaller max_tokens, a cheaper model.";
  return new Fault("insufficient_balance", message);
}

/** Takes the worst case off the balance and leaves the row that answers for the request until it is settled. */
function hold(books: Books, demand: Admission, { place, holdNanoUsd }: Granted): void {
  const { id, accountId, keyId, node, nowMs, requestId, modelAsked, selector, stream, idempotency } = demand;
  const replyId = idempotency?.replyId ?? null;
  books.holds.put({
    id,
    accountId,
    keyId,
    node,
    atMs: nowMs,
    requestId,
    modelAsked,
    selector,
    stream,
    place,
    nanoUsd: holdNanoUsd,
    replyId,
  });
  claimReply(books, demand);
  if (holdNanoUsd === 0) return;
  const spend = books.spend(accountId, keyId);
  books.spends.put(keyId, { ...spend, heldNanoUsd: spend.heldNanoUsd + holdNanoUsd });
  const about = { kind: "hold", atMs: nowMs, requestId: id } as const;
  books.move(accountId, { balanceNanoUsd: -holdNanoUsd, heldNanoUsd: holdNanoUsd }, about);
}
