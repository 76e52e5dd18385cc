// Judges what was counted by its budget.
import { readBudget } from "./budgets.ts";

export type Counts = Readonly<Record<string, number>>;

/** Returns nothing, or what is above its budget. */
export function judge(name: string, counted: Counts): readonly string[] {
  const budget = readBudget(`costs: ${name}`);
  const counts = Object.entries(counted);
  console.log(
    `${name}: ${counts.map(([what, count], at) => `${count} ${what} of ${budget[at]}`).join(", ")}`,
  );
  return counts
    .filter(([, count], at) => !(count <= (budget[at] ?? Number.NaN)))
    .map(([what, count]) => `${name}: ${count} ${what}`);
}

/** Returns the lesser of each two counts. */
export function keepLeast(before: Counts, counts: Counts): Counts {
  const least = Object.entries(counts).map(([what, count]) => [what, Math.min(count, before[what] ?? count)]);
  return Object.fromEntries(least);
}
