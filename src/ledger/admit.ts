// Admission: decides whether a request is admitted, which place it takes and how much of the balance is held for it.
import type { Admission, Answer, GrantAnswer, Lacking, Offer, RefusalAnswer } from "../core/demand.ts";
import { Fault } from "../core/faults/fault.ts";
import type { Tags } from "../core/fields/tags-text.ts";
import { type Account, type GatewayKey, invalidKey } from "../core/keys/key.ts";
import { resolveAllowance } from "../core/keys/key-limits.ts";
import type { LimitUse, RequestLimits } from "../core/limits/limit.ts";
import { tagRecord } from "../core/log/tags.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { Place } from "../core/rows.ts";
import {
  isUnboundFree,
  listLimits,
  makeUsedUpFault,
  openDay,
  readStanding,
  type Standing,
} from "./allowance.ts";
import type { Books } from "./books.ts";
import { computeFreeTerms, coverUnheld, type FreeHold } from "./limits/budget.ts";
import {
  findLacking,
  isLacking,
  keepCovered,
  NOTHING_LACKING,
  type RunningLimits,
  readLimits,
  refuseByMinute,
  takeLimits,
} from "./limits/limits.ts";
import { hideSlot, refuseCrowd, refusePlace, refuseShare, takeLine } from "./limits/lines.ts";
import {
  ALL_OF_THE_MINUTE,
  ENTRY_OF_THE_MINUTE,
  type MinuteCheck,
  TOKENS_OF_THE_MINUTE,
} from "./limits/minute-checks.ts";
import { findNearestLimit } from "./limits/nearest-limit.ts";
import { findOpen, note } from "./noted.ts";
import { takeNoPlace, takePlaces } from "./places.ts";
import { claimReply, findEarlierAnswer } from "./replies.ts";
import { refuseSender } from "./rights.ts";
import { settle, undoHold } from "./settle.ts";
import { costsNothing, listPriced, makeUnpaidFault } from "./unpaid.ts";
import { computeBalanceRoom, computeHoldTerms } from "./worst.ts";

/** Nothing is taken before everything has been decided, so a refusal takes nothing. */
export function admit(books: Books, demand: Admission): Answer {
  // Undoes an admission whose first write was never acknowledged, so that it can be retried.
  const known = books.findHold(demand.id) ?? findOpen(books, demand, demand.id, null);
  if (known) undoHold(books, known, demand);
  const key = books.keys.get(demand.keyId) ?? null;
  if (key === null) return refused(invalidKey());
  // The rows that were read and locked are those of the account in which it was looked up.
  if (key.accountId !== demand.accountId) return { kind: "moved", accountId: key.accountId };
  const account = books.account(key.accountId);
  const refusal = refuseSender(demand, key, account);
  if (refusal !== null) return refused(refusal);
  if (isResolved(books, demand)) return resolvedMeanwhile();
  const earlier = demand.idempotency === null ? null : findEarlierAnswer(books, demand);
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
  const full = refuseCrowd(books, demand) ?? refuseByMinute(books, limits, demand, checks);
  if (full !== null) return refused(full);
  const offers = keepCovered(books, limits, demand);
  if (offers instanceof Fault) return refused(offers);
  const account = books.account(key.accountId);
  const granted = grant(books, { ...asking, account, offers });
  if (demand.line === undefined || granted.kind !== "granted") return granted;
  const crowded = refuseShare(books, demand, account, limits.funds, granted);
  return crowded === null ? granted : refused(crowded);
}

/** Admits what a step refuses, answers or lets wait: it takes nothing of its day and holds nothing. */
function enter(books: Books, admitting: Admitting): Answer {
  const { demand, key, account, limits } = admitting;
  const ahead = demand.isLooking ? lookAhead(books, admitting) : null;
  if (ahead !== null) return ahead;
  const full = refuseByMinute(books, limits, demand, ENTRY_OF_THE_MINUTE);
  if (full !== null) return refused(full);
  const { quota, billing, nowMs } = demand;
  const limit = billing.charge === "always" ? null : resolveAllowance(key, account, quota);
  const standing = limit === null ? null : readStanding(books, key, account, limit, quota, nowMs);
  const place =
    (demand.takesPlaces && standing ? takeFreePlaces(books, demand, standing) : null) ??
    takeNoPlace("unlimited", openDay(books, key, account, quota, nowMs), null);
  const shown = standing && listLimits(standing, place.places, nowMs);
  const grant = makeGrant(admitting, {
    kind: "granted",
    place,
    limits: shown,
    holdNanoUsd: 0,
    outputTokens: null,
    held: [],
  });
  const { settlement } = demand;
  if (settlement === undefined) return take(books, demand, limits, grant);
  // Repeated because its commit got no answer, it may be settled already.
  const granted = books.findRequest(demand.id) === null ? take(books, demand, limits, grant) : grant;
  const record = tagRecord(settlement.record, findTags(key, account));
  return { ...granted, settled: settle(books, { ...settlement, record, nowMs }) };
}

