// Admission by limits and budgets: what is running of each owner's, whether the request fits, and what it takes.

import type { Admission, Lacking, Offer } from "../../../../src/core/demand.ts";
import type { Fault } from "../../../../src/core/faults/fault.ts";
import type { Account, GatewayKey } from "../../../../src/core/keys/key.ts";
import { NOBODY, namePayer } from "../../../../src/core/keys/payer.ts";
import type { BudgetUse, LimitUse, Minute, RequestLimits } from "../../../../src/core/limits/limit.ts";
import { COUNTED } from "../../../../src/core/limits/limit-table.ts";
import type { Opening } from "../../../../src/core/limits/opening.ts";
import type { NanoUsd } from "../../../../src/core/money/money.ts";
import type { OwnerState } from "../../../../src/core/rows.ts";
import {
  changeSums,
  computeLimit,
  covers,
  openUse,
  runUse,
} from "../../../../src/ledger/limits/budget-use.ts";
import {
  makeExceededFault,
  makeReservedFault,
  makeUnpricedFault,
} from "../../../../src/ledger/limits/limit-faults.ts";
import { addCount, findEmptyMs, runMinute, sumCounts } from "../../../../src/ledger/limits/minute.ts";
import { countTokens, type MinuteCheck, needsLoad } from "../../../../src/ledger/limits/minute-checks.ts";
import { countPayer, findSharer, isShared } from "../../../../src/ledger/limits/payer-shares.ts";
import { computeWindow, makeWindowRules } from "../../../../src/ledger/limits/window.ts";
import { type Fund, findShortFund } from "../../../../src/ledger/worst.ts";
import type { Books } from "../books.ts";
import { measureRoom } from "./budget.ts";
import { recordExceeded } from "./exceeded.ts";
import { hasMinuteLimit, type LimitOwner, listLimitOwners, type NamedBudget } from "./limit-owners.ts";
import { listSums, makeOpening } from "./openings.ts";

/** A budget with what was used of it in the window that runs now. */
export interface RunningBudget extends NamedBudget {
  readonly owner: LimitOwner;
  readonly use: BudgetUse;
  readonly limitNanoUsd: NanoUsd;
}

/** An owner's limits with their counts until now. */
interface RunningOwner {
  readonly owner: LimitOwner;
  readonly state: OwnerState;
  /** Null if nothing limits the minute. */
  readonly minute: Minute | null;
  readonly budgets: readonly RunningBudget[];
}

/** The limits that a request meets, as of now. */
export interface RunningLimits {
  readonly owners: readonly RunningOwner[];
  /** The hard budgets, as funds to hold the worst case from. */
  readonly funds: readonly BudgetFund[];
  readonly payer: string;
}

interface BudgetFund extends Fund {
  readonly running: RunningBudget;
}

type Moment = Pick<Admission, "nowMs" | "quota" | "limits">;

const NO_LIMITS: RunningLimits = { owners: [], funds: [], payer: NOBODY };

/**
 * Returns the limits of the key and its account as of now, or the sums that are missing of budgets that are new. An
 * opened budget is kept whatever is decided, so that it is summed up once.
 */
export function readLimits(
  books: Books,
  key: GatewayKey | null,
  account: Account,
  moment: Moment,
  member = books.memberOf(key, account.id),
): RunningLimits | readonly Opening[] {
  const owners = listLimitOwners({ key, member, account, nowMs: moment.nowMs }, moment.limits);
  if (owners.length === 0) return NO_LIMITS;
  const lacking: Opening[] = [];
  const running: RunningOwner[] = [];
  const funds: BudgetFund[] = [];
  for (const owner of owners) {
    const one = readOwner(books, owner, account, moment, lacking);
    running.push(one);
    for (const budget of one.budgets) {
      if (budget.budget.isHard) funds.push(makeFund(budget, budget.use.heldNanoUsd));
    }
  }
  return lacking.length > 0 ? lacking : { owners: running, funds, payer: key ? namePayer(key) : NOBODY };
}

export function isLacking(found: RunningLimits | readonly Opening[]): found is readonly Opening[] {
  return Array.isArray(found);
}

