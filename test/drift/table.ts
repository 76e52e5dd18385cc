// The table of newest releases in `agents/RESULTS.md`: a row for each program, of its latest run.

export interface DriftRow {
  readonly date: string;
  readonly program: string;
  readonly pinned: string;
  readonly newest: string;
  readonly result: string;
  /** Names of the newest release that ours doesn't know. */
  readonly names: readonly string[];
}

const BEGIN = "<!-- drift -->\n";
const END = "<!-- end of drift -->";
const HEAD = "| date | program | pinned | newest | result | new names |\n|---|---|---|---|---|---|\n";

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

function writeRow({ date, program, pinned, newest, result, names }: DriftRow): string {
  const listed = names.map((name) => `\`${name}\``).join(", ");
  return `| ${date} | ${program} | ${pinned} | ${newest === pinned ? "same" : newest} | ${result} | ${listed || "none"} |`;
}
