// The auditor's own idea of days: the date on the zone's clocks, less the hours by which the day begins late.

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
  /** Not within an hour that the zone's clocks skip or repeat: there a date alone would not do. */
  readonly dayStartsMinutes: number;
}

/** `2026-11-20`: the date on which the day of that moment began. */
export function ownDay(atMs: number, { timeZone, dayStartsMinutes }: DayRules): string {
  const [date = "", time = ""] = formatOf(timeZone).format(atMs).split(" ");
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes >= dayStartsMinutes ? date : dateBeside(date, -1);
}

export function nextDay(day: string): string {
  return dateBeside(day, 1);
}

/** Apia skipped a day once, long before these days: here every date is followed by the next. */
function dateBeside(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
