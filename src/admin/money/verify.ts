// Checks the books: each balance equals the sum of its journal, no hold is missing, and all accounts add up to zero.
import type { AccountAudit, Audit, LimitAudit } from "../../core/books/audit.ts";
import { formatPlainUsd } from "../../core/money/money.ts";

/** A value that isn't as expected. */
export interface BookProblem {
  /** Null if it concerns all accounts. */
  readonly account: string | null;
  readonly what: string;
  /** Amounts are exact text, because they may exceed the range of a number. */
  readonly found: string;
  readonly expected: string;
  /** Null for a count. */
  readonly unit: "USD" | null;
  /** The rows from which the expected value was computed. */
  readonly by: string;
}

/** Returns every error in the books. Empty if they balance. */
export function listProblems(audit: Audit): readonly BookProblem[] {
  return [
    ...audit.accounts.flatMap(accountProblems),
    ...audit.limits.map(makeLimitProblem),
    ...wholeProblems(audit),
  ];
}

function makeLimitProblem({ accountId, owner, budget, counted, ofHolds }: LimitAudit): BookProblem {
  const isMoney = budget !== null;
  const show = (value: number) => (isMoney ? formatPlainUsd(value) : String(value));
  return {
    account: accountId,
    what: isMoney ? `reserved of the budget ${budget} of ${owner}` : `parallel requests of ${owner}`,
    found: show(counted),
    expected: show(ofHolds),
    unit: isMoney ? "USD" : null,
    by: isMoney ? "sum of its open holds" : "number of its open holds",
  };
}

function accountProblems(row: AccountAudit): readonly BookProblem[] {
  const problems: BookProblem[] = [];
  const compare = (what: string, found: number, expected: number, unit: BookProblem["unit"], by: string) => {
    if (found === expected) return;
    const show = (value: number) => (unit === "USD" ? formatPlainUsd(value) : String(value));
    problems.push({ account: row.id, what, found: show(found), expected: show(expected), unit, by });
  };
  compare("balance", row.balanceNanoUsd, row.journalBalanceNanoUsd, "USD", "sum of its journal");
  compare("held", row.heldNanoUsd, row.journalHeldNanoUsd, "USD", "sum of its journal");
  compare("held", row.heldNanoUsd, row.openHoldsNanoUsd, "USD", "sum of its open holds");
  compare("due", row.receivableNanoUsd, 0 - row.journalReceivableNanoUsd, "USD", "sum of its journal");
  compare("entries", row.entries, row.journalEntries, null, "number in its journal");
  compare("entries out of sequence", row.brokenEntries, 0, null, "each follows from the previous one");
  return problems;
}

function wholeProblems(audit: Audit): readonly BookProblem[] {
  const problems: BookProblem[] = [];
  const all = { account: null, expected: "0" } as const;
  if (audit.strayEntries > 0) {
    const found = String(audit.strayEntries);
    problems.push({ ...all, what: "stray entries", found, unit: null, by: "each belongs to an account" });
  }
  const sum = addUp(audit);
  if (sum !== 0n) {
    const by = "each movement has two sides";
    problems.push({ ...all, what: "sum", found: formatPlainUsd(sum), unit: "USD", by });
  }
  return problems;
}

/** Adds up free, held, received, earned, written-off and due amounts: zero if each movement has both its sides. */
export function addUp({ balances, held, system }: Audit): bigint {
  return balances + held + system.funding + system.revenue + system.overrun + system.receivable;
}
