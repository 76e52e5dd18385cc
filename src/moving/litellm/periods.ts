// LiteLLM's durations of budgets as the windows that budgets have here.
import type { Period } from "../../core/limits/budget.ts";

/** Durations with an equal. */
const EQUALS: readonly (readonly [look: RegExp, per: Period])[] = [
  [/^(1d|24h|daily|day)$/, "day"],
  [/^(7d|1w|weekly|week)$/, "week"],
  [/^(30d|31d|28d|1mo|4w|monthly|month)$/, "month"],
];
const DURATION = /^(\d{1,6})(s|m|h|d|w|mo)$/;
const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 31 };
/** The days of the windows here, from the shortest. */
const WINDOWS: readonly (readonly [days: number, per: Period])[] = [
  [1, "day"],
  [7, "week"],
  [31, "month"],
];

interface LimitWindow {
  readonly per: Period;
  /** False if the window here is longer: the same amount must last for more time. */
  readonly isEqual: boolean;
}

/** Returns `total` without a duration, and null for a text that isn't one. */
export function readPeriod(duration: string | null): LimitWindow | null {
  if (duration === null) return { per: "total", isEqual: true };
  const text = duration.trim().toLowerCase();
  const equal = EQUALS.find(([look]) => look.test(text));
  if (equal !== undefined) return { per: equal[1], isEqual: true };
  const [, count = "0", unit = ""] = DURATION.exec(text) ?? [];
  const days = Number(count) * (DAYS[unit] ?? 0);
  if (days === 0) return null;
  return { per: WINDOWS.find(([most]) => days <= most)?.[1] ?? "total", isEqual: false };
}
