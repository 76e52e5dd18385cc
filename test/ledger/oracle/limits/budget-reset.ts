// Sets what budgets have used in their running windows to 0, on record. Costs and charges stay what they were.
import { makeAuditEvent } from "../../../../src/core/audit/audit-log.ts";
import type { Answer, Reset } from "../../../../src/core/demand.ts";
import { Fault } from "../../../../src/core/faults/fault.ts";
import { nameOwner } from "../../../../src/core/limits/limit.ts";
import { toUsd } from "../../../../src/core/money/money.ts";
import { openUse, runUse } from "../../../../src/ledger/limits/budget-use.ts";
import { computeWindow, makeWindowRules } from "../../../../src/ledger/limits/window.ts";
import type { Books } from "../books.ts";
import { listLimitOwners } from "./limit-owners.ts";

/** Reservations of requests in flight stay, and count when they end. */
export function resetBudgets(books: Books, demand: Reset): Answer {
  const { accountId, keyId, memberId, id, nowMs, quota, limits, by, reason, entry } = demand;
  const account = books.accounts.get(accountId);
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
