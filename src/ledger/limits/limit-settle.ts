// Settlement of limits and budgets: what a request reserved is given back, and what it took is counted.
import type { Settlement } from "../../core/demand.ts";
import type { BudgetUse, LimitUse, Minute } from "../../core/limits/limit.ts";
import { nameOwner } from "../../core/limits/limit.ts";
import type { UnsettledRecord } from "../../core/log/record.ts";
import { showModels } from "../../core/models/alias-entry.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Hold, OwnerState } from "../../core/rows.ts";
import type { Books } from "../books.ts";
import { changeSums, computeLimit, covers } from "./budget-use.ts";
import { type LimitOwner, listLimitOwners, type NamedBudget } from "./limit-owners.ts";
import { addCount, blendTook, runMinute } from "./minute.ts";
import { settleModels } from "./model-limits.ts";
import { countPayer } from "./payer-shares.ts";

/** The use that a request made of its limits in the end. */
interface TakenUse {
  readonly costNanoUsd: NanoUsd;
  /** Empty if no model was called. */
  readonly model: string;
  readonly modelAsked: string;
  /** Null if the request counts as never admitted. */
  readonly tokens: number | "reserved" | null;
  /** The time that it took in milliseconds. 0 if it wasn't answered. */
  readonly tookMs: number;
  /** True if the reservations were given back before: the request had been given up as lost. */
  readonly isLate: boolean;
}

type HoldUses = Pick<Hold, "accountId" | "keyId" | "id" | "atMs"> & { readonly uses: readonly LimitUse[] };
type Moment = Pick<Settlement, "nowMs" | "limits" | "quota">;

interface CountedCost {
  readonly record: UnsettledRecord;
  readonly costNanoUsd: NanoUsd;
  /** The model whose price it is. Missing for the request's own. */
  readonly model?: string;
}

/** Counts what a finished request took, at the price `costNanoUsd`, and gives the rest of its reservations back. */
export function settleLimits(
  books: Books,
  hold: Hold,
  moment: Moment,
  { record, costNanoUsd, model }: CountedCost,
): void {
  const { id, accountId, keyId, atMs, place } = hold;
  // Most requests took nothing of any limit, and their owners have no budgets that opened since.
  if (place.uses === undefined && !hasBudgets(books, hold)) return;
  const described = describeTaken(record, costNanoUsd);
  const taken = { ...described, model: model ?? described.model, isLate: false };
  settleOwners(books, { id, accountId, keyId, atMs, uses: place.uses ?? [] }, moment, taken);
}

function hasBudgets(books: Books, { accountId, keyId }: Sender): boolean {
  const memberId = books.keys.get(keyId)?.memberId ?? null;
  return (
    hasBudget(books, accountId, keyId) ||
    hasBudget(books, accountId, accountId) ||
    (memberId !== null && hasBudget(books, accountId, memberId))
  );
}

function hasBudget(books: Books, accountId: string, owner: string): boolean {
  const state = books.page(accountId, owner).state.row;
  return state !== null && state.budgets !== null;
}

type Sender = Pick<Hold, "accountId" | "keyId">;

function findUse(uses: readonly LimitUse[], owner: string): LimitUse | undefined {
  for (const use of uses) if (use.owner === owner) return use;
  return undefined;
}

function listOwnerIds(books: Books, { accountId, keyId }: Sender): string[] {
  const memberId = books.keys.get(keyId)?.memberId ?? null;
  return memberId === null ? [keyId, accountId] : [keyId, memberId, accountId];
}

/** The same for a request that had been given up as lost. */
export function settleLimitsLate(books: Books, demand: Settlement, costNanoUsd: NanoUsd): void {
  const { record, place } = demand;
  const { id, accountId, keyId, atMs } = record;
  const admitted = { id, accountId, keyId, atMs, uses: place?.uses ?? [] };
  settleOwners(books, admitted, demand, { ...describeTaken(record, costNanoUsd), isLate: true });
}

/** Returns everything to the owners, as if the request had never been admitted. */
export function undoLimits(books: Books, hold: Hold, nowMs: number): void {
  const taken = { costNanoUsd: 0, model: "", modelAsked: "", tokens: null, tookMs: 0, isLate: false };
  for (const use of hold.place.uses ?? []) {
    const state = books.page(hold.accountId, use.owner).state.row;
    if (state) books.putOwner(settleState(state, use, hold, nowMs, taken));
  }
}

function describeTaken(record: UnsettledRecord, costNanoUsd: NanoUsd): Omit<TakenUse, "isLate"> {
  const { amounts, modelAsked, modelUsed, modelTried, usageSource, ended, totalMs } = record;
  const tokens = amounts.prompt - amounts.cached + amounts.completion;
  // Providers of sounds and images report no tokens: then the prompt's estimate counts.
  const isUncounted = tokens === 0 && usageSource !== "none";
  return {
    costNanoUsd,
    model: modelUsed ?? modelTried ?? "",
    modelAsked,
    tokens: isUncounted ? "reserved" : tokens,
    tookMs: ended === "done" ? totalMs : 0,
  };
}

const NO_USE = { part: null, tokens: 0, budgets: [] } as const;