function readOwner(
  books: Books,
  owner: LimitOwner,
  account: Account,
  { nowMs, quota }: Moment,
  lacking: Opening[],
): RunningOwner {
  const state = books.ownerState(owner.accountId, owner.id);
  const minute = hasMinuteLimit(owner) ? runMinute(state.minute, nowMs) : null;
  if (owner.budgets.length === 0) return { owner, state, minute, budgets: [] };
  const rules = makeWindowRules(quota, account);
  const opened: BudgetUse[] = [];
  const budgets: RunningBudget[] = [];
  for (const named of owner.budgets) {
    const { name, budget } = named;
    const stored = state.budgets?.find((one) => one.name === name);
    let use = stored ? runUse(stored, named, nowMs, rules) : null;
    if (use === null) {
      const window = computeWindow(budget.per, nowMs, rules);
      const isFirst = stored === undefined && budget.beginsEmpty === true;
      const sums = isFirst ? [] : listSums(books, owner, name, window.startMs);
      if (sums === null) {
        lacking.push(makeOpening(owner, window.startMs));
        continue;
      }
      use = openUse(name, window, rules, sums);
      opened.push(use);
    }
    budgets.push({ name, budget, owner, use, limitNanoUsd: computeLimit(budget, use, nowMs) });
  }
  return { owner, state: opened.length > 0 ? keepOpened(books, state, opened) : state, minute, budgets };
}

function keepOpened(books: Books, state: OwnerState, opened: readonly BudgetUse[]): OwnerState {
  const names = new Set(opened.map(({ name }) => name));
  const others = (state.budgets ?? []).filter(({ name }) => !names.has(name));
  const kept = { ...state, budgets: [...others, ...opened] };
  books.putOwner(kept);
  return kept;
}

function makeFund(running: RunningBudget, heldNanoUsd: NanoUsd): BudgetFund {
  const { name, use, limitNanoUsd } = running;
  return {
    running,
    room: measureRoom(limitNanoUsd, use.spentNanoUsd, heldNanoUsd),
    covers: (card) => covers(name, card, ""),
    isBudget: true,
  };
}

export const NOTHING_LACKING: Lacking = {
  kind: "lacking",
  offers: false,
  reserved: false,
  load: false,
  openings: [],
};

/** Returns what the decision lacks to go on, or null. */
export function findLacking(
  { owners, funds }: RunningLimits,
  { isReserving, load: given }: Pick<Admission, "isReserving" | "load">,
): Lacking | null {
  const reserved = funds.length > 0 && !isReserving;
  const load = given === null && owners.some(({ owner }) => needsLoad(owner));
  return reserved || load ? { ...NOTHING_LACKING, reserved, load } : null;
}

/** Returns the refusal by a limit of the minute, or null. Each check is made for every owner before the next one. */
export function refuseByMinute(
  books: Books,
  { owners, payer }: RunningLimits,
  demand: Admission,
  checks: readonly MinuteCheck[],
): Fault | null {
  for (const refuse of checks) {
    for (const { owner, minute, state } of owners) {
      const fault = minute && refuse(owner, minute, demand, payer);
      if (!fault) continue;
      if (isShared(owner)) books.putOwner({ ...state, minute: countPayer(minute, payer, 0) });
      return fault;
    }
  }
  return null;
}

/** Returns the offers that every budget covers, or the refusal if there are none. */
export function keepCovered(
  books: Books,
  { owners, funds }: RunningLimits,
  { offers, billing, nowMs, limits: rules, modelAsked }: Admission,
): readonly Offer[] | Fault {
  const all = offers ?? [];
  if (funds.length === 0 || all.length === 0) return all;
  const isShort = (offer: Offer, from: readonly BudgetFund[]) =>
    findShortFund(offer, from, billing.markup) !== null;
  const covered = all.filter((offer) => !isShort(offer, funds));
  if (covered.length > 0) return covered;
  const alone = funds.map(({ running }) => makeFund(running, 0));
  const fitting = all.find((offer) => !isShort(offer, alone));
  const priced = fitting ?? all.find(({ isPriced }) => isPriced);
  if (priced === undefined) return makeUnpricedFault(modelAsked);
  const short = findShortFund(priced, fitting ? funds : alone, billing.markup);
  if (short === null) return makeUnpricedFault(modelAsked);
  const { owner, name, use, limitNanoUsd } = short.running;
  const { spentNanoUsd, heldNanoUsd, endMs } = use;
  const tookMs = owners.find((one) => one.owner === owner)?.minute?.tookMs ?? 0;
  const refusal = { owner, name, limitNanoUsd, spentNanoUsd, heldNanoUsd, endMs, nowMs, tookMs };
  if (fitting) return makeReservedFault(refusal, rules);
  recordExceeded(books, short.running, nowMs);
  return makeExceededFault(refusal, rules);
}

