// Rows as CSV by RFC 4180, for spreadsheets: no text of a stranger's can become a formula there.

export type Cell = string | number | boolean | null;

const FORMULA = /^[=+\-@\t\r]/;

/** Returns a line with its end. Texts that would begin a formula get an apostrophe; numbers never do. */
export function formatCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
