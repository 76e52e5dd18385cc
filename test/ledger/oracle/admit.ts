// Admission: decides whether a request is admitted, which place it takes and how much of the balance is held for it.
import type {
  Admission,
  Answer,
  GrantAnswer,
  Lacking,
  Offer,
  RefusalAnswer,
} from "../../../src/core/demand.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { Tags } from "../../../src/core/fields/tags-text.ts";
import {
  type Account,
  type GatewayKey,
  invalidKey,
  refuseAccount,
  refuseCaller,
} from "../../../src/core/keys/key.ts";
import { resolveAllowance } from "../../../src/core/keys/key-limits.ts";
import type { RequestLimits } from "../../../src/core/limits/limit.ts";
import { tagRecord } from "../../../src/core/log/tags.ts";
import { formatUsd, type NanoUsd } from "../../../src/core/money/money.ts";
import {
  ALL_OF_THE_MINUTE,
  ENTRY_OF_THE_MINUTE,
  type MinuteCheck,
  TOKENS_OF_THE_MINUTE,
} from "../../../src/ledger/limits/minute-checks.ts";
import { computeBalanceRoom, computeHoldTerms } from "../../../src/ledger/worst.ts";
import { listLimits, makeUsedUpFault, openDay, readStanding, type Standing } from "./allowance.ts";
import type { Books } from "./books.ts";
import { computeFreeTerms, coverUnheld, type FreeHold } from "./limits/budget.ts";
import {
  findLacking,
  findNearestLimit,
  isLacking,
  keepCovered,
  NOTHING_LACKING,
  type RunningLimits,
  readLimits,
  refuseByMinute,
  takeLimits,
} from "./limits/limits.ts";
import { takeNoPlace, takePlaces } from "./places.ts";
import { claimReply, findEarlierAnswer } from "./replies.ts";
import { settle, undoHold } from "./settle.ts";

/** Nothing is taken before everything has been decided, so a refusal takes nothing. */
export function admit(books: Books, demand: Admission): Answer {
  // Undoes an admission whose first write was never acknowledged, so that it can be retried.
  const known = books.holds.get(demand.id);
  if (known) undoHold(books, known, demand.nowMs);
  const key = books.keys.get(demand.keyId) ?? null;
  if (key === null) return refused(invalidKey());
  // The rows that were read and locked are those of the account in which it was looked up.
  if (key.accountId !== demand.accountId) return { kind: "moved", accountId: key.accountId };
  const refusal = refuseCaller({ key, proof: demand.proof }, demand.nowMs);
  if (refusal !== null) return refused(refusal);
  const account = books.account(key.accountId);
  const unusable = refuseAccount(account, demand.limits.contact);
  if (unusable !== null) return refused(unusable);
  if (isResolved(books, demand)) return resolvedMeanwhile();
  const earlier = findEarlierAnswer(books, demand);
  if (earlier !== null) return earlier;
  const limits = readLimits(books, key, account, demand);
  if (isLacking(limits)) return { ...NOTHING_LACKING, openings: limits };
  if (demand.isEntry) return enter(books, { demand, key, account, limits, offers: [] });
  const checks = known === null ? ALL_OF_THE_MINUTE : TOKENS_OF_THE_MINUTE;
  const granted = decideGrant(books, { demand, key, limits }, checks);
  return granted.kind === "granted" ? take(books, demand, limits, granted) : granted;
}

/** Decides the admission in full. Of what it grants, nothing but places is taken. */
function decideGrant(
  books: Books,
  asking: Omit<Admitting, "account" | "offers">,
  checks: readonly MinuteCheck[],
): Grant | RefusalAnswer | Lacking {
  const { demand, key, limits } = asking;
  const lacking = findLacking(limits, demand);
  if (lacking !== null) return lacking;
  const full = refuseByMinute(books, limits, demand, checks);
  if (full !== null) return refused(full);
  const offers = keepCovered(books, limits, demand);
  if (offers instanceof Fault) return refused(offers);
  return grant(books, { ...asking, account: books.account(key.accountId), offers });
}

