// The windows of budgets: days, weeks and months in any time zone. Nothing resets them: they are computed when asked.

import type { Account } from "../../core/keys/key.ts";
import type { Period } from "../../core/limits/budget.ts";
import { type QuotaRules, WEEKDAYS, type Weekday } from "../../core/settings.ts";
import { computeDay, type DayRules, findDayStart } from "./day.ts";

export interface Window {
  /** Unix milliseconds, inclusive; `endMs` is exclusive, null if it never ends. */
  readonly startMs: number;
  readonly endMs: number | null;
}

export interface WindowRules extends DayRules {
  readonly weekStarts: Weekday;
  /** All of them as a text that is stored with a window, so that a change of them is seen. */
  readonly text: string;
}

const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = 7;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf("thursday");

const ALWAYS: Window = { startMs: 0, endMs: null };

/** By the quota and the account's own zone: every decision on a budget asks for them. */
const known = new WeakMap<QuotaRules, Map<string | null, WindowRules>>();

/** There are about 600 time zones. */
export function makeWindowRules(
  quota: QuotaRules,
  { timeZone: own }: Pick<Account, "timeZone">,
): WindowRules {
  const byZone = known.getOrInsertComputed(quota, () => new Map<string | null, WindowRules>());
  return byZone.getOrInsertComputed(own, () => {
    const { dayStartsMinutes, weekStarts = "monday" } = quota;
    const timeZone = own ?? quota.timeZone;
    return { timeZone, dayStartsMinutes, weekStarts, text: `${timeZone} ${dayStartsMinutes} ${weekStarts}` };
  });
}

/** Returns the window of a moment (Unix milliseconds). */
export function computeWindow(per: Period, nowMs: number, rules: WindowRules): Window {
  if (per === "total") return ALWAYS;
  const { name, startMs, endMs } = computeDay(nowMs, rules);
  if (per === "day") return { startMs, endMs };
  const [first, next] = per === "week" ? listWeek(name, rules.weekStarts) : listMonth(name);
  return { startMs: findDayStart(first, rules), endMs: findDayStart(next, rules) };
}

/** The first days of the week with this date and of the one after, in days since 1970. */
function listWeek(date: string, starts: Weekday): readonly [number, number] {
  const day = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  const since = (day + FIRST_WEEKDAY - WEEKDAYS.indexOf(starts) + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  return [day - since, day - since + DAYS_OF_WEEK];
}

/** The same for the month. */
function listMonth(date: string): readonly [number, number] {
  const [year = 0, month = 0] = date.split("-").map(Number);
  return [Date.UTC(year, month - 1, 1) / DAY_MS, Date.UTC(year, month, 1) / DAY_MS];
}

/** Returns the start of a window that is nearest to a moment. */
export function findNearestStart(per: Period, atMs: number, rules: WindowRules): number {
  const { startMs, endMs } = computeWindow(per, atMs, rules);
  return endMs !== null && endMs - atMs <= atMs - startMs ? endMs : startMs;
}
