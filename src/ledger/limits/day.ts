// The operator's days in any time zone: when each begins and ends, including days of 23 or 25 hours.
import type { QuotaRules } from "../../core/settings.ts";

export interface Day {
  /** The date on which it begins: `2026-11-20`. */
  readonly name: string;
  /** Unix milliseconds, inclusive; `endMs` is exclusive. */
  readonly startMs: number;
  readonly endMs: number;
}
export type DayRules = Pick<QuotaRules, "timeZone" | "dayStartsMinutes">;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS_CACHED_MAX = 4;
const ZONES_CACHED_MAX = 64;

/** Days by `nameZone`. */
const known = new Map<string, readonly Day[]>();
/** Those of the zone asked for last: a request asks for some eight days, and usually of one zone. */
let latest: DayRules & { readonly days: readonly Day[] } = { timeZone: "", dayStartsMinutes: 0, days: [] };

/**
 * The zone's local time, written as if it were UTC. UTC, the usual zone, returns early: loading the time zone data
 * would add 10 ms to a process's first request.
 */
function readWallClock(atMs: number, timeZone: string): number {
  if (timeZone === "UTC") return atMs;
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs));
  return atMs + at.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e6;
}

/** Returns the first moment at which the zone's clocks show `wallMs`, or the moment of the change if they skip it. */
function findMoment(wallMs: number, timeZone: string): number {
  if (timeZone === "UTC") return wallMs;
  const wall = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO("UTC").toPlainDateTime();
  const shown = wall.toZonedDateTime(timeZone);
  if (shown.toPlainDateTime().equals(wall)) return shown.epochMilliseconds;
  const skip = shown.add({ milliseconds: 1 }).getTimeZoneTransition("previous") ?? shown;
  return skip.epochMilliseconds;
}

/** Returns the start of the day with that date, which is given in days since 1970. */
export function findDayStart(date: number, { timeZone, dayStartsMinutes }: DayRules): number {
  return findMoment(date * DAY_MS + dayStartsMinutes * MINUTE_MS, timeZone);
}

function findDay(nowMs: number, rules: DayRules): Day {
  const { timeZone, dayStartsMinutes } = rules;
  const startOf = (date: number): number => findDayStart(date, rules);
  let date = Math.floor((readWallClock(nowMs, timeZone) - dayStartsMinutes * MINUTE_MS) / DAY_MS);
  while (nowMs < startOf(date)) date -= 1;
  while (nowMs >= startOf(date + 1)) date += 1;
  const name = new Date(date * DAY_MS).toISOString().slice(0, 10);
  return { name, startMs: startOf(date), endMs: startOf(date + 1) };
}

/** Returns the day of a moment (Unix milliseconds). Throws a RangeError for an unknown time zone. */
export function computeDay(nowMs: number, rules: DayRules): Day {
  const { timeZone, dayStartsMinutes } = rules;
  if (latest.timeZone !== timeZone || latest.dayStartsMinutes !== dayStartsMinutes)
    latest = { timeZone, dayStartsMinutes, days: known.get(nameZone(rules)) ?? [] };
  for (const day of latest.days) if (day.startMs <= nowMs && nowMs < day.endMs) return day;
  const found = findDay(nowMs, rules);
  const days = [found, ...latest.days].slice(0, DAYS_CACHED_MAX);
  if (known.size >= ZONES_CACHED_MAX) known.clear();
  known.set(nameZone(rules), days);
  latest = { timeZone, dayStartsMinutes, days };
  return found;
}

function nameZone({ timeZone, dayStartsMinutes }: DayRules): string {
  return `${timeZone} ${dayStartsMinutes}`;
}

/** Returns the start of the current month, Unix milliseconds. */
export function monthStartMs(nowMs: number, rules: DayRules): number {
  const first = Date.parse(`${computeDay(nowMs, rules).name.slice(0, 7)}-01T00:00:00Z`);
  return findMoment(first + rules.dayStartsMinutes * MINUTE_MS, rules.timeZone);
}

export function dayAfter(day: Day, rules: DayRules): Day {
  return computeDay(day.endMs, rules);
}
