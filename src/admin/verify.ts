// Proves the books: every balance is the sum of its journal, every hold is there, and all accounts together are zero.
import type { AccountAudit, Audit } from "../core/store.ts";
import { usdText } from "./format.ts";

/** Something that is not what it has to be. */
export interface BookProblem {
  /** null: it concerns all of them. */
  readonly account: string | null;
  readonly what: string;
  /** Amounts as exact text: they may be beyond what a number holds. */
  readonly found: string;
  readonly expected: string;
  /** null: it is counted. */
  readonly unit: "USD" | null;
  /** The rows that the expected value was read off. */
  readonly by: string;
}

/** Every way in which the books are wrong; none: they balance. */
export function listProblems(audit: Audit): readonly BookProblem[] {
  return [...audit.accounts.flatMap(accountProblems), ...wholeProblems(audit)];
}

function accountProblems(row: AccountAudit): readonly BookProblem[] {
  const problems: BookProblem[] = [];
  const compare = (what: string, found: number, expected: number, unit: BookProblem["unit"], by: string) => {
    if (found === expected) return;
    const shown = unit === "USD" ? usd : String;
    problems.push({ account: row.id, what, found: shown(found), expected: shown(expected), unit, by });
  };
  compare("balance", row.balanceNanoUsd, row.journalBalanceNanoUsd, "USD", "sum of its journal");
  compare("held", row.heldNanoUsd, row.journalHeldNanoUsd, "USD", "sum of its journal");
  compare("held", row.heldNanoUsd, row.openHoldsNanoUsd, "USD", "sum of its open holds");
  compare("entries", row.entries, row.journalEntries, null, "number in its journal");
  compare("entries out of line", row.brokenEntries, 0, null, "each follows from the one before");
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
    problems.push({ ...all, what: "sum", found: usdText(sum), unit: "USD", by });
  }
  return problems;
}

function usd(nano: number): string {
  return usdText(BigInt(nano));
}

/** All that is free, held, came in, was earned and was written off: zero where each movement has its two sides. */
export function addUp({ balances, held, system }: Audit): bigint {
  return balances + held + system.funding + system.revenue + system.overrun;
}
