// The budgets as they are kept (budgets.data.json), their tables in src/README.md, and what a run does with its counts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../tidy/sources.ts";
import { type BudgetRecord, type Counts, findLower, judge, lower } from "./judging.ts";

const FILE = join(import.meta.dir, "budgets.data.json");
const GUIDE_FILE = join(ROOT, "src/README.md");
const BEGIN = "<!-- Written by UPDATE_BUDGETS=1 bun test drills from test/drills/budgets.data.json. -->";
const END = "<!-- End of the budgets. -->";

/** The guide's text, in one line. */
export const GUIDE = readFileSync(GUIDE_FILE, "utf8").replaceAll(/\s+/g, " ");
const isUpdating = Boolean(process.env.UPDATE_BUDGETS);
export const today = new Date().toISOString().slice(0, 10);

export function readRecord(): BudgetRecord {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

function writeRecord(record: BudgetRecord): void {
  writeFileSync(FILE, `${JSON.stringify(record, null, 2)}\n`);
  const { text, table } = readGuideTable(record);
  writeFileSync(GUIDE_FILE, text.replace(table.now, () => table.right));
}

/** Returns whether the guide has the tables that the record makes. `UPDATE_BUDGETS` writes them first. */
export function isGuideRight(): boolean {
  const record = readRecord();
  if (isUpdating) writeRecord(record);
  const { table } = readGuideTable(record);
  return table.now === table.right;
}

/** Returns the guide with the table that it has, and the one that the record makes. */
function readGuideTable(record: BudgetRecord) {
  const text = readFileSync(GUIDE_FILE, "utf8");
  const [, rest = ""] = text.split(BEGIN);
  const [inner = ""] = rest.split(END);
  return {
    text,
    table: { now: `${BEGIN}${inner}${END}`, right: `${BEGIN}\n\n${renderTables(record)}\n\n${END}` },
  };
}

const print = (value: number): string => value.toLocaleString("en-US");

function renderTables({ budgets, debts }: BudgetRecord): string {
  const rows = Object.entries(budgets).map(([name, counts]) => {
    const cells = Object.entries(counts).map(([of, { lowest, aim }]) =>
      aim === undefined ? `${print(lowest)} ${of}` : `${print(lowest)} ${of} (${print(aim)})`,
    );
    return `| ${name} | ${cells.join(", ")} |`;
  });
  const owed = debts.map(
    ({ budget, of, value, reason, until }) => `| ${budget}: ${print(value)} ${of} | ${until} | ${reason} |`,
  );
  return [
    "| budget | lowest so far (aim) |",
    "|---|---|",
    ...rows,
    "",
    "| debt | until | reason |",
    "|---|---|---|",
    ...owed,
  ].join("\n");
}

/**
 * Returns what is wrong with the counts. Those that are lower than ever are written down, or only noted where `CI` is set:
 * its checkout is thrown away. `UPDATE_BUDGETS` also writes those that are lower by less than the tolerance, and new ones.
 */
export function judgeAndRecord(name: string, counts: Counts): readonly string[] {
  const before = readRecord();
  console.log(`${name}: ${describe(name, counts, before)}`);
  const fewer = isUpdating ? counts : findLower(name, counts, before);
  if (Object.keys(fewer).length === 0) return judge(name, counts, before, today);
  if (process.env.CI && !isUpdating) {
    console.log(`${name}: lower than ever, UPDATE_BUDGETS=1 bun test drills writes it down`);
    return judge(name, counts, before, today);
  }
  const after = lower(name, fewer, before);
  if (!Bun.deepEquals(before, after)) writeRecord(after);
  return judge(name, counts, after, today);
}

function describe(name: string, counts: Counts, { budgets }: BudgetRecord): string {
  return Object.entries(counts)
    .map(([of, count]) => `${print(count)} ${of} of ${print(budgets[name]?.[of]?.lowest ?? Number.NaN)}`)
    .join(", ");
}
