// Admission by limits and budgets: what is running of each owner's, whether the request fits, and what it takes.

import type { Admission, Lacking, Offer } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import { NOBODY, namePayer } from "../../core/keys/payer.ts";
import type { BudgetUse, LimitUse, Minute } from "../../core/limits/limit.ts";
import type { Opening } from "../../core/limits/opening.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { OwnerState } from "../../core/rows.ts";
import type { Books } from "../books.ts";
import { type Fund, findShortFund } from "../worst.ts";
import { measureRoom } from "./budget.ts";
import { changeSums, computeLimit, covers, openUse, runUse } from "./budget-use.ts";
import { recordExceeded } from "./exceeded.ts";
import { makeExceededFault, makeReservedFault, makeUnpricedFault } from "./limit-faults.ts";
import { hasMinute, type LimitOwner, listLimitOwners, type NamedBudget } from "./limit-owners.ts";
import { makeBatchOwner } from "./lines.ts";
import { addCount, runMinute } from "./minute.ts";
import { countTokens, type MinuteCheck, needsLoad } from "./minute-checks.ts";
import { findModelUse, hasModelLimits, narrowByModels, takeModels } from "./model-limits.ts";
import { listSums, makeOpening } from "./openings.ts";
import { countPayer, findSharer, isShared } from "./payer-shares.ts";
import { computeWindow, makeWindowRules } from "./window.ts";

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
  /** Its share of what an account's payers have in common is met. */
  readonly payer: string;
}

interface BudgetFund extends Fund {
  readonly running: RunningBudget;
}

/** `modelAsked` is missing where no request is decided. */
type AdmissionMoment = Pick<Admission, "nowMs" | "quota" | "limits"> &
  Partial<Pick<Admission, "modelAsked" | "line">>;

const NO_LIMITS: RunningLimits = { owners: [], funds: [], payer: NOBODY };

/**
 * Returns the limits of the key and its account as of now, or the sums that are missing of budgets that are new. An
 * opened budget is kept whatever is decided, so that it is summed up once.
 */
