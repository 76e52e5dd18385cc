// The months of statements: the calendar's, in an account's own time zone.
import { computeDay } from "./day.ts";

/** Returns the month of a moment (Unix milliseconds): `2026-11`. Throws a RangeError for an unknown time zone. */
export function computeMonth(atMs: number, timeZone: string): string {
  return computeDay(atMs, { timeZone, dayStartsMinutes: 0 }).name.slice(0, 7);
}