/** Null if none is free: then the balance would have paid. */
function takeFreePlaces(books: Books, demand: Admission, standing: Standing): Place | null {
  const { id, nowMs, answers, quota } = demand;
  const hasPlace = standing.counted.used < standing.limit;
  const hasSlot = hasFreeSlot(standing, nowMs);
  if (!hasPlace && !hasSlot) return null;
  const taking = { id, answers, nowMs, everyMs: quota.throttleMs, freeNanoUsd: null };
  return takePlaces(books, standing, taking);
}

/** Decides the admission in full and takes nothing. Returns its refusal, or what the decision lacks. */
function lookAhead(books: Books, admitting: Admitting): RefusalAnswer | Lacking | null {
  const answer = books.try(() => decideGrant(books, admitting, ALL_OF_THE_MINUTE));
  return answer.kind === "granted" ? null : answer;
}

function refused(fault: Fault): RefusalAnswer {
  return { kind: "refused", fault };
}

/** An entry with its settlement has its row from an earlier try. */
function isResolved(books: Books, { id, settlement }: Admission): boolean {
  return settlement === undefined && books.findRequest(id) !== null;
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
  /** The part of the plan that the limits let in. Missing if nothing limits the sender. */
  readonly offers?: readonly Offer[];
}

function grant(books: Books, admitting: Admitting): Grant | RefusalAnswer | Lacking {
  const { demand, key, account } = admitting;
  const isCharged = demand.billing.charge === "always";
  const limit = isCharged ? null : resolveAllowance(key, account, demand.quota);
  if (demand.offers === null && isCharged) return LACKING_OFFERS;
  if (isCharged) return paid(books, admitting, null) ?? refused(makeUnpaidFault(demand, account));
  return limit === null ? unlimited(books, admitting) : allowed(books, admitting, limit);
}

/** Admits a request that nothing but its budgets limits. */
function unlimited(books: Books, admitting: Admitting): Grant {
  const { demand, key, account, limits, offers } = admitting;
  const { quota, billing, nowMs } = demand;
  const place = takeNoPlace("unlimited", openDay(books, key, account, quota, nowMs), null);
  const terms = limits.funds.length > 0 ? computeHoldTerms(offers, limits.funds, billing.markup) : null;
  const isBound = demand.isCapped === true || isNarrowed(demand, offers);
  const outputTokens = terms?.outputTokens ?? (isBound ? coverUnheld(offers) : null);
  const held = terms?.held ?? NOTHING_HELD;
  return makeGrant(admitting, { kind: "granted", place, limits: null, holdNanoUsd: 0, outputTokens, held });
}

const NOTHING_HELD: readonly NanoUsd[] = [];

/** True if a limit has taken cards out of the plan: these must not be called. */
function isNarrowed({ offers: all }: Admission, offers: readonly Offer[]): boolean {
  return all !== null && offers.length < all.length;
}

const LACKING_OFFERS: Lacking = { ...NOTHING_LACKING, offers: true };

/** Admits by the allowance, else by the balance, else by the throttle. */
function allowed(books: Books, admitting: Admitting, limit: number): Grant | RefusalAnswer | Lacking {
  const { demand, key, account, limits } = admitting;
  const { nowMs, quota } = demand;
  const standing = hideSlot(demand, readStanding(books, key, account, limit, quota, nowMs));
  const hasPlace = standing.counted.used < limit;
  const crowded = demand.line === undefined ? null : refusePlace(books, demand, standing);
  if (crowded !== null) return refused(crowded);
  if (demand.offers === null) {
    const isFree = hasPlace && limits.funds.length === 0 && isUnboundFree(quota, account);
    return isFree ? free(books, admitting, standing, UNBOUND) : LACKING_OFFERS;
  }
  if (demand.answers === 0) return allowedCall(books, admitting, standing);
  const hasSlot = hasFreeSlot(standing, nowMs);
  const terms = hasPlace || hasSlot ? findFreeTerms(admitting, standing) : null;
  if (hasPlace && terms?.kind === "free") return free(books, admitting, standing, terms.terms);
  const payment = account.balanceNanoUsd > 0 ? paid(books, admitting, standing) : null;
  if (payment) return payment;
  if (terms?.kind === "refused") return refused(terms.fault);
  return terms
    ? free(books, admitting, standing, terms.terms)
    : refused(makeUsedUpFault(standing, quota, nowMs, isPayable(admitting)));
}

function hasFreeSlot({ slotAtMs }: Standing, nowMs: number): boolean {
  return slotAtMs !== null && slotAtMs <= nowMs;
}

function findFreeTerms(admitting: Admitting, standing: Standing) {
  const { demand, key, account, limits, offers } = admitting;
  const caller = { key, account, isPayable: () => isPayable(admitting) };
  return computeFreeTerms(demand, offers, limits.funds, caller, standing);
}

