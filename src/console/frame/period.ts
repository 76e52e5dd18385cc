// Periods of time as a page's address names them: the last days of the gateway, a calendar month in a time zone, or any
// two moments.
import { nowMs } from "../browser.ts";
import { DAY_MS } from "./format.ts";

const HOUR_MS = DAY_MS / 24;
const MINUTE_MS = HOUR_MS / 60;

type PeriodStep = "hour" | "day";

export interface Period {
  /** Instants. Missing if the period has no bound there. */
  readonly from?: string;
  readonly to?: string;
}

const LAST_DAYS: Readonly<Record<string, { readonly days: number; readonly step: PeriodStep }>> = {
  "24h": { days: 1, step: "hour" },
  "7d": { days: 7, step: "hour" },
  "30d": { days: 30, step: "day" },
  "90d": { days: 90, step: "day" },
};
const MONTHS_BACK: Readonly<Record<string, number>> = { month: 0, "last-month": 1 };

/** The names of periods, with their labels. */
export const PERIODS = [
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "90d", label: "90 days" },
  { value: "month", label: "This month" },
  { value: "last-month", label: "Last month" },
] as const;

export type PeriodName = (typeof PERIODS)[number]["value"];

/** The longest period with hourly figures. */
const HOURLY_MAX_MS = 8 * DAY_MS;

/** The time zone of days, and their beginning. */
export interface DayRules {
  readonly timeZone: string;
  /** When they begin, in minutes after midnight. */
  readonly startsMinutes: number;
}

/** Providers' days. */
export const UTC_DAYS: DayRules = { timeZone: "UTC", startsMinutes: 0 };

interface Now {
  readonly atMs: number;
  /** The days that the last ones are counted in. */
  readonly days: DayRules;
  /** The zone of calendar months. */
  readonly timeZone: string;
  /** The name of the period if the address has none. */
  readonly fallback: string;
}

/** Returns the period that an address names by `range`, or by `from` and `to`. */
export function readPeriod(query: URLSearchParams, { atMs, days, timeZone, fallback }: Now): Period {
  const from = query.get("from");
  const to = query.get("to");
  if (from || to) return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
  const name = query.get("range") ?? fallback;
  const last = LAST_DAYS[name];
  if (last)
    return last.step === "hour" ? findLastHours(atMs, last.days) : findLastDays(atMs, last.days, days);
  const back = MONTHS_BACK[name];
  return back === undefined ? {} : findMonth(atMs, back, timeZone);
}

/** Ends with the current hour, so that the period stays the same until the next one. */
function findLastHours(ms: number, days: number): Period {
  const end = Math.floor(ms / HOUR_MS) * HOUR_MS + HOUR_MS;
  return { from: formatInstant(end - days * DAY_MS), to: formatInstant(end) };
}

/** Ends with the current day, and has only whole ones, some of which may have 23 or 25 hours. */
function findLastDays(ms: number, days: number, { timeZone, startsMinutes }: DayRules): Period {
  const shiftMs = startsMinutes * MINUTE_MS;
  const today = Math.floor((ms + readOffset(ms, timeZone) - shiftMs) / DAY_MS);
  const startOf = (day: number) => formatInstant(findInstant(day * DAY_MS + shiftMs, timeZone));
  return { from: startOf(today + 1 - days), to: startOf(today + 1) };
}

/** Returns the calendar month that a moment lies in, or one so many months before it. */
function findMonth(ms: number, back: number, timeZone: string): Period {
  const [year, month] = readMonth(ms, timeZone);
  const startOf = (at: number) => formatInstant(findInstant(Date.UTC(year, month + at, 1), timeZone));
  return { from: startOf(-back), to: startOf(1 - back) };
}

/** Figures are by the hour in short periods. */
export function chooseStep({ from, to }: Period): PeriodStep {
  const start = from ? Date.parse(from) : 0;
  const end = to ? Date.parse(to) : nowMs();
  return end - start <= HOURLY_MAX_MS ? "hour" : "day";
}

function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The month counts from 0. */
function readMonth(ms: number, timeZone: string): readonly [year: number, month: number] {
  const wall = new Date(ms + readOffset(ms, timeZone));
  return [wall.getUTCFullYear(), wall.getUTCMonth()];
}

/** Returns the moment at which the zone's clocks show this time, which is written as if it were UTC. */
function findInstant(wall: number, timeZone: string): number {
  // The offset may change between the first guess and the moment.
  return wall - readOffset(wall - readOffset(wall, timeZone), timeZone);
}

/** Returns how far the time zone's clocks are ahead of UTC, in milliseconds. */
function readOffset(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...({ year: "numeric", month: "numeric", day: "numeric" } as const),
    ...({ hour: "numeric", minute: "numeric", second: "numeric" } as const),
  }).formatToParts(ms);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(
    ...([read("year"), read("month") - 1, read("day")] as const),
    ...([read("hour"), read("minute"), read("second")] as const),
  );
  return wall - Math.floor(ms / 1000) * 1000;
}
