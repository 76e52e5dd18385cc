// Rows of a CSV file (RFC 4180) by the names in its first line.

/** Fields that may be quoted, each with what ends it. */
const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/y;
/** An empty column as MySQL and phpMyAdmin write it. Texts that look like it are quoted there. */
const NULL = /^(NULL|\\N)$/;

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Throws an Error for a quote that isn't closed. */
export function parseCsv(text: string): CsvTable {
  const [columns = [], ...lines] = readLines(text.replace(/^\ufeff/, ""));
  const rows = lines
    .filter((cells) => cells.length > 1 || cells[0] !== "")
    .map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""])));
  return { columns, rows };
}

function readLines(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let cells: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length || cells.length > 0) {
    const match = FIELD.exec(text);
    if (match === null) throw new Error(`line ${lines.length + 1} of the CSV has a quote that isn't closed`);
    const [, field = "", end] = match;
    cells.push(readCell(field));
    if (end === ",") continue;
    lines.push(cells);
    cells = [];
  }
  return lines;
}

function readCell(field: string): string {
  if (field.startsWith('"')) return field.slice(1, -1).replaceAll('""', '"');
  return NULL.test(field) ? "" : field;
}