/** Admits what a step refuses, answers or lets wait: it takes nothing of its day and holds nothing. */
function enter(books: Books, admitting: Admitting): Answer {
  const { demand, key, account, limits } = admitting;
  const ahead = demand.isLooking ? lookAhead(books, admitting) : null;
  if (ahead !== null) return ahead;
  const full = refuseByMinute(books, limits, demand, ENTRY_OF_THE_MINUTE);
  if (full !== null) return refused(full);
  const { quota, billing, nowMs } = demand;
  const place = takeNoPlace("unlimited", openDay(books, key, account, quota, nowMs), null);
  const limit = billing.charge === "always" ? null : resolveAllowance(key, account, quota);
  const standing = limit === null ? null : readStanding(books, key, account, limit, quota, nowMs);
  const shown = standing && listLimits(standing, 0, nowMs);
  const given = { place, limits: shown, holdNanoUsd: 0, outputTokens: null, held: [] };
  const grant = makeGrant(admitting, given);
  const { settlement } = demand;
  if (settlement === undefined) return take(books, demand, limits, grant);
  // Repeated because its commit got no answer, it may be settled already.
  const granted = books.requests.get(demand.id) === null ? take(books, demand, limits, grant) : grant;
  const record = tagRecord(settlement.record, findTags(key, account));
  return { ...granted, settled: settle(books, { ...settlement, record, nowMs }) };
}

/** Decides the admission in full and takes nothing. Returns its refusal, or what the decision lacks. */
function lookAhead(books: Books, admitting: Admitting): RefusalAnswer | Lacking | null {
  const answer = decideGrant(books.copy(), admitting, ALL_OF_THE_MINUTE);
  return answer.kind === "granted" ? null : answer;
}

function refused(fault: Fault): RefusalAnswer {
  return { kind: "refused", fault };
}

/** An entry with its settlement has its row from an earlier try. */
function isResolved(books: Books, { id, settlement }: Admission): boolean {
  return settlement === undefined && books.requests.get(id) !== null;
}

/** Another node has settled the request as lost: if it were admitted again, it could not be settled. */
function resolvedMeanwhile(): RefusalAnswer {
  const message = "The gateway's store was unavailable for too long. Please try again.";
  const fault = new Fault("store_unavailable", message, { retryAfterMs: 1000 });
  return { ...refused(fault), isUndecided: true };
}

/** A request that its limits let in. */
interface Admitting {
  readonly demand: Admission;
  readonly key: GatewayKey;
  readonly account: Account;
  readonly limits: RunningLimits;
  /** The part of the plan that its budgets cover. */
  readonly offers: readonly Offer[];
}

/** The grant, and the holds on the budgets. */
interface Grant extends GrantAnswer {
  readonly held: readonly NanoUsd[];
}

function grant(books: Books, admitting: Admitting): Grant | RefusalAnswer | Lacking {
  const { demand, key, account } = admitting;
  const isCharged = demand.billing.charge === "always";
  const limit = isCharged ? null : resolveAllowance(key, account, demand.quota);
  if (demand.offers === null && isCharged) return { ...NOTHING_LACKING, offers: true };
  if (isCharged) return paid(books, admitting, null) ?? refused(unpaid(demand, account));
  return limit === null ? unlimited(books, admitting) : allowed(books, admitting, limit);
}

/** Admits a request that nothing but its budgets limits. */
function unlimited(books: Books, admitting: Admitting): Grant {
  const { demand, key, account, limits, offers } = admitting;
  const { quota, billing, nowMs } = demand;
  const place = takeNoPlace("unlimited", openDay(books, key, account, quota, nowMs), null);
  const terms = limits.funds.length > 0 ? computeHoldTerms(offers, limits.funds, billing.markup) : null;
  const { held = [], outputTokens = demand.isCapped ? coverUnheld(offers) : null } = terms ?? {};
  return makeGrant(admitting, { place, limits: null, holdNanoUsd: 0, outputTokens, held });
}

