// Tables: columns as wide as their cells, and together no wider than the terminal.

const GAP = 2;
/** A column gives down to the first, and on a very narrow terminal to the second. */
const LEAST = [8, 3];
const INSTANT = /^(\d{4})-(\d\d-\d\d)T(\d\d:\d\d)(:\d\d)/;

/** Returns the width of each column's widest cell. */
export function measureColumns(rows: readonly (readonly string[])[]): readonly number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}

/** Returns the widths with which a line fits the terminal: the widest give. Without a terminal, no cell is cut. */
export function fitColumns(measured: readonly number[], room: number | undefined): readonly number[] {
  const widths = [...measured];
  if (room === undefined) return widths;
  for (const least of LEAST) {
    while (widths.reduce((sum, width) => sum + width + GAP, -GAP) > room) {
      const widest = Math.max(...widths);
      if (widest <= least) break;
      widths[widths.lastIndexOf(widest)] = widest - 1;
    }
  }
  return widths;
}

/** Aligns the cells. One that is wider than its column loses its middle, since ids and times differ in their ends. */
export function formatRows(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  return rows
    .map((row) =>
      row
        .map((cell, column) => cut(cell, widths[column] ?? cell.length).padEnd(widths[column] ?? 0))
        .join(" ".repeat(GAP))
        .trimEnd(),
    )
    .join("\n");
}

function cut(cell: string, width: number): string {
  if (cell.length <= width) return cell;
  const time = shortenInstant(cell).find((form) => form.length <= width);
  if (time !== undefined) return time;
  const tail = Math.floor((width - 1) / 2);
  return `${cell.slice(0, width - 1 - tail)}…${tail === 0 ? "" : cell.slice(-tail)}`;
}

/** Returns shorter forms of a time, the longest first. */
function shortenInstant(cell: string): readonly string[] {
  const [, year, day, time, seconds] = INSTANT.exec(cell) ?? [];
  if (year === undefined) return [];
  return [
    `${year}-${day} ${time}${seconds}`,
    `${day} ${time}${seconds}`,
    `${day} ${time}`,
    `${time}${seconds}`,
    `${time}`,
  ];
}

export function formatTable(rows: readonly (readonly string[])[], room?: number): string {
  return formatRows(rows, fitColumns(measureColumns(rows), room));
}
