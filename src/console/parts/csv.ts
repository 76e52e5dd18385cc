// Rows as CSV by RFC 4180, with a column for each field of theirs, for spreadsheets.
import { escapeFormula } from "../../core/fields/formula.ts";

type CsvCell = string | number | boolean | null | undefined;

function formatCell(cell: CsvCell): string {
  if (typeof cell !== "string") return cell === null || cell === undefined ? "" : String(cell);
  const text = escapeFormula(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Adds a row's fields by name. Those of an object within it are named with a dot. */
function collectFields(value: unknown, name: string, fields: Map<string, CsvCell>): void {
  if (Array.isArray(value)) fields.set(name, value.map(formatItem).join(" "));
  else if (typeof value === "object" && value !== null)
    for (const [inner, one] of Object.entries(value))
      collectFields(one, name === "" ? inner : `${name}.${inner}`, fields);
  else if (typeof value === "number" || typeof value === "boolean") fields.set(name, value);
  else fields.set(name, value === null || value === undefined ? null : String(value));
}

function formatItem(item: unknown): string {
  return typeof item === "object" ? JSON.stringify(item) : String(item);
}

/** Returns the rows under a line with the fields' names. */
export function formatCsv(rows: readonly object[]): string {
  const all = rows.map((row) => {
    const fields = new Map<string, CsvCell>();
    collectFields(row, "", fields);
    return fields;
  });
  const names = [...new Set(all.flatMap((fields) => [...fields.keys()]))];
  const lines = [names, ...all.map((fields) => names.map((name) => fields.get(name)))];
  return lines.map((cells) => `${cells.map(formatCell).join(",")}\r\n`).join("");
}
