// Admission: decides whether a request is admitted, which place it takes and how much of the balance is held for it.
import type { Admission, Answer, Granted, Offer } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import { type GatewayKey, invalidKey, refuseCaller } from "../core/key.ts";
import { findLimit, listLimits, makeUsedUpFault, openDay, readStanding, type Standing } from "./allowance.ts";
import type { Books } from "./books.ts";
import { computeFreeTerms, coverUnheld } from "./budget.ts";
import { takeNoPlace, takePlaces } from "./places.ts";
import { claimReply, findEarlierAnswer } from "./replies.ts";
import { undoHold } from "./settle.ts";
import { computeBalanceRoom, computeHoldTerms, type HoldTerms } from "./worst.ts";

export function admit(books: Books, demand: Admission): Answer {
  // Undoes an admission whose first write was never acknowledged, so that it can be retried.
  const known = books.holds.get(demand.id);
  if (known) undoHold(books, known, demand.nowMs);
  const key = books.keys.get(demand.keyId) ?? null;
  if (key === null) return refused(invalidKey());
  const refusal = refuseCaller({ key, proof: demand.proof }, demand.nowMs);
  if (refusal !== null) return refused(refusal);
  if (books.requests.get(demand.id) !== null) return refused(resolvedMeanwhile());
  const earlier = findEarlierAnswer(books, demand);
  if (earlier !== null) return earlier;
  const granted = grant(books, demand, key);
  if (granted.kind === "granted") hold(books, demand, granted);
  return granted;
}

function refused(fault: Fault): Answer {
  return { kind: "refused", fault };
}

/** Another node has settled the request as lost: if it were admitted again, it could not be settled. */
function resolvedMeanwhile(): Fault {
  const message = "The gateway's store was unavailable for too long. Please try again.";
  return new Fault("store_unavailable", message, { retryAfterMs: 1000 });
}

function grant(books: Books, demand: Admission, key: GatewayKey): Answer {
  const { nowMs, quota, billing } = demand;
  if (billing.charge === "always") return paid(books, demand, key, null) ?? refused(unpaid(demand));
  const limit = findLimit(key, quota);
  if (limit === null) {
    const place = takeNoPlace("unlimited", openDay(books, key, quota, nowMs), null);
    const outputTokens = demand.isCapped ? coverUnheld(demand.offers).outputTokens : null;
    return { kind: "granted", place, limits: null, holdNanoUsd: 0, outputTokens };
  }
  const standing = readStanding(books, key, limit, quota, nowMs);
  const hasPlace = standing.meter.used < limit;
  const hasSlot = standing.slotAtMs !== null && standing.slotAtMs <= nowMs;
  const terms = hasPlace || hasSlot ? computeFreeTerms(demand, standing) : null;
  if (hasPlace && terms?.kind === "free") return free(books, demand, standing, terms.terms);
  if (books.account(key.accountId).balanceNanoUsd > 0) {
    const payment = paid(books, demand, key, standing);
    if (payment) return payment;
  }
  if (terms?.kind === "refused") return refused(terms.fault);
  return terms
    ? free(books, demand, standing, terms.terms)
    : refused(makeUsedUpFault(standing, quota, nowMs));
}

/** Admits by the allowance, then by the throttle. */
function free(books: Books, demand: Admission, standing: Standing, terms: HoldTerms | null): Granted {
  const { id, nowMs, answers, quota } = demand;
  const freeNanoUsd = quota.free.budgetNanoUsd === null ? null : (terms?.nanoUsd ?? 0);
  const everyMs = quota.throttleMs;
  const place = takePlaces(books, standing, { id, answers, nowMs, everyMs, freeNanoUsd });
  const limits = listLimits(standing, place.places, nowMs);
  return { kind: "granted", place, limits, holdNanoUsd: 0, outputTokens: terms?.outputTokens ?? null };
}

/** Admits at the balance's cost. Null if the balance can't pay or the model has no price. */
function paid(books: Books, demand: Admission, key: GatewayKey, standing: Standing | null): Granted | null {
  const terms = affordable(books, demand, key);
  if (terms === null) return null;
  const { nowMs, quota } = demand;
  const day = standing ?? openDay(books, key, quota, nowMs);
  const place = takeNoPlace("balance", day, standing?.limit ?? null);
  const limits = standing && listLimits(standing, 0, nowMs);
  return { kind: "granted", place, limits, holdNanoUsd: terms.nanoUsd, outputTokens: terms.outputTokens };
}

function affordable(books: Books, demand: Admission, key: GatewayKey): HoldTerms | null {
  const offers = pricedOffers(demand);
  if (offers.length === 0) return null;
  const { balanceNanoUsd } = books.account(key.accountId);
  const { spentNanoUsd, heldNanoUsd } = books.spend(key.accountId, key.id);
  const spendable = (key.spendLimitNanoUsd ?? Number.POSITIVE_INFINITY) - spentNanoUsd - heldNanoUsd;
  const room = computeBalanceRoom(Math.min(balanceNanoUsd, Math.max(0, spendable)));
  const terms = computeHoldTerms(offers, room, demand.billing.markup);
  if (demand.isGroup) return terms;
  // The requested model must be covered; fallbacks that are not covered leave the plan.
  return offers[0] && terms?.outputTokens[offers[0].card] !== undefined ? terms : null;
}

/** The cards that a balance can pay for. Empty if the requested model has no price. */
function pricedOffers({ offers, isPayable }: Admission): readonly Offer[] {
  return isPayable ? offers.filter(({ isPriced }) => isPriced) : [];
}

function unpaid(demand: Admission): Fault {
  const { modelAsked } = demand;
  if (pricedOffers(demand).length === 0) {
    const message = `This gateway charges for every request, and the model '${modelAsked}' has no price.`;
    return new Fault("model_not_priced", message, { param: "model" });
  }
  const message =
    "The account's balance, or the rest of the key's spend limit, does not cover this request's maximum cost. " +
    "Top up the account, set a smaller max_tokens, or use a cheaper model.";
  return new Fault("insufficient_balance", message);
}

/** Holds the worst case of the balance and writes the row that stands for the request until it is settled. */
function hold(books: Books, demand: Admission, { place, holdNanoUsd }: Granted): void {
  const { id, accountId, keyId, node, nowMs, idempotency } = demand;
  const { requestId, operation, surface, modelAsked, selector, stream } = demand;
  const replyId = idempotency?.replyId ?? null;
  books.holds.put({
    id,
    accountId,
    keyId,
    node,
    atMs: nowMs,
    requestId,
    operation,
    surface,
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
