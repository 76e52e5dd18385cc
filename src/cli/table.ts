// Tables: columns as wide as their cells, and together no wider than the terminal.

import type { Io } from "../app/terminal.ts";
import { showInvisible } from "../core/text/names.ts";
import type { FlagKinds } from "./arguments.ts";
import { roundUsd } from "./round-usd.ts";

export type TableRow = readonly string[];

/** The flag of commands that print tables, and its line of help. */
export const WIDE = { wide: "switch" } as const satisfies FlagKinds;
export const WIDE_HELP =
  "  --wide                    show all columns and exact amounts, however narrow the terminal is";

/** The order in which a table gets narrower. Columns are named by their heads. */
export interface Narrowing {
  /** Columns that give way, the first one first. */
  readonly giveWay?: readonly string[];
  /** Columns of sentences, which are cut before a column gives way. */
  readonly sentences?: readonly string[];
}

const GAP = 2;
/** A column is cut down to this. */
const LEAST = 8;
/** A sentence is cut down to this before a column gives way. */
const SENTENCE_LEAST = 24;
/** A time without its fractions, and without its seconds: `2026-11-28 10:15`. */
const TIME_WIDTHS = [19, 16] as const;
const INSTANT = /^(\d{4})-(\d\d-\d\d)T(\d\d:\d\d)(:\d\d)/;
const EMPTY = /^-$/;
const NUMBER = /^(-?\d[\d.]*|-)$/;
const USD = /\bUSD$/;

/** The columns of a table, as its heads and cells show them. */
interface TableColumn {
  readonly head: string;
  readonly isEmpty: boolean;
  readonly isNumber: boolean;
  readonly isTime: boolean;
}

function describeColumns(rows: readonly TableRow[]): readonly TableColumn[] {
  return (rows[0] ?? []).map((head, at) => {
    const cells = rows.slice(1).map((row) => row[at] ?? "-");
    const isEmpty = cells.length > 0 && cells.every((cell) => EMPTY.test(cell));
    return {
      head,
      isEmpty,
      isNumber: !isEmpty && cells.length > 0 && cells.every((cell) => NUMBER.test(cell)),
      isTime: cells.some((cell) => INSTANT.test(cell)),
    };
  });
}

/** Returns the width of each column's widest cell, in columns of a terminal. */
export function measureColumns(rows: readonly TableRow[]): readonly number[] {
  return (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, Bun.stringWidth(row[column] ?? "")), 0),
  );
}

/** The widths of columns on a terminal of `room`. */
class ColumnFit {
  readonly #measured: readonly number[];
  readonly #room: number;
  readonly #gone = new Set<number>();
  #widths: number[];

  constructor(measured: readonly number[], room: number) {
    this.#measured = measured;
    this.#room = room;
    this.#widths = [...measured];
  }

  get widths(): readonly number[] {
    return this.#widths;
  }

  get isWide(): boolean {
    return this.#widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + GAP), -GAP) > this.#room;
  }

