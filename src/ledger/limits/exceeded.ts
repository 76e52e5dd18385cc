// The events of what is used up: a budget that refuses a request, and an allowance whose last place is taken.
import { makeEvent } from "../../core/events/events.ts";
import { type BudgetUse, nameOwner } from "../../core/limits/limit.ts";
import { showModels } from "../../core/models/alias-entry.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Meter } from "../../core/rows.ts";
import type { Books } from "../books.ts";
import type { LimitOwner, NamedBudget } from "./limit-owners.ts";

interface ExceededBudget extends NamedBudget {
  readonly owner: LimitOwner;
  readonly use: BudgetUse;
  readonly limitNanoUsd: NanoUsd;
}

/**
 * Records the first refusal in a window in which the budget was used. Later ones write nothing, however many they are: the
 * stored window is marked. One that isn't stored yet is left so, since an admission decides when another begins.
 */
export function recordExceeded(
  books: Books,
  { owner, name, budget, use, limitNanoUsd }: ExceededBudget,
  nowMs: number,
): void {
  const state = books.ownerState(owner.accountId, owner.id);
  const isStored = (one: BudgetUse) => one.name === name && one.startMs === use.startMs;
  const stored = state.budgets?.find(isStored);
  if (stored === undefined || stored.isExceeded === true || stored.spentNanoUsd === 0) return;
  const budgets = state.budgets?.map((one) => (one === stored ? { ...one, isExceeded: true as const } : one));
  books.putOwner({ ...state, budgets: budgets ?? null });
  const data = {
    ...nameOwner(owner.scope, owner.id),
    name: owner.name,
    per: budget.per,
    models: budget.models && showModels(budget.models),
    used: toUsd(use.spentNanoUsd),
    limit: toUsd(limitNanoUsd),
  };
  const subject = `${owner.scope} ${owner.id} ${name} ${use.startMs}`;
  books.addEvent(makeEvent("budget.exceeded", subject, { accountId: owner.accountId, atMs: nowMs, data }));
}

/** Records that the day's last place was taken, once a day: places that come back may be taken again. */
export function recordUsedUp(
  books: Books,
  { accountId, owner, day }: Meter,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): void {
  const id = `allowance.used_up ${owner} ${day}`;
  const isShared = owner === accountId;
  const name = (isShared ? books.findAccount(accountId) : books.keys.get(owner))?.name ?? owner;
  const data = { ...nameOwner(isShared ? "account" : "key", owner), name, limit };
  books.addEvent({ accountId, id, atMs: nowMs, type: "allowance.used_up", data });
}
