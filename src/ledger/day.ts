// The operator's days in any time zone: when one begins and ends, also where the clocks change and days have 23 or 25 hours.
import type { QuotaRules } from "../core/settings.ts";

export interface Day {
  /** The date on which it began, as `2026-11-20`. */
  readonly name: string;
  /** Unix milliseconds; the day is from `startMs` up to, not including, `endMs`. */
  readonly startMs: number;
  readonly endMs: number;
}
export type DayRules = Pick<QuotaRules, "timeZone" | "dayStartsMinutes">;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Farther than any zone is from UTC, so that the offsets read there are those before and after a change of clocks. */
const AROUND_MS = 26 * 3_600_000;
const DAYS_CACHED_MAX = 4;
const ZONES_CACHED_MAX = 64;

const formats = new Map<string, Intl.DateTimeFormat>();
const days = new Map<string, readonly Day[]>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= ZONES_CACHED_MAX) formats.clear();
  formats.set(timeZone, format);
  return format;
}

/** The lead of the zone's clocks over UTC at that moment, in milliseconds. */
function offsetAt(atMs: number, timeZone: string): number {
  // The usual case spares a process's first request the loading of all that is known of calendars, 10 ms.
  if (timeZone === "UTC") return 0;
  const wholeSecondMs = Math.floor(atMs / 1000) * 1000;
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(timeZone).formatToParts(wholeSecondMs))
    parts.set(type, Number(value));
  const part = (name: string): number => parts.get(name) ?? 0;
  const date = Date.UTC(part("year"), part("month") - 1, part("day"));
  return date + ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1000 - wholeSecondMs;
}

/** The moment after `beforeMs` and up to `afterMs` at which the zone's offset became what it is at `afterMs`. */
function changeBetween(beforeMs: number, afterMs: number, timeZone: string): number {
  const offset = offsetAt(afterMs, timeZone);
  let [before, after] = [beforeMs, afterMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle, timeZone) === offset) after = middle;
    else before = middle;
  }
  return after;
}

/**
 * The first moment at which the zone's clocks show `wallMs` (a local time written as if it were UTC) or, where they
 * skip it, the moment of the skip.
 */
function momentOf(wallMs: number, timeZone: string): number {
  const early = wallMs - offsetAt(wallMs - AROUND_MS, timeZone);
  const late = wallMs - offsetAt(wallMs + AROUND_MS, timeZone);
  const shown = [early, late].filter((atMs) => atMs + offsetAt(atMs, timeZone) === wallMs);
  if (shown.length > 0) return Math.min(...shown);
  return changeBetween(Math.min(early, late), Math.max(early, late), timeZone);
}

function findDay(nowMs: number, rules: DayRules): Day {
  const { timeZone, dayStartsMinutes } = rules;
  const startOf = (date: number): number => momentOf(date * DAY_MS + dayStartsMinutes * MINUTE_MS, timeZone);
  let date = Math.floor((nowMs + offsetAt(nowMs, timeZone) - dayStartsMinutes * MINUTE_MS) / DAY_MS);
  while (nowMs < startOf(date)) date -= 1;
  while (nowMs >= startOf(date + 1)) date += 1;
  const name = new Date(date * DAY_MS).toISOString().slice(0, 10);
  return { name, startMs: startOf(date), endMs: startOf(date + 1) };
}

/** The day that a moment (Unix milliseconds) belongs to. Throws RangeError for a time zone that does not exist. */
export function computeDay(nowMs: number, rules: DayRules): Day {
  const zone = `${rules.timeZone} ${rules.dayStartsMinutes}`;
  const known = days.get(zone) ?? [];
  const hit = known.find((day) => day.startMs <= nowMs && nowMs < day.endMs);
  if (hit) return hit;
  const found = findDay(nowMs, rules);
  if (days.size >= ZONES_CACHED_MAX) days.clear();
  days.set(zone, [found, ...known].slice(0, DAYS_CACHED_MAX));
  return found;
}

/** The beginning of the month that a moment's day belongs to, Unix milliseconds. */
export function monthStartMs(nowMs: number, rules: DayRules): number {
  const first = Date.parse(`${computeDay(nowMs, rules).name.slice(0, 7)}-01T00:00:00Z`);
  return momentOf(first + rules.dayStartsMinutes * MINUTE_MS, rules.timeZone);
}

export function dayAfter(day: Day, rules: DayRules): Day {
  return computeDay(day.endMs, rules);
}