  /** Cuts the widest of these columns until all fit, or each has come down to `least`. */
  cut(columns: readonly number[], least: number): void {
    const left = columns.filter((column) => !this.#gone.has(column));
    while (this.isWide) {
      const given = left.map((column) => this.#widths[column] ?? 0);
      const widest = Math.max(...given);
      if (widest <= least) return;
      const column = left[given.lastIndexOf(widest)];
      if (column !== undefined) this.#widths[column] = widest - 1;
    }
  }

  /** Makes none of these columns wider than `most`. */
  narrow(columns: readonly number[], most: number): void {
    for (const column of columns) this.#widths[column] = Math.min(this.#widths[column] ?? 0, most);
  }

  /** Leaves a column out, so that the others have the room that it leaves. */
  drop(column: number): void {
    this.#gone.add(column);
    this.#widths = this.#measured.map((width, at) => (this.#gone.has(at) ? 0 : width));
  }
}

/**
 * Returns the widths with which a line fits the terminal. Times lose their seconds and sentences their middles, then columns
 * give way, whose width is then 0: empty ones, and those that the table names, in its order. Only then are other cells cut, but
 * for numbers, of which no digit may be missing, and at last columns are left out from the right, but not the last. Without a terminal, all is shown.
 */
export function fitColumns(
  measured: readonly number[],
  rows: readonly TableRow[],
  room: number | undefined,
  { giveWay = [], sentences = [] }: Narrowing = {},
): readonly number[] {
  const columns = describeColumns(rows);
  const places = columns.map((_, at) => at);
  if (room === undefined) return measured;
  const fit = new ColumnFit(measured, room);
  const times = places.filter((at) => columns[at]?.isTime);
  const cutFirst = () => {
    for (const width of TIME_WIDTHS) if (fit.isWide) fit.narrow(times, width);
    fit.cut(listPlaces(columns, sentences), SENTENCE_LEAST);
  };
  cutFirst();
  const inner = places.slice(1, -1).reverse();
  const empty = places.filter((at) => columns[at]?.isEmpty && at > 0);
  for (const column of [...(giveWay.length > 0 ? empty : []), ...listPlaces(columns, giveWay)]) {
    if (!fit.isWide) return fit.widths;
    fit.drop(column);
    cutFirst();
  }
  const cells = places.filter((at) => !columns[at]?.isNumber);
  fit.cut(cells, LEAST);
  for (const column of [...inner.filter((at) => columns[at]?.isEmpty), ...inner]) {
    if (!fit.isWide) break;
    fit.drop(column);
    fit.cut(cells, LEAST);
  }
  return fit.widths;
}

function listPlaces(columns: readonly TableColumn[], heads: readonly string[]): readonly number[] {
  return heads.flatMap((name) => {
    const at = columns.findIndex(({ head }) => head === name);
    return at === -1 ? [] : [at];
  });
}

/** Aligns the cells, numbers to the right. One that is wider than its column loses its middle, since ids and times differ in their ends. */
export function formatRows(
  rows: readonly TableRow[],
  widths: readonly number[],
  paint: Paint = (text) => text,
  all: readonly TableRow[] = rows,
): string {
  const columns = describeColumns(all);
  return rows
    .map((row) => {
      const shown = row.flatMap((cell, column) => {
        const width = widths[column] ?? Bun.stringWidth(cell);
        const isRight = columns[column]?.isNumber === true;
        return width === 0 ? [] : [{ cell, text: cut(cell, width), width, isRight }];
      });
      return shown
        .map(({ cell, text, width, isRight }, at) => {
          const space = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
          const painted = paint(text, cell, row === all[0]);
          const gap = at === shown.length - 1 ? "" : " ".repeat(GAP);
          return isRight ? space + painted + gap : painted + space + gap;
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
  ["completed, none answered", 31],
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
  if (Bun.stringWidth(cell) <= width) return cell;
  const time = shortenInstant(cell).find((form) => form.length <= width);
  if (time !== undefined) return time;
  const tail = Math.floor((width - 1) / 2);
  const letters = [...cell];
  return `${takeWidth(letters, width - 1 - tail).join("")}…${takeWidth(letters.reverse(), tail).reverse().join("")}`;
}

/** Returns the first letters that fit the width: a Chinese one takes two columns. */
function takeWidth(letters: readonly string[], width: number): string[] {
  let left = width;
  const end = letters.findIndex((letter) => {
    left -= Bun.stringWidth(letter);
    return left < 0;
  });
  return letters.slice(0, end === -1 ? letters.length : end);
}

/** Returns shorter forms of a time, the longest first. */
function shortenInstant(cell: string): readonly string[] {
  const [, year, day, time, seconds] = INSTANT.exec(cell) ?? [];
  if (year === undefined) return [];
  return [
    `${year}-${day} ${time}${seconds}`,
    `${year}-${day} ${time}`,
    `${day} ${time}`,
    `${time}${seconds}`,
  ];
}

type TerminalScreen = Pick<Io, "width" | "isColored">;

/** Returns the output of a command, without the bounds of the terminal if `--wide` is given. */
export function chooseScreen(io: Io, { switches }: { readonly switches: ReadonlySet<string> }): Io {
  return switches.has("wide") ? { ...io, width: undefined } : io;
}

/** Returns the rows as a screen shows them: texts of strangers are among the cells, so what a terminal would obey or turn around is written out. */
export function prepareRows(given: readonly TableRow[], { width }: TerminalScreen): readonly TableRow[] {
  const heads = given[0] ?? [];
  const isRounded = heads.map((head) => width !== undefined && USD.test(head));
  return given.map((row) => row.map((cell, at) => showInvisible(isRounded[at] ? roundUsd(cell) : cell)));
}

/** Without a screen, no cell is cut, rounded or coloured. */
export function formatTable(
  given: readonly TableRow[],
  screen: TerminalScreen = {},
  narrowing: Narrowing = {},
): string {
  const rows = prepareRows(given, screen);
  const widths = fitColumns(measureColumns(rows), rows, screen.width, narrowing);
  return screen.isColored ? formatRows(rows, widths, paintCell) : formatRows(rows, widths);
}
