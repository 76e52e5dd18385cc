// The auditor's own definition of days: the date in the time zone, shifted by the hour at which the day begins.

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  formats.set(timeZone, format);
  return format;
}

const DAY_MS = 86_400_000;

export interface DayRules {
  readonly timeZone: string;
  /** Not within an hour that the zone skips or repeats, where a date alone would be ambiguous. */
  readonly dayStartsMinutes: number;
}

/** Returns the date on which the moment's day began, such as `2026-11-20`. */
export function ownDay(atMs: number, { timeZone, dayStartsMinutes }: DayRules): string {
  const [date = "", time = ""] = formatOf(timeZone).format(atMs).split(" ");
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes >= dayStartsMinutes ? date : dateBeside(date, -1);
}

export function nextDay(day: string): string {
  return dateBeside(day, 1);
}

/** Apia once skipped a date, long before the simulated days. Here every date is followed by the next. */
function dateBeside(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export type Period = "day" | "week" | "month" | "total";

/** Returns the name of the window that the day belongs to: its date, its Monday or its month. */
export function nameWindow(per: Period, day: string): string {
  if (per === "total") return "always";
  if (per === "month") return day.slice(0, 7);
  if (per === "day") return day;
  const at = Date.parse(`${day}T00:00:00Z`);
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}

export function nextWindow(per: Period, window: string): string {
  if (per === "total") return window;
  const [year = 0, month = 0] = window.split("-").map(Number);
  if (per === "month") return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 7);
  const days = per === "week" ? 7 : 1;
  return new Date(Date.parse(`${window}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
