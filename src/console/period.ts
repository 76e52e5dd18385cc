// Periods of time as a page's address names them: the last days, a calendar month in a time zone, or any two moments.
import { nowMs } from "./browser.ts";
import { DAY_MS } from "./format.ts";

const HOUR_MS = DAY_MS / 24;

type Step = "hour" | "day";

export interface Period {
  /** Instants. Missing if the period has no bound there. */
  readonly from?: string;
  readonly to?: string;
}

const LAST_DAYS: Readonly<Record<string, { readonly days: number; readonly step: Step }>> = {
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

interface Now {
  readonly atMs: number;
  /** The zone of calendar months. */
  readonly timeZone: string;
  /** The name of the period if the address has none. */
  readonly fallback: string;
}

/** Returns the period that an address names by `range`, or by `from` and `to`. */
export function readPeriod(query: URLSearchParams, { atMs, timeZone, fallback }: Now): Period {
  const [from, to] = [query.get("from"), query.get("to")];
  if (from || to) return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
  const name = query.get("range") ?? fallback;
  const last = LAST_DAYS[name];
  if (last) return findLastDays(atMs, last.days, last.step);
  const back = MONTHS_BACK[name];
  return back === undefined ? {} : findMonth(atMs, back, timeZone);
}

/** Ends with the current step, so that the period stays the same until the next one. */
function findLastDays(ms: number, days: number, step: Step): Period {
  const grain = step === "hour" ? HOUR_MS : DAY_MS;
  const end = Math.floor(ms / grain) * grain + grain;
  return { from: formatInstant(end - days * DAY_MS), to: formatInstant(end) };
}

/** Returns the calendar month that a moment lies in, or one so many months before it. */
function findMonth(ms: number, back: number, timeZone: string): Period {
  const [year, month] = readMonth(ms, timeZone);
  const startOf = (at: number) => formatInstant(findMonthStart(year, month + at, timeZone));
  return { from: startOf(-back), to: startOf(1 - back) };
}

/** Figures are by the hour in short periods. */
export function chooseStep({ from, to }: Period): Step {
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

function findMonthStart(year: number, month: number, timeZone: string): number {
  const wall = Date.UTC(year, month, 1);
  // The offset may change between the first guess and the month's start.
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
