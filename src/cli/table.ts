// Tables: columns as wide as their cells, and together no wider than the terminal.

import type { Io } from "../app/terminal.ts";
import { showInvisible } from "../core/text/names.ts";

export type Row = readonly string[];

const GAP = 2;
/** A column gives down to this. */
const LEAST = 8;
const INSTANT = /^(\d{4})-(\d\d-\d\d)T(\d\d:\d\d)(:\d\d)/;
const EMPTY = /^-$/;
const NUMBER = /^(-?[\d.]+|-)$/;

/** Returns the width of each column's widest cell. */
export function measureColumns(rows: readonly Row[]): readonly number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}

/**
 * Returns the widths with which a line fits the terminal. The widest give, but for numbers, of which no digit may be missing.
 * Then columns are left out, whose width is 0: empty ones, and others from the right, but not the last. Without a terminal,
 * all is shown.
 */
export function fitColumns(
  measured: readonly number[],
  rows: readonly Row[],
  room: number | undefined,
): readonly number[] {
  const widths = [...measured];
  if (room === undefined) return widths;
  const isWide = () => widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + GAP), -GAP) > room;
  const isFixed = widths.map((_, column) => hasOnly(rows, column, NUMBER));
  const columns = widths.map((_, column) => column);
  const inner = columns.slice(1, -1).reverse();
  const dropped = [...inner.filter((column) => hasOnly(rows, column, EMPTY)), ...inner];
  const gone = new Set<number>();
  for (;;) {
    while (isWide() && shrinkWidest(widths, isFixed));
    const column = isWide() ? dropped.shift() : undefined;
    if (column === undefined) return widths;
    gone.add(column);
    // The others have the room that it leaves.
    for (const one of columns) widths[one] = gone.has(one) ? 0 : (measured[one] ?? 0);
  }
}

/** True if all cells below the head have the shape. */
function hasOnly(rows: readonly Row[], column: number, shape: RegExp): boolean {
  return rows.length > 1 && rows.slice(1).every((row) => shape.test(row[column] ?? "-"));
}

/** Takes a character of the widest column that gives. Returns false if none does. */
function shrinkWidest(widths: number[], isFixed: readonly boolean[]): boolean {
  const given = widths.map((width, column) => (isFixed[column] ? 0 : width));
  const widest = Math.max(...given);
  if (widest <= LEAST) return false;
  widths[given.lastIndexOf(widest)] = widest - 1;
  return true;
}

/** Aligns the cells. One that is wider than its column loses its middle, since ids and times differ in their ends. */
export function formatRows(
  rows: readonly Row[],
  widths: readonly number[],
  paint: Paint = (text) => text,
): string {
  return rows
    .map((row) => {
      const shown = row.flatMap((cell, column) => {
        const width = widths[column] ?? cell.length;
        return width === 0 ? [] : [{ cell, text: cut(cell, width), width }];
      });
      return shown
        .map(({ cell, text, width }, at) => {
          const isLast = at === shown.length - 1;
          return paint(text, cell, row === rows[0]) + (isLast ? "" : " ".repeat(width - text.length + GAP));
        })
        .join("")
        .trimEnd();
    })
    .join("\n");
}

/** Returns the text of a cell in its colour. */
type Paint = (text: string, cell: string, isHead: boolean) => string;

const BOLD = 1;
/** Red for what has failed, yellow for what waits for somebody. */
const COLORS = new Map([
  ["failed", 31],
  ["revoked", 31],
  ["expired", 31],
  ["refused", 33],
  ["paused", 33],
]);

const paintCell: Paint = (text, cell, isHead) => {
  const code = isHead ? BOLD : COLORS.get(cell);
  return code === undefined ? text : `\x1b[${code}m${text}\x1b[0m`;
};

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
  ];
}

type Screen = Pick<Io, "width" | "isColored">;

/**
 * Without a screen, no cell is cut or coloured. Texts of strangers are among the cells, so what a terminal would obey or turn
 * around is written out.
 */
export function formatTable(given: readonly Row[], { width, isColored = false }: Screen = {}): string {
  const rows = given.map((row) => row.map(showInvisible));
  const widths = fitColumns(measureColumns(rows), rows, width);
  return isColored ? formatRows(rows, widths, paintCell) : formatRows(rows, widths);
}
