// Time ranges as operators request them: bounded by moments, or by dates that cover whole days.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../core/json/schema-fault.ts";
import { computeDay, type Day, type DayRules, dayAfter } from "../ledger/limits/day.ts";
import { momentSchema, readInstant } from "./input.ts";

const DAYS = 30;
const DAYS_MAX = 400;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** No gateway ran before the first, and time zones after the last are guesswork. */
const FIRST_MS = Date.UTC(1971, 0, 1);
const LAST_MS = Date.UTC(2200, 0, 1);

/** The query fields of a time range: moments, or dates that cover whole days. */
export const momentFields = { from: Type.Optional(momentSchema), to: Type.Optional(momentSchema) };
type Moments = Static<ReturnType<typeof Type.Object<typeof momentFields>>>;

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the date of the operator's day that has the moment. */
export function nameDay(atMs: number, rules: DayRules): string {
  return computeDay(atMs, rules).name;
}

/** Returns the range from `from` until before `to`, at most until today's end. The default is the last 30 days. */
export function readSpan({ from, to }: Moments, nowMs: number, rules: DayRules): Span {
  const today = computeDay(nowMs, rules);
  const toMs = to === undefined ? today.endMs : readTo(to, rules);
  const fromMs = from === undefined ? findRangeStart(toMs, rules) : readFrom(from, rules);
  if (fromMs >= toMs) {
    throw invalidValue("from", "expected a time before 'to', which defaults to the end of today");
  }
  return { fromMs, toMs: Math.min(toMs, today.endMs) };
}

/** Returns the moment, or for a bare date the start of that day in the operator's time zone. */
export function readFrom(text: string, rules: DayRules): number {
  const atMs = readMoment(text, "from");
  return isDate(text) ? findDay(atMs, rules).startMs : atMs;
}

/** Returns the moment, or for a bare date the end of that day in the operator's time zone. */
export function readTo(text: string, rules: DayRules): number {
  const atMs = readMoment(text, "to");
  return isDate(text) ? findDay(atMs, rules).endMs : atMs;
}

function readMoment(text: string, param: string): number {
  return Math.min(Math.max(readInstant(text, param), FIRST_MS), LAST_MS);
}

function isDate(text: string): boolean {
  return !text.includes("T");
}

/** Returns the operator's day with the same name as the moment's UTC date. */
function findDay(atMs: number, rules: DayRules): Day {
  const date = new Date(atMs).toISOString().slice(0, 10);
  let day = computeDay(Date.parse(`${date}T12:00:00Z`), rules);
  while (day.name < date) day = dayAfter(day, rules);
  while (day.name > date) day = computeDay(day.startMs - 1, rules);
  return day;
}

/** Returns the start of the range of `DAYS` days whose last one contains the moment before `toMs`. */
function findRangeStart(toMs: number, rules: DayRules): number {
  let day = computeDay(toMs - 1, rules);
  for (let days = 1; days < DAYS; days++) day = computeDay(day.startMs - 1, rules);
  return day.startMs;
}

const PIECE_MS = 5 * DAY_MS;
const PIECES_MAX = 60;

/** Splits a range so that no query takes long. Pieces are whole hours long, because sums are by the hour. */
export function splitSpan({ fromMs, toMs }: Span): readonly Span[] {
  const lengthMs = Math.max(PIECE_MS, Math.ceil((toMs - fromMs) / PIECES_MAX / HOUR_MS) * HOUR_MS);
  const pieces: Span[] = [];
  for (let at = fromMs; at < toMs; at += lengthMs) {
    pieces.push({ fromMs: at, toMs: Math.min(at + lengthMs, toMs) });
  }
  return pieces;
}

const AT_ONCE = 4;

/** Queries the pieces, a few at once, and yields their results in order. */
export async function* readPieces<Piece, Found>(
  pieces: readonly Piece[],
  find: (piece: Piece) => Promise<Found>,
): AsyncGenerator<readonly { readonly piece: Piece; readonly found: Found }[]> {
  for (let from = 0; from < pieces.length; from += AT_ONCE) {
    const some = pieces.slice(from, from + AT_ONCE);
    yield await Promise.all(some.map(async (piece) => ({ piece, found: await find(piece) })));
  }
}

/** Queries the pieces, a few at once, and passes on the results in order. */
export async function eachPiece<Piece, Found>(
  pieces: readonly Piece[],
  find: (piece: Piece) => Promise<Found>,
  onFound: (found: Found, piece: Piece) => void,
): Promise<void> {
  for await (const some of readPieces(pieces, find)) {
    for (const { piece, found } of some) onFound(found, piece);
  }
}

/** Returns the operator's days within a range, with the first and last cut to it. */
export function listDays(
  { fromMs, toMs }: Span,
  rules: DayRules,
): readonly (Span & { readonly name: string })[] {
  const days: (Span & { readonly name: string })[] = [];
  if (toMs - fromMs > (DAYS_MAX + 1) * DAY_MS) {
    throw invalidValue("from", `at most ${DAYS_MAX} days by day; use a later time`);
  }
  for (let at = fromMs; at < toMs; ) {
    const { name, endMs } = computeDay(at, rules);
    days.push({ name, fromMs: at, toMs: Math.min(endMs, toMs) });
    at = endMs;
  }
  return days;
}