export function readLimits(
  books: Books,
  key: GatewayKey | null,
  account: Account,
  moment: AdmissionMoment,
  member = books.memberOf(key, account.id),
): RunningLimits | readonly Opening[] {
  const own = listLimitOwners({ key, member, account, nowMs: moment.nowMs }, moment.limits);
  const batch = moment.line === undefined ? null : makeBatchOwner(moment.line, account.id);
  const owners = batch === null ? own : [...own, batch];
  if (owners.length === 0) return NO_LIMITS;
  const lacking: Opening[] = [];
  const running: RunningOwner[] = [];
  const funds: BudgetFund[] = [];
  for (const owner of owners) {
    const one = readOwner(books, owner, account, moment, lacking);
    running.push(one);
    for (const budget of one.budgets) {
      if (budget.budget.isHard) funds.push(makeFund(budget, budget.use.heldNanoUsd, moment));
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
  { nowMs, quota }: AdmissionMoment,
  lacking: Opening[],
): RunningOwner {
  const state = books.ownerState(owner.accountId, owner.id);
  const minute = hasMinute(owner) ? runMinute(state.minute, nowMs) : null;
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

function makeFund(
  running: RunningBudget,
  heldNanoUsd: NanoUsd,
  { modelAsked = "", line }: Pick<AdmissionMoment, "modelAsked" | "line">,
): BudgetFund {
  const { name, use, limitNanoUsd, owner } = running;
  const room = measureRoom(limitNanoUsd, use.spentNanoUsd, heldNanoUsd);
  // Under a batch's ceiling, the limit of a line that names none is reckoned as if it ran alone.
  const isCeiling = line !== undefined && owner.id === line.batchId;
  const { unnamedNanoUsd } = isCeiling ? measureRoom(limitNanoUsd, use.spentNanoUsd, 0) : room;
  return {
    running,
    room: { nanoUsd: room.nanoUsd, unnamedNanoUsd },
    covers: (card) => covers(name, card, modelAsked),
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
  { isReserving, load: given, offers: known }: Pick<Admission, "isReserving" | "load" | "offers">,
): Lacking | null {
  const reserved = funds.length > 0 && !isReserving;
  const load = given === null && owners.some(({ owner }) => needsLoad(owner));
  const offers = known === null && owners.some(({ owner }) => hasModelLimits(owner));
  return reserved || load || offers ? { ...NOTHING_LACKING, reserved, load, offers } : null;
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

/** Returns the offers that the limits on some models let in and every budget covers, or the refusal if there are none. */
export function keepCovered(
  books: Books,
  limits: RunningLimits,
  demand: Admission,
): readonly Offer[] | Fault {
  let kept: readonly Offer[] | Fault = demand.offers ?? [];
  for (const { owner, minute } of limits.owners) {
    if (minute !== null && !(kept instanceof Fault)) kept = narrowByModels(owner, minute, kept, demand);
  }
  return kept instanceof Fault ? kept : keepFunded(books, limits, kept, demand);
}

function keepFunded(
  books: Books,
  { owners, funds }: RunningLimits,
  all: readonly Offer[],
  { billing, nowMs, limits: rules, modelAsked, line }: Admission,
): readonly Offer[] | Fault {
  if (funds.length === 0 || all.length === 0) return all;
  const isShort = (offer: Offer, from: readonly BudgetFund[]) =>
    findShortFund(offer, from, billing.markup) !== null;
  const covered = all.filter((offer) => !isShort(offer, funds));
  if (covered.length > 0) return covered;
  const alone = funds.map(({ running }) => makeFund(running, 0, { modelAsked, line }));
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
  if (owner.id !== line?.batchId) recordExceeded(books, short.running, nowMs);
  return makeExceededFault(refusal, rules);
}

/** Takes what the request needs of each owner's limits. `held` is in the order of the funds. */
export function takeLimits(
  books: Books,
  { owners, payer }: RunningLimits,
  demand: Admission,
  { held, offers }: { readonly held: readonly NanoUsd[]; readonly offers: readonly Offer[] },
): readonly LimitUse[] {
  const { load, isWithin = false } = demand;
  let funded = 0;
  return owners.map(({ owner, minute, budgets }) => {
    const tokens = countTokens(owner, load);
    const models = findModelUse(owner, offers[0], demand);
    const { uses, taken } = reserveBudgets(budgets, held, funded);
    funded += countHard(budgets);
    // A request that the budgets let in may have opened others, or been admitted by the throttle meanwhile.
    const state = books.ownerState(owner.accountId, owner.id);
    const sharer = findSharer(owner, isWithin, payer);
    const left = listLeft(state.budgets ?? [], uses);
    books.putOwner({
      accountId: state.accountId,
      owner: state.owner,
      taken: state.taken,
      minute: minute ? takeMinute(minute, tokens, models, isWithin, sharer) : state.minute,
      budgets: left.length > 0 ? [...left, ...uses] : uses.length > 0 ? uses : null,
    });
    // Without a part, the settlement gives back none of the requests in parallel.
    const part = isWithin ? null : (minute?.part ?? null);
    return describeUse({ owner: owner.id, part, tokens, budgets: taken }, models, sharer);
  });
}

function describeUse(use: LimitUse, models: LimitUse["models"], sharer: string | null): LimitUse {
  const own = sharer === null ? use : { ...use, payer: sharer };
  return models === undefined ? own : { ...own, models };
}

/** Holds the amounts for an owner's budgets. Those of its hard ones begin at `at`. */
function reserveBudgets(budgets: readonly RunningBudget[], held: readonly NanoUsd[], at: number) {
  const uses: BudgetUse[] = [];
  const taken: LimitUse["budgets"][number][] = [];
  let next = at;
  for (const { name, budget, use, limitNanoUsd } of budgets) {
    const nanoUsd = budget.isHard ? (held[next++] ?? 0) : 0;
    const { spentNanoUsd, startMs } = use;
    uses.push(changeSums(use, { heldNanoUsd: use.heldNanoUsd + nanoUsd, spentNanoUsd, limitNanoUsd }));
    taken.push({ name, startMs, nanoUsd });
  }
  return { uses, taken };
}

function countHard(budgets: readonly RunningBudget[]): number {
  let count = 0;
  for (const { budget } of budgets) if (budget.isHard) count++;
  return count;
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

function takeMinute(
  minute: Minute,
  tokens: number,
  taken: LimitUse["models"],
  isWithin: boolean,
  sharer: string | null,
): Minute {
  const { part, tookMs } = minute;
  const models = takeModels(minute, taken);
  const counts = {
    part,
    requests: addCount(minute.requests, minute, part, 1),
    tokens: addCount(minute.tokens, minute, part, tokens),
    parallel: minute.parallel + (isWithin ? 0 : 1),
    tookMs,
  };
  const counted = models === undefined ? counts : { ...counts, models };
  return sharer === null ? counted : countPayer({ ...counted, payers: minute.payers ?? [] }, sharer, 1);
}
