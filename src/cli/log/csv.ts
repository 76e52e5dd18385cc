// Rows as CSV (RFC 4180): nested objects become columns, and no text is read as a formula by a spreadsheet.
import { formatNumber } from "../../admin/log/csv.ts";
import { escapeFormula } from "../../core/fields/formula.ts";
import { isObject } from "../../core/json/json.ts";

/** Returns a header and a line for each row, ended by CRLF. Columns are those of any row, in the order they are met. */
export function formatCsv(rows: readonly object[]): string {
  const flat = rows.map((row) => new Map(listCells(row, "")));
  const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const lines = [columns, ...flat.map((cells) => columns.map((column) => cells.get(column) ?? ""))];
  return lines.map((cells) => cells.map(quote).join(",")).join("\r\n");
}

function listCells(value: object, prefix: string): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([name, cell]) => {
    const column = `${prefix}${name}`;
    return isObject(cell) ? listCells(cell, `${column}_`) : [[column, formatCell(cell)] as const];
  });
}

function formatCell(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return formatNumber(cell);
  if (typeof cell !== "string") return Array.isArray(cell) ? JSON.stringify(cell) : String(cell);
  return escapeFormula(cell);
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
