// Settlement of limits and budgets: what a request reserved is given back, and what it took is counted.

import type { Settlement } from "../../../../src/core/demand.ts";
import type { BudgetUse, LimitUse, Minute } from "../../../../src/core/limits/limit.ts";
import { nameOwner } from "../../../../src/core/limits/limit.ts";
import type { UnsettledRecord } from "../../../../src/core/log/record.ts";
import { type NanoUsd, toUsd } from "../../../../src/core/money/money.ts";
import type { Hold, OwnerState } from "../../../../src/core/rows.ts";
import { changeSums, computeLimit, covers } from "../../../../src/ledger/limits/budget-use.ts";
import { addCount, blendTook, runMinute } from "../../../../src/ledger/limits/minute.ts";
import { countPayer } from "../../../../src/ledger/limits/payer-shares.ts";
import type { Books } from "../books.ts";
import { makeOwnerId } from "../ids.ts";
import { type LimitOwner, listLimitOwners, type NamedBudget } from "./limit-owners.ts";

/** The use that a request made of its limits in the end. */
interface TakenUse {
  readonly costNanoUsd: NanoUsd;
  /** Empty if no model was called. */
  readonly model: string;
  /** Null if the request counts as never admitted. */
  readonly tokens: number | "reserved" | null;
  /** The time that it took in milliseconds. 0 if it wasn't answered. */
  readonly tookMs: number;
  /** True if the reservations were given back before: the request had been given up as lost. */
  readonly isLate: boolean;
}

type HoldUses = Pick<Hold, "accountId" | "keyId" | "id" | "atMs"> & { readonly uses: readonly LimitUse[] };
type Moment = Pick<Settlement, "nowMs" | "limits" | "quota">;

/** Counts what a finished request took, at the price `costNanoUsd`, and gives the rest of its reservations back. */
export function settleLimits(
  books: Books,
  hold: Hold,
  moment: Moment,
  { record, costNanoUsd }: { readonly record: UnsettledRecord; readonly costNanoUsd: NanoUsd },
): void {
  const { id, accountId, keyId, atMs, place } = hold;
  // Most requests took nothing of any limit, and their owners have no budgets that opened since.
  if (place.uses === undefined && !hasBudgets(books, hold)) return;
  const taken = { ...describeTaken(record, costNanoUsd), isLate: false };
  settleOwners(books, { id, accountId, keyId, atMs, uses: place.uses ?? [] }, moment, taken);
}

function hasBudgets(books: Books, sender: Sender): boolean {
  const { accountId } = sender;
  return listOwnerIds(books, sender).some((owner) => books.ownerState(accountId, owner).budgets !== null);
}

type Sender = Pick<Hold, "accountId" | "keyId">;

function listOwnerIds(books: Books, { accountId, keyId }: Sender): readonly string[] {
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
  const taken = { costNanoUsd: 0, model: "", tokens: null, tookMs: 0, isLate: false };
  for (const use of hold.place.uses ?? []) {
    const state = books.owners.get(makeOwnerId(hold.accountId, use.owner));
    if (state) books.putOwner(settleState(state, use, hold, nowMs, taken));
  }
}

function describeTaken(record: UnsettledRecord, costNanoUsd: NanoUsd): Omit<TakenUse, "isLate"> {
  const { amounts, modelUsed, modelTried, usageSource, ended, totalMs } = record;
  const tokens = amounts.prompt - amounts.cached + amounts.completion;
  // Providers of sounds and images report no tokens: then the prompt's estimate counts.
  const isUncounted = tokens === 0 && usageSource !== "none";
  return {
    costNanoUsd,
    model: modelUsed ?? modelTried ?? "",
    tokens: isUncounted ? "reserved" : tokens,
    tookMs: ended === "done" ? totalMs : 0,
  };
}

const NO_USE = { part: null, tokens: 0, budgets: [] } as const;

function settleOwners(books: Books, admitted: HoldUses, moment: Moment, taken: TakenUse): void {
  const { accountId, uses } = admitted;
  const own = listOwnerIds(books, admitted);
  // A key that was moved or given to another member took some of owners that are its own no more.
  const earlier = uses.map((use) => use.owner).filter((owner) => !own.includes(owner));
  let limited: readonly LimitOwner[] | null = null;
  for (const owner of earlier.length > 0 ? [...own, ...earlier] : own) {
    const state = books.owners.get(makeOwnerId(accountId, owner));
    const use = uses.find((one) => one.owner === owner);
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
  { tokens: reserved, payer }: LimitUse,
  part: number,
  nowMs: number,
  { tokens, tookMs, isLate }: TakenUse,
): Minute {
  const minute = runMinute(before, nowMs);
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
  const { payers } = minute;
  if (payers === undefined) return settled;
  return payer === undefined || isLate
    ? { ...settled, payers }
    : countPayer({ ...settled, payers }, payer, -1);
}

/** A request counts in the window of its admission: if that is over, nowhere any more. */
function settleUse(
  budget: BudgetUse,
  { budgets }: LimitUse,
  { atMs }: Pick<Hold, "atMs">,
  { costNanoUsd, model, isLate }: TakenUse,
): BudgetUse {
  const reserved = budgets.find(({ name }) => name === budget.name);
  const isWithin = reserved ? reserved.startMs === budget.startMs : budget.startMs <= atMs;
  if (!isWithin) return budget;
  const held = isLate ? 0 : (reserved?.nanoUsd ?? 0);
  return changeSums(budget, {
    heldNanoUsd: Math.max(0, budget.heldNanoUsd - held),
    spentNanoUsd: budget.spentNanoUsd + (covers(budget.name, model, "") ? costNanoUsd : 0),
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
        models: budget.models,
        share,
        used: toUsd(use.spentNanoUsd),
        limit: toUsd(limitNanoUsd),
      },
    });
  }
  return { ...use, warned: [...use.warned, ...crossed] };
}