/** Admits a call of a tool, which takes no place: while one is left it is free, and then the balance pays. */
function allowedCall(books: Books, admitting: Admitting, standing: Standing): Grant | RefusalAnswer {
  const { demand, account, offers } = admitting;
  if (costsNothing(offers)) return unlimited(books, admitting);
  const terms = standing.counted.used < standing.limit ? findFreeTerms(admitting, standing) : null;
  if (terms?.kind === "free") return free(books, admitting, standing, terms.terms);
  const payment = account.balanceNanoUsd > 0 ? paid(books, admitting, standing) : null;
  if (payment) return payment;
  return refused(terms?.kind === "refused" ? terms.fault : makeUnpaidFault(demand, account));
}

/** True if a larger balance would let the request in, so that a top-up helps. */
function isPayable(admitting: Admitting): boolean {
  const account = { ...admitting.account, balanceNanoUsd: Number.MAX_SAFE_INTEGER };
  return findAffordable({ ...admitting, account }) !== null;
}

/** Adds the minute's limits for the answer's headers. */
function makeGrant({ demand, limits, offers }: Admitting, given: Grant): Grant {
  if (limits.owners.length === 0) return given;
  const requests: RequestLimits | null = given.limits ?? findNearestLimit(limits, "requests", demand);
  const tokenLimits = findNearestLimit(limits, "tokens", demand);
  return { ...given, offers, limits: requests, ...(tokenLimits ? { tokenLimits } : {}) };
}

const UNBOUND: FreeHold = { held: NOTHING_HELD, outputTokens: null, freeNanoUsd: null };

/** Admits by the allowance, then by the throttle. */
function free(books: Books, admitting: Admitting, standing: Standing, terms: FreeHold): Grant {
  const { id, nowMs, answers, quota } = admitting.demand;
  const { held, outputTokens, freeNanoUsd } = terms;
  const everyMs = quota.throttleMs;
  const place = takePlaces(books, standing, { id, answers, nowMs, everyMs, freeNanoUsd });
  const limits = listLimits(standing, place.places, nowMs);
  return makeGrant(admitting, { kind: "granted", place, limits, holdNanoUsd: 0, outputTokens, held });
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
  return makeGrant(admitting, { kind: "granted", place, limits, holdNanoUsd, outputTokens, held });
}

function findAffordable({ demand, account, limits, offers }: Admitting) {
  const priced = listPriced(demand, offers);
  const [first] = priced;
  if (first === undefined) return null;
  const balance = { room: computeBalanceRoom(account.balanceNanoUsd) };
  const terms = computeHoldTerms(priced, [...limits.funds, balance], demand.billing.markup);
  if (demand.isGroup) return terms;
  // The requested model must be covered; fallbacks that are not covered leave the plan.
  return terms?.outputTokens[first.card] === undefined ? null : terms;
}

const NO_OFFERS: readonly Offer[] = [];
const NO_USES: readonly LimitUse[] = [];

/** Takes what the grant needs of each limit, and holds the worst case of the balance. */
function take(books: Books, demand: Admission, limits: RunningLimits, grant: Grant): GrantAnswer {
  const { place, holdNanoUsd, outputTokens, held, tokenLimits, offers = NO_OFFERS } = grant;
  const own = limits.owners.length > 0 ? takeLimits(books, limits, demand, { held, offers }) : null;
  const uses = demand.line ? [...(own ?? NO_USES), takeLine(books, demand, limits.funds, grant)] : own;
  const tags = findTags(books.keys.get(demand.keyId), books.account(demand.accountId));
  const granted: Writable<GrantAnswer> = {
    kind: "granted",
    place: uses === null ? place : { ...place, uses },
    limits: grant.limits,
    holdNanoUsd,
    outputTokens,
  };
  if (tokenLimits) granted.tokenLimits = tokenLimits;
  if (tags) granted.tags = tags;
  if (note(books, demand, granted)) granted.isNoted = true;
  else hold(books, demand, granted);
  return granted;
}

type Writable<Answer> = { -readonly [Name in keyof Answer]: Answer[Name] };

/** Those of the key come first. */
function findTags(key: GatewayKey | null | undefined, { tags }: Account): Tags | null {
  return key?.tags ? { ...tags, ...key.tags } : tags;
}

/** Holds the worst case of the balance and writes the row that stands for the request until it is settled. */
function hold(books: Books, demand: Admission, { place, holdNanoUsd }: GrantAnswer): void {
  const { id, accountId, keyId, node, nowMs, idempotency } = demand;
  const { requestId, operation, surface, modelAsked, modelPlanned, selector, stream } = demand;
  const replyId = idempotency?.replyId ?? null;
  books.putHold({
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
  if (demand.idempotency !== null) claimReply(books, demand);
  if (holdNanoUsd === 0) return;
  const spend = books.spend(accountId, keyId);
  books.putSpend({ ...spend, heldNanoUsd: spend.heldNanoUsd + holdNanoUsd });
  const about = { kind: "hold", atMs: nowMs, requestId: id } as const;
  books.move(accountId, { balanceNanoUsd: -holdNanoUsd, heldNanoUsd: holdNanoUsd }, about);
}
