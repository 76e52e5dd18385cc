// Judges what was counted by its budget and its debts, and finds what has become less. Pure.

/** Counts of one thing by their names, such as the files and lines that a request runs. */
export type Counts = Readonly<Record<string, number>>;

interface Budget {
  /** The lowest value that it ever had. */
  readonly lowest: number;
  /** The house plan's. */
  readonly aim?: number;
}

/** Allows a value above its budget's lowest, or above its aim, for some time. */
interface Debt {
  readonly budget: string;
  readonly of: string;
  /** The greatest that is allowed meanwhile. It falls with what is counted. */
  readonly value: number;
  readonly reason: string;
  /** The last day on which it is allowed, such as `2027-01-31`. */
  readonly until: string;
}

export interface BudgetRecord {
  readonly budgets: Readonly<Record<string, Readonly<Record<string, Budget>>>>;
  readonly debts: readonly Debt[];
}

/** Code, members and kept costs are counted exactly. */
const EXACT = new Set(["files", "lines", "members", "units of npm test", "units of .ci/run"]);
const TOLERANCE_EXACT = 0.01;
/** A machine's other work changes how a request's bytes arrive. */
const TOLERANCE = 0.04;

function addTolerance(of: string, value: number): number {
  return value * (1 + (EXACT.has(of) ? TOLERANCE_EXACT : TOLERANCE));
}

/** Returns what is wrong with the counts of `name`: nothing, or a sentence each. `today` is a day such as `2026-11-28`. */
export function judge(name: string, counts: Counts, record: BudgetRecord, today: string): readonly string[] {
  return Object.entries(counts).flatMap(([of, count]) => {
    const problem = judgeOne(record, { name, of, count, today });
    return problem === null ? [] : [`${name}: ${problem}`];
  });
}

interface Counted {
  readonly name: string;
  readonly of: string;
  readonly count: number;
  readonly today: string;
}

function judgeOne({ budgets, debts }: BudgetRecord, { name, of, count, today }: Counted): string | null {
  const budget = budgets[name]?.[of];
  if (budget === undefined) return `${count} ${of} have no budget; UPDATE_BUDGETS=1 records them`;
  const debt = debts.find((one) => one.budget === name && one.of === of);
  const { lowest, aim = lowest } = budget;
  const bound = Math.min(lowest, aim);
  if (!Number.isFinite(count)) return `${of} were not counted`;
  if (count <= addTolerance(of, bound))
    return debt
      ? `${count} ${of} are within ${bound}, so the debt of ${debt.value} is no longer needed`
      : null;
  if (debt === undefined) return `${count} ${of} are above ${bound}, and no debt allows them`;
  if (count > addTolerance(of, debt.value)) return `${count} ${of} are above the debt of ${debt.value}`;
  return today > debt.until ? `the debt of ${debt.value} ${of} was due on ${debt.until}` : null;
}

/** Returns what is wrong with the list of debts whatever was counted. */
export function judgeDebts({ budgets, debts }: BudgetRecord, today: string): readonly string[] {
  return debts.flatMap(({ budget, of, value, reason, until }, at) => {
    const name = `the debt of ${value} ${of} for "${budget}"`;
    const isSecond = debts.findIndex((one) => one.budget === budget && one.of === of) < at;
    return [
      ...(budgets[budget]?.[of] === undefined ? [`${name} has no budget`] : []),
      ...(isSecond ? [`${name} is the second`] : []),
      ...(reason.trim() === "" ? [`${name} has no reason`] : []),
      ...(isDay(until) ? [] : [`${name} has no day`]),
      ...(isDay(until) && today > until ? [`${name} was due on ${until}`] : []),
    ];
  });
}

function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text.length === 10;
}

/** Returns the counts that are lower than ever by more than the tolerance. */
export function findLower(name: string, counts: Counts, { budgets }: BudgetRecord): Counts {
  const lower = Object.entries(counts).filter(
    ([of, count]) => addTolerance(of, count) < (budgets[name]?.[of]?.lowest ?? 0),
  );
  return Object.fromEntries(lower);
}

/** Returns the record with each count that is lower than before, and with those that it lacks. None is raised. */
export function lower(name: string, counts: Counts, { budgets, debts }: BudgetRecord): BudgetRecord {
  const row = Object.entries(counts).map(([of, count]) => {
    const before = budgets[name]?.[of];
    return [of, { ...before, lowest: Math.min(count, before?.lowest ?? count) }] as const;
  });
  const lowerDebt = (debt: Debt): Debt => {
    const count = debt.budget === name ? (counts[debt.of] ?? debt.value) : debt.value;
    return { ...debt, value: Math.min(debt.value, count) };
  };
  return {
    budgets: { ...budgets, [name]: { ...budgets[name], ...Object.fromEntries(row) } },
    debts: debts.map(lowerDebt),
  };
}

/** Returns the greater of each two counts. */
export function keepGreatest(before: Counts, counts: Counts): Counts {
  const greatest = Object.entries(counts).map(([of, count]) => [of, Math.max(count, before[of] ?? count)]);
  return Object.fromEntries(greatest);
}