/** Takes what the request needs of each owner's limits. `held` is in the order of the funds. */
export function takeLimits(
  books: Books,
  { owners, payer }: RunningLimits,
  { load }: Admission,
  held: readonly NanoUsd[],
): readonly LimitUse[] {
  let funded = 0;
  return owners.map(({ owner, minute, budgets }) => {
    const tokens = countTokens(owner, load);
    const sharer = findSharer(owner, false, payer);
    const uses: BudgetUse[] = [];
    const taken: LimitUse["budgets"][number][] = [];
    for (const { name, budget, use, limitNanoUsd } of budgets) {
      const nanoUsd = budget.isHard ? (held[funded++] ?? 0) : 0;
      const { spentNanoUsd, startMs } = use;
      uses.push(changeSums(use, { heldNanoUsd: use.heldNanoUsd + nanoUsd, spentNanoUsd, limitNanoUsd }));
      taken.push({ name, startMs, nanoUsd });
    }
    // A request that the budgets let in may have opened others, or been admitted by the throttle meanwhile.
    const state = books.ownerState(owner.accountId, owner.id);
    const left = listLeft(state.budgets ?? [], uses);
    books.putOwner({
      accountId: state.accountId,
      owner: state.owner,
      taken: state.taken,
      minute: minute ? takeMinute(minute, tokens, sharer) : state.minute,
      budgets: left.length > 0 ? [...left, ...uses] : uses.length > 0 ? uses : null,
    });
    const use = { owner: owner.id, part: minute?.part ?? null, tokens, budgets: taken };
    return sharer === null ? use : { ...use, payer: sharer };
  });
}

const NONE_LEFT: readonly BudgetUse[] = [];

/** Returns the uses with holds of budgets that the owner has no more. Usually none. */
function listLeft(stored: readonly BudgetUse[], running: readonly BudgetUse[]): readonly BudgetUse[] {
  // The uses as the last request left them: comparing each with all would cost more than taking from them.
  if (stored.every(({ name }, at) => name === running[at]?.name)) return NONE_LEFT;
  return stored.filter(
    ({ name, heldNanoUsd }) => heldNanoUsd > 0 && !running.some((one) => one.name === name),
  );
}

function takeMinute(minute: Minute, tokens: number, sharer: string | null): Minute {
  const { part, tookMs } = minute;
  const counted = {
    part,
    requests: addCount(minute.requests, minute, part, 1),
    tokens: addCount(minute.tokens, minute, part, tokens),
    parallel: minute.parallel + 1,
    tookMs,
  };
  return sharer === null ? counted : countPayer({ ...counted, payers: minute.payers ?? [] }, sharer, 1);
}

interface NearestLimit extends Pick<RequestLimits, "limit" | "remaining"> {
  readonly minute: Minute;
  /** The request's own part. */
  readonly taken: number;
}

/** Returns the limit of this kind that is nearest to its end once the request is let in, for the answer's headers. */
export function findNearestLimit(
  { owners }: RunningLimits,
  kind: "requests" | "tokens",
  { load, nowMs }: Pick<Admission, "load" | "nowMs">,
): RequestLimits | null {
  let nearest: NearestLimit | null = null;
  for (const { owner, minute } of owners) {
    const limit = owner[COUNTED[kind].property];
    if (limit === null || minute === null) continue;
    const taken = kind === "requests" ? 1 : countTokens(owner, load);
    const remaining = Math.max(0, limit - sumCounts(minute[kind]) - taken);
    if (nearest === null || remaining < nearest.remaining) nearest = { limit, remaining, minute, taken };
  }
  if (nearest === null) return null;
  const { limit, remaining, minute, taken } = nearest;
  const counts = addCount(minute[kind], minute, minute.part, taken);
  return { limit, remaining, resetMs: Math.max(0, findEmptyMs(counts, minute, nowMs) - nowMs) };
}
