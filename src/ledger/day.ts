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
const DAYS_CACHED_MAX = 4;
const ZONES_CACHED_MAX = 64;

const days = new Map<string, readonly Day[]>();

/**
 * The time that the zone's clocks show, written as if it were UTC. That zone, the usual one, spares a process's first
 * request the loading of all that is known of calendars, 10 ms.
 */
function wallAt(atMs: number, timeZone: string): number {
  if (timeZone === "UTC") return atMs;
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs));
  return atMs + at.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e6;
}

/** The first moment at which the zone's clocks show `wallMs` or, where they skip it, the moment of the skip. */
function momentOf(wallMs: number, timeZone: string): number {
  if (timeZone === "UTC") return wallMs;
  const wall = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO("UTC").toPlainDateTime();
  const shown = wall.toZonedDateTime(timeZone);
  if (shown.toPlainDateTime().equals(wall)) return shown.epochMilliseconds;
  const skip = shown.add({ milliseconds: 1 }).getTimeZoneTransition("previous") ?? shown;
  return skip.epochMilliseconds;
}

function findDay(nowMs: number, rules: DayRules): Day {
  const { timeZone, dayStartsMinutes } = rules;
  const startOf = (date: number): number => momentOf(date * DAY_MS + dayStartsMinutes * MINUTE_MS, timeZone);
  let date = Math.floor((wallAt(nowMs, timeZone) - dayStartsMinutes * MINUTE_MS) / DAY_MS);
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