/** Admits by the allowance, else by the balance, else by the throttle. */
function allowed(books: Books, admitting: Admitting, limit: number): Grant | RefusalAnswer | Lacking {
  const { demand, key, account, limits, offers } = admitting;
  const { nowMs, quota } = demand;
  const standing = readStanding(books, key, account, limit, quota, nowMs);
  const hasPlace = standing.counted.used < limit;
  if (demand.offers === null) {
    // Since 1.3, a request that is free whatever it costs isn't asked what it may cost.
    const budget = account.freeBudgetNanoUsd;
    const isUnbound = (budget === "default" ? quota.free.budgetNanoUsd : budget) === null;
    const isFree = hasPlace && limits.funds.length === 0 && isUnbound && quota.free.models.includes("*");
    return isFree
      ? free(books, admitting, standing, { held: [], outputTokens: null, freeNanoUsd: null })
      : { ...NOTHING_LACKING, offers: true };
  }
  const takesPlace = demand.answers > 0;
  const isFree = offers.length > 0 && offers.every((offer) => offer.isPriced && offer.lines.length === 0);
  if (!takesPlace && isFree) return unlimited(books, admitting);
  const hasSlot = takesPlace && standing.slotAtMs !== null && standing.slotAtMs <= nowMs;
  const terms =
    hasPlace || hasSlot
      ? computeFreeTerms(
          demand,
          offers,
          limits.funds,
          { key, account, isPayable: () => isPayable(admitting) },
          standing,
        )
      : null;
  if (hasPlace && terms?.kind === "free") return free(books, admitting, standing, terms.terms);
  const payment = account.balanceNanoUsd > 0 ? paid(books, admitting, standing) : null;
  if (payment) return payment;
  if (terms?.kind === "refused") return refused(terms.fault);
  if (terms) return free(books, admitting, standing, terms.terms);
  return refused(
    takesPlace ? makeUsedUpFault(standing, quota, nowMs, isPayable(admitting)) : unpaid(demand, account),
  );
}

/** True if a larger balance would let the request in, so that a top-up helps. */
function isPayable(admitting: Admitting): boolean {
  const account = { ...admitting.account, balanceNanoUsd: Number.MAX_SAFE_INTEGER };
  return findAffordable({ ...admitting, account }) !== null;
}

/** Adds the minute's limits for the answer's headers. */
function makeGrant({ demand, limits }: Admitting, given: Omit<Grant, "kind" | "tokenLimits">): Grant {
  if (limits.owners.length === 0) return { kind: "granted", ...given };
  const requests: RequestLimits | null = given.limits ?? findNearestLimit(limits, "requests", demand);
  const tokenLimits = findNearestLimit(limits, "tokens", demand);
  return { kind: "granted", ...given, limits: requests, ...(tokenLimits ? { tokenLimits } : {}) };
}

/** Admits by the allowance, then by the throttle. */
function free(books: Books, admitting: Admitting, standing: Standing, terms: FreeHold): Grant {
  const { id, nowMs, answers, quota } = admitting.demand;
  const { held, outputTokens, freeNanoUsd } = terms;
  const everyMs = quota.throttleMs;
  const place = takePlaces(books, standing, { id, answers, nowMs, everyMs, freeNanoUsd });
  const limits = listLimits(standing, place.places, nowMs);
  return makeGrant(admitting, { place, limits, holdNanoUsd: 0, outputTokens, held });
}

