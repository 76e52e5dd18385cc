// The months of statements: the calendar's, in an account's own time zone.
import type { StatementMonth } from "../../core/books/statement.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import type { UsageSum } from "../../core/log/usage-sum.ts";
import { computeDay, findDayStart } from "../limits/day.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Returns the month of a moment (Unix milliseconds): `2026-11`. Throws a RangeError for an unknown time zone. */
export function computeMonth(atMs: number, timeZone: string): string {
  if (latest.timeZone !== timeZone || atMs < latest.startMs || atMs >= latest.endMs) {
    const { name, startMs, endMs } = computeDay(atMs, { timeZone, dayStartsMinutes: 0 });
    latest = { timeZone, startMs, endMs, month: name.slice(0, 7) };
  }
  return latest.month;
}

/** The day asked for last: every settlement asks twice, and usually for the same. */
let latest = { timeZone: "", startMs: 0, endMs: 0, month: "" };

function addMonths(month: string, count: number): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** Returns the months from the first to the last. None if the last is before. */
export function* listMonths(first: string, last: string): Generator<string> {
  for (let month = first; month <= last; month = addMonths(month, 1)) yield month;
}

/** Returns the moments between which an account's month lies in its time zone, and those of its hours' sums. */
export function findStatementMonth(month: string, timeZone: string): StatementMonth {
  const startOf = (count: number, zone: string) =>
    findDayStart(Date.parse(`${addMonths(month, count)}-01`) / DAY_MS, {
      timeZone: zone,
      dayStartsMinutes: 0,
    });
  const beforeMs = startOf(-1, "UTC");
  const fromMs = startOf(0, "UTC");
  const toMs = startOf(1, "UTC");
  return {
    month,
    fromMs: startOf(0, timeZone),
    toMs: startOf(1, timeZone),
    hours: {
      beforeMs: beforeMs + FIRST_HALF_MS,
      fromMs,
      halfMs: fromMs + FIRST_HALF_MS,
      toMs,
      afterMs: toMs + FIRST_HALF_MS,
    },
  };
}

/** The first half of a month in UTC: what is counted at its edge there belongs to the month before, else to the next. */
const FIRST_HALF_MS = 14 * DAY_MS;

/**
 * Returns the hour in which a request is counted, and whether that hour's edge has it: its month in UTC isn't that of
 * the statement, which an account's zone and the time of settlement decide. A request that was settled too many months
 * later for that is counted in the first hour of the statement's own month.
 */
export function findHour(atMs: number, month: string): CountedHour {
  const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
  if (latestHour.fromMs !== hourMs || latestHour.month !== month)
    latestHour = { fromMs: hourMs, month, counted: findCountedHour(hourMs, month) };
  return latestHour.counted;
}

interface CountedHour {
  readonly hourMs: number;
  readonly isEdge: boolean;
}

/** The hour asked for last. */
let latestHour = { fromMs: -1, month: "", counted: { hourMs: 0, isEdge: false } };

function findCountedHour(hourMs: number, month: string): CountedHour {
  const own = computeMonth(hourMs, "UTC");
  if (own === month) return { hourMs, isEdge: false };
  const isFirstHalf = hourMs < Date.parse(`${own}-01`) + FIRST_HALF_MS;
  if (addMonths(own, isFirstHalf ? -1 : 1) === month) return { hourMs, isEdge: true };
  return { hourMs: Date.parse(`${month}-01`), isEdge: false };
}

/** Returns the edge of an hour's sum with a request added to it, or taken out. */
export function addEdge(
  sum: UsageSum | undefined,
  times: 1 | -1 | 0,
  record: RequestRecord,
): UsageSum["edge"] {
  const { costNanoUsd, chargedNanoUsd } = record;
  return {
    costNanoUsd: (sum?.edge?.costNanoUsd ?? 0) + times * costNanoUsd,
    chargedNanoUsd: (sum?.edge?.chargedNanoUsd ?? 0) + times * chargedNanoUsd,
  };
}
