// Rows as CSV by RFC 4180, for spreadsheets: no text of a stranger's can become a formula there.
import { escapeFormula } from "../../core/fields/formula.ts";

export type Cell = string | number | boolean | null;

/** Returns a line with its end. Texts that would begin a formula get an apostrophe; numbers never do. */
export function formatCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell === "number") return formatNumber(cell);
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const text = escapeFormula(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const DECIMALS_MAX = 9;

/** Small amounts are written out: not every program reads `1e-9`. */
export function formatNumber(number: number): string {
  const text = String(number);
  return text.includes("e-") ? number.toFixed(DECIMALS_MAX).replace(/0+$/, "") : text;
}
