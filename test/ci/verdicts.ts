// Judges a file that failed and was run once more, alone: green, or red with the words why.
import { FLAKY_FILE, type FlakyRow } from "./flaky.ts";

/** More rows than these, or older ones, are a debt that nobody pays. */
export const ROWS_MAX = 10;
export const DAYS_MAX = 7;
/** Beyond as many, it is the change or the machine, not chance. */
export const TRIES_MAX = 3;
const DAY_MS = 86_400_000;

export interface Tried {
  readonly file: string;
  readonly titles: readonly string[];
  /** Null if it wasn't run again. */
  readonly hasPassed: boolean | null;
  /** The words for a failure that the main line has too. */
  readonly isRedBefore?: string;
}

export interface Trial {
  readonly tried: readonly Tried[];
  readonly rows: readonly FlakyRow[];
  /** Those before the change; null if they aren't known. */
  readonly rowsBefore: readonly FlakyRow[] | null;
  /** Tells whether the change reaches a test file: the file or something that it imports. */
  readonly reaches: (file: string) => boolean;
  /** The day, as in `2026-11-28`. */
  readonly today: string;
}

export interface Verdict extends Tried {
  readonly isGreen: boolean;
  readonly says: string;
}

export function judgeTries(trial: Trial): readonly Verdict[] {
  const passed = trial.tried.filter(({ hasPassed }) => hasPassed === true).length;
  return trial.tried.map((tried) => ({ ...tried, ...judgeOne(tried, passed, trial) }));
}

function judgeOne(
  { file, titles, hasPassed, isRedBefore }: Tried,
  passed: number,
  { rows, reaches, today }: Trial,
): Pick<Verdict, "isGreen" | "says"> {
  if (hasPassed === null) return { isGreen: false, says: "isn't tried again" };
  if (!hasPassed && isRedBefore !== undefined) return { isGreen: true, says: isRedBefore };
  if (!hasPassed) return { isGreen: false, says: "failed twice" };
  if (passed > TRIES_MAX) return { isGreen: false, says: `one of ${passed} that passed on their second try` };
  const isListed = (title: string) => rows.some((row) => row.file === file && row.title === title);
  const unlisted = titles.filter((title) => !isListed(title));
  if (titles.length > 0 && unlisted.length === 0) return { isGreen: true, says: "FLAKY, as listed" };
  if (!reaches(file)) return { isGreen: true, says: "FLAKY, and the change doesn't reach it" };
  const lacking = unlisted.map((title) => JSON.stringify({ file, title, cause: "…", since: today }));
  const says = `passed on its second try, but the change reaches it, and ${FLAKY_FILE} lacks ${lacking.join(", ")}`;
  return { isGreen: false, says };
}

/** Returns what is wrong with the list itself, whatever has failed. */
export function judgeRows({ rows, rowsBefore, reaches, today }: Omit<Trial, "tried">): readonly string[] {
  const found: string[] = [];
  if (rows.length > ROWS_MAX) found.push(`${rows.length} rows, of which there may be ${ROWS_MAX}`);
  for (const row of rows) {
    const name = `${row.file}: ${row.title}`;
    const days = (Date.parse(today) - Date.parse(row.since)) / DAY_MS;
    if (!(days >= 0 && days <= DAYS_MAX))
      found.push(`${name}: since ${row.since}; a row may be ${DAYS_MAX} days old`);
    if (!row.cause) found.push(`${name}: says no cause`);
    const isNew = rowsBefore !== null && !rowsBefore.some((one) => isSame(one, row));
    if (isNew && reaches(row.file)) found.push(`${name}: added by a change that reaches the file`);
  }
  return found;
}

function isSame(one: FlakyRow, other: FlakyRow): boolean {
  return one.file === other.file && one.title === other.title && one.since === other.since;
}
