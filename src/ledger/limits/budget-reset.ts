// Sets what budgets have used in their running windows to 0, on record. Costs and charges stay what they were.
import { makeAuditEvent } from "../../core/audit/audit-log.ts";
import type { Answer, Reset } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import { type BudgetUse, nameOwner } from "../../core/limits/limit.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Books } from "../books.ts";
import { openUse, runUse } from "./budget-use.ts";
import { listLimitOwners } from "./limit-owners.ts";
import { computeWindow, makeWindowRules } from "./window.ts";

/** Reservations of requests in flight stay, and count when they end. */
export function resetBudgets(books: Books, demand: Reset): Answer {
  const { accountId, keyId, memberId, id, nowMs, quota, limits, by, reason, entry } = demand;
  const account = books.findAccount(accountId);
  const key = keyId === null ? null : (books.keys.get(keyId) ?? null);
  // Moved keys are another account's.
  if (account === null || (keyId !== null && key?.accountId !== accountId)) {
    return { kind: "refused", fault: new Fault("not_found", "There is no key or account with that id.") };
  }
  const member = memberId === null ? null : books.member(accountId, memberId);
  const owner = listLimitOwners({ key, member, account, nowMs }, limits).find(
    ({ id }) => id === (keyId ?? memberId ?? accountId),
  );
  if (!owner || owner.budgets.length === 0) return { kind: "reset", budgets: [] };
  const rules = makeWindowRules(quota, account);
  const state = books.ownerState(accountId, owner.id);
  const budgets = owner.budgets.map((named) => {
    const { name, budget } = named;
    const stored = state.budgets?.find((use) => use.name === name);
    const running = stored ? runUse(stored, named, nowMs, rules) : null;
    return running ?? openUse(name, computeWindow(budget.per, nowMs, rules), rules, []);
  });
  const { added } = demand;
  if (added !== undefined) {
    const add = (use: BudgetUse) => ({ ...use, spentNanoUsd: use.spentNanoUsd + (added[use.name] ?? 0) });
    books.putOwner({ ...state, budgets: budgets.map(add) });
    return { kind: "reset", budgets: Object.keys(added) };
  }
  const used = budgets.map(({ name, spentNanoUsd }) => ({ budget: name, used: toUsd(spentNanoUsd) }));
  const fresh = budgets.map(({ isExceeded: _isExceeded, ...use }) => ({
    ...use,
    spentNanoUsd: 0,
    warned: [],
  }));
  books.putOwner({ ...state, budgets: fresh });
  const data = { ...nameOwner(owner.scope, owner.id), name: owner.name, by, reason, budgets: used };
  books.addEvent({ accountId, id, atMs: nowMs, type: "budget.reset", data });
  if (entry !== null) books.addEvent(makeAuditEvent({ ...entry, accountId, before: { budgets: used } }));
  return { kind: "reset", budgets: budgets.map(({ name }) => name) };
}
