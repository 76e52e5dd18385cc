// The table of newest releases in `agents/RESULTS.md`: a row for each program, of its latest run.

export interface DriftRow {
  readonly date: string;
  readonly program: string;
  readonly pinned: string;
  readonly newest: string;
  readonly result: string;
  /** Names that the newest release declares and the pinned one doesn't. */
  readonly names: readonly string[];
  /** Names of the newest release that no table of the gateway has, each with its kind. */
  readonly unlisted: readonly string[];
}

const BEGIN = "<!-- drift -->\n";
const END = "<!-- end of drift -->";
const HEAD =
  "| date | program | pinned | newest | result | new names | without a row |\n|---|---|---|---|---|---|---|\n";

/** Returns the page with the program's row in place of its former one. Throws if the page has no table. */
export function mergeTable(page: string, row: DriftRow): string {
  const start = page.indexOf(BEGIN);
  const end = page.indexOf(END, start);
  if (start === -1 || end === -1) throw new Error("The page has no place for the table.");
  const table = page.slice(start + BEGIN.length, end).split("\n");
  const kept = table.filter((line) => /^\| \d/.test(line) && !line.includes(`| ${row.program} |`));
  const rows = [...kept, writeRow(row)].map((line) => `${line}\n`).join("");
  return page.slice(0, start) + BEGIN + HEAD + rows + page.slice(end);
}

function writeRow({ date, program, pinned, newest, result, names, unlisted }: DriftRow): string {
  const said = newest === pinned ? "same" : newest;
  return `| ${date} | ${program} | ${pinned} | ${said} | ${result} | ${writeNames(names)} | ${writeNames(unlisted)} |`;
}

function writeNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `\`${name}\``).join(", ");
}
