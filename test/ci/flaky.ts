// The list of test files that may fail once and pass on their second try, and the files that are never tried again.

export interface FlakyRow {
  readonly file: string;
  readonly title: string;
  /** As far as it is known. */
  readonly cause: string;
  /** The day when it came onto the list. */
  readonly since: string;
}

/** The list, from the root. */
export const FLAKY_FILE = "test/ci/flaky.data.json";

export function readRows(text: string): readonly FlakyRow[] {
  return JSON.parse(text);
}

/** A single failure there is a find: a seed, an order or an instant that shows a fault once in many runs. */
export const NEVER_AGAIN: readonly string[] = [
  "test/abuse/",
  "test/drills/costs.test.ts",
  "test/drills/drills.test.ts",
  "test/drills/line-costs.test.ts",
  "test/drills/postgres-costs.test.ts",
  "test/drills/stream-costs.test.ts",
  "test/drills/tool-costs.test.ts",
  "test/http/tools/days/",
  "test/jobs/days.test.ts",
  "test/kill/",
  "test/ledger/",
  "test/people/directory/races.test.ts",
  "test/people/ends/",
  "test/sim/",
  "test/store/nodes/",
  "test/whole/batches/kill.test.ts",
];