function settleOwners(books: Books, admitted: HoldUses, moment: Moment, taken: TakenUse): void {
  const { accountId, uses } = admitted;
  const owners = listOwnerIds(books, admitted);
  // Lines took some of an owner of theirs, and a key that was moved or given to another member of those that it had then.
  for (const { owner } of uses) if (!owners.includes(owner)) owners.push(owner);
  let limited: readonly LimitOwner[] | null = null;
  for (const owner of owners) {
    const state = books.page(accountId, owner).state.row;
    const use = findUse(uses, owner);
    if (!state || (use === undefined && state.budgets === null)) continue;
    const settled = settleState(state, use ?? { ...NO_USE, owner }, admitted, moment.nowMs, taken);
    if (settled.budgets !== null && taken.costNanoUsd > 0) {
      limited ??= listLimited(books, admitted, moment);
      books.putOwner(warn(books, settled, limited, admitted, moment));
    } else books.putOwner(settled);
  }
}

function listLimited(books: Books, { accountId, keyId }: Sender, moment: Moment): readonly LimitOwner[] {
  const account = books.account(accountId);
  const key = books.keys.get(keyId) ?? null;
  const member = books.memberOf(key, accountId);
  return listLimitOwners({ key, member, account, nowMs: moment.nowMs }, moment.limits);
}

function settleState(
  state: OwnerState,
  use: LimitUse,
  admitted: Pick<Hold, "atMs">,
  nowMs: number,
  taken: TakenUse,
): OwnerState {
  const minute = use.part === null ? state.minute : settleMinute(state.minute, use, use.part, nowMs, taken);
  const budgets = state.budgets?.map((one) => settleUse(one, use, admitted, taken)) ?? null;
  return { accountId: state.accountId, owner: state.owner, taken: state.taken, minute, budgets };
}

function settleMinute(
  before: Minute | null,
  use: LimitUse,
  part: number,
  nowMs: number,
  { tokens, tookMs, isLate }: TakenUse,
): Minute {
  const minute = runMinute(before, nowMs);
  const { tokens: reserved } = use;
  const models = settleModels(minute, use, part, tokens, isLate);
  const used = tokens === "reserved" ? reserved : (tokens ?? 0);
  const held = isLate ? 0 : reserved;
  // A reservation that was too large shrinks where it counted; more than was reserved counts now.
  const counted = addCount(minute.tokens, minute, used < held ? part : minute.part, used - held);
  const settled = {
    part: minute.part,
    requests: tokens === null ? addCount(minute.requests, minute, part, -1) : minute.requests,
    tokens: counted,
    parallel: isLate ? minute.parallel : Math.max(0, minute.parallel - 1),
    tookMs: tookMs > 0 ? blendTook(minute.tookMs, tookMs) : minute.tookMs,
  };
  const whole = models === undefined ? settled : { ...settled, models };
  const { payers } = minute;
  if (payers === undefined) return whole;
  const shared = { ...whole, payers };
  return use.payer === undefined || isLate ? shared : countPayer(shared, use.payer, -1);
}

/** A request counts in the window of its admission: if that is over, nowhere any more. */
function settleUse(
  budget: BudgetUse,
  { budgets }: LimitUse,
  { atMs }: Pick<Hold, "atMs">,
  { costNanoUsd, model, modelAsked, isLate }: TakenUse,
): BudgetUse {
  const reserved = budgets.find(({ name }) => name === budget.name);
  const isWithin = reserved ? reserved.startMs === budget.startMs : budget.startMs <= atMs;
  if (!isWithin) return budget;
  const held = isLate ? 0 : (reserved?.nanoUsd ?? 0);
  return changeSums(budget, {
    heldNanoUsd: Math.max(0, budget.heldNanoUsd - held),
    spentNanoUsd: budget.spentNanoUsd + (covers(budget.name, model, modelAsked) ? costNanoUsd : 0),
    limitNanoUsd: budget.limitNanoUsd,
  });
}

/** Writes the events of the shares that are used up by now, each once in a window, and returns the state that says so. */
function warn(
  books: Books,
  state: OwnerState,
  limited: readonly LimitOwner[],
  admitted: HoldUses,
  moment: Moment,
): OwnerState {
  const owner = limited.find(({ id }) => id === state.owner);
  if (owner === undefined || state.budgets === null) return state;
  let { budgets } = state;
  for (const named of owner.budgets) {
    if (named.budget.warn.length === 0) continue;
    const at = budgets.findIndex(({ name }) => name === named.name);
    const use = budgets[at];
    const warned = use && warnAbout(books, owner, named, use, admitted, moment);
    if (warned && warned !== use) budgets = budgets.with(at, warned);
  }
  return budgets === state.budgets ? state : { ...state, budgets };
}

function warnAbout(
  books: Books,
  owner: LimitOwner,
  { name, budget }: NamedBudget,
  use: BudgetUse,
  { accountId, id }: HoldUses,
  { nowMs: atMs }: Moment,
): BudgetUse {
  const limitNanoUsd = computeLimit(budget, use, atMs);
  const crossed = budget.warn.filter(
    (share) => use.spentNanoUsd >= share * limitNanoUsd && !use.warned.includes(share),
  );
  if (crossed.length === 0) return use;
  for (const share of crossed) {
    books.addEvent({
      accountId,
      id: `${id} ${owner.scope} ${name} ${share}`,
      atMs,
      type: "budget.warned",
      data: {
        ...nameOwner(owner.scope, owner.id),
        name: owner.name,
        per: budget.per,
        models: budget.models && showModels(budget.models),
        share,
        used: toUsd(use.spentNanoUsd),
        limit: toUsd(limitNanoUsd),
      },
    });
  }
  return { ...use, warned: [...use.warned, ...crossed] };
}
