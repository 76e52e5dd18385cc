// The budgets beside those of the commit that a change comes from: what the change has raised by hand. Pure but for its reading.
import { findBase, readAt } from "../ci/prove-changes.ts";
import type { BudgetRecord } from "./judging.ts";

const FILE = "test/drills/budgets.data.json";

/** Returns the record before the change. Null if no commit is known that has one, as in a shallow clone. */
export function readBefore(root: string): BudgetRecord | null {
  const base = findBase(root);
  const text = base === null ? null : readAt(root, base, FILE);
  return text === null ? null : JSON.parse(text);
}

/** Returns what is raised: nothing, or a sentence each. */
export function listRaised(before: BudgetRecord, after: BudgetRecord): readonly string[] {
  return [...listRaisedBudgets(before, after), ...listGrownDebts(before, after)];
}

function listRaisedBudgets({ budgets: before }: BudgetRecord, { budgets }: BudgetRecord): readonly string[] {
  return Object.entries(budgets).flatMap(([name, counts]) =>
    Object.entries(counts).flatMap(([of, now]) => {
      const was = before[name]?.[of];
      if (was === undefined) return [];
      const bounds = [
        ["budget", was.lowest, now.lowest],
        ["aim", was.aim ?? Number.POSITIVE_INFINITY, now.aim ?? Number.POSITIVE_INFINITY],
      ] as const;
      return bounds
        .filter(([, from, to]) => to > from)
        .map(([bound, from, to]) => {
          const became = Number.isFinite(to) ? `was raised to ${to}` : "was taken away";
          return `${name}: the ${bound} of ${from} ${of} ${became}; leave it, and let a debt say why more is allowed`;
        });
    }),
  );
}

/** A new debt has a reason of its own; one that grows, or is put off, needs another than before. */
function listGrownDebts({ debts: before }: BudgetRecord, { debts }: BudgetRecord): readonly string[] {
  return debts.flatMap(({ budget, of, value, reason, until }) => {
    const was = before.find((one) => one.budget === budget && one.of === of);
    if (was === undefined || was.reason.trim() !== reason.trim()) return [];
    const from = `${budget}: the debt of ${was.value} ${of} until ${was.until}`;
    return value > was.value || until > was.until
      ? [`${from} became ${value} until ${until}, and its reason doesn't say why`]
      : [];
  });
}