/** Admits at the balance's cost. Null if the balance can't pay or the model has no price. */
function paid(books: Books, admitting: Admitting, standing: Standing | null): Grant | null {
  const terms = findAffordable(admitting);
  if (terms === null) return null;
  const { demand, key, account } = admitting;
  const day = standing ?? openDay(books, key, account, demand.quota, demand.nowMs);
  const place = takeNoPlace("balance", day, standing?.limit ?? null);
  const limits = standing && listLimits(standing, 0, demand.nowMs);
  const { held, outputTokens } = terms;
  const holdNanoUsd = held[admitting.limits.funds.length] ?? 0;
  return makeGrant(admitting, { place, limits, holdNanoUsd, outputTokens, held });
}

function findAffordable({ demand, account, limits, offers }: Admitting) {
  const priced = pricedOffers(demand, offers);
  const [first] = priced;
  if (first === undefined) return null;
  const balance = { room: computeBalanceRoom(account.balanceNanoUsd) };
  const terms = computeHoldTerms(priced, [...limits.funds, balance], demand.billing.markup);
  if (demand.isGroup) return terms;
  // The requested model must be covered; fallbacks that are not covered leave the plan.
  return terms?.outputTokens[first.card] === undefined ? null : terms;
}

/** The cards that a balance can pay for. Empty if the requested model has no price. */
function pricedOffers({ isPayable }: Admission, offers: readonly Offer[]): readonly Offer[] {
  return isPayable ? offers.filter(({ isPriced }) => isPriced) : [];
}

function unpaid(demand: Admission, { balanceNanoUsd }: Account): Fault {
  const { modelAsked } = demand;
  if (pricedOffers(demand, demand.offers ?? []).length === 0) {
    const message = `This gateway charges for every request, and the model '${modelAsked}' has no price.`;
    return new Fault("model_not_priced", message, { param: "model" });
  }
  if (demand.answers === 0) {
    const balance = formatUsd(balanceNanoUsd);
    const call = `The account's balance of ${balance} does not cover this call. Top up the account.`;
    return new Fault("insufficient_balance", call);
  }
  const message =
    `The account's balance of ${formatUsd(balanceNanoUsd)} does not cover this request's maximum cost. ` +
    "Top up the account, set a smaller max_tokens, or use a cheaper model.";
  return new Fault("insufficient_balance", message);
}

/** Takes what the grant needs of each limit, and holds the worst case of the balance. */
function take(books: Books, demand: Admission, limits: RunningLimits, grant: Grant): GrantAnswer {
  const { place, holdNanoUsd, outputTokens, held, tokenLimits } = grant;
  const uses = limits.owners.length > 0 ? takeLimits(books, limits, demand, held) : null;
  const tags = findTags(books.keys.get(demand.keyId), books.account(demand.accountId));
  const granted: GrantAnswer = {
    kind: "granted",
    place: uses === null ? place : { ...place, uses },
    limits: grant.limits,
    ...(tokenLimits ? { tokenLimits } : {}),
    holdNanoUsd,
    outputTokens,
    ...(tags ? { tags } : {}),
  };
  hold(books, demand, granted);
  return granted;
}

/** Those of the key come first. */
function findTags(key: GatewayKey | null | undefined, { tags }: Account): Tags | null {
  return key?.tags ? { ...tags, ...key.tags } : tags;
}

/** Holds the worst case of the balance and writes the row that stands for the request until it is settled. */
function hold(books: Books, demand: Admission, { place, holdNanoUsd }: GrantAnswer): void {
  const { id, accountId, keyId, node, nowMs, idempotency } = demand;
  const { requestId, operation, surface, modelAsked, modelPlanned, selector, stream } = demand;
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
    modelPlanned,
    selector,
    stream,
    place,
    nanoUsd: holdNanoUsd,
    replyId,
  });
  claimReply(books, demand);
  if (holdNanoUsd === 0) return;
  const spend = books.spend(accountId, keyId);
  books.putSpend({ ...spend, heldNanoUsd: spend.heldNanoUsd + holdNanoUsd });
  const about = { kind: "hold", atMs: nowMs, requestId: id } as const;
  books.move(accountId, { balanceNanoUsd: -holdNanoUsd, heldNanoUsd: holdNanoUsd }, about);
}
