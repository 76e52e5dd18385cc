// Prices of some hours of the week, as the catalogue file, the configuration and the model list write them.
import type { HourlyPrice, Price } from "../core/models/card.ts";
import { overlayRates } from "./overlaid.ts";
import { type RateFields, viewRates } from "./rates.ts";

/** The days of the week, in the order of JavaScript's. */
export const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

/** The rates that differ from the usual ones at these hours, in UTC. */
export interface HourFields extends Partial<RateFields> {
  /** Every day if missing. */
  readonly days?: readonly (typeof DAYS)[number][];
  /** `01:00`, the first minute. */
  readonly from: string;
  /** `04:00`, the first minute that is over. `24:00` is the end of the day. */
  readonly to: string;
}

export const HOUR = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;
const HOUR_MINUTES = 60;

export function buildHours(fields: readonly HourFields[], usual: Price): readonly HourlyPrice[] {
  return fields.map((one) => ({
    days: new Set(listDays(one)),
    fromMinute: parseMinute(one.from),
    toMinute: parseMinute(one.to),
    price: overlayRates(usual, one),
  }));
}

export function viewHours(hours: readonly HourlyPrice[]): readonly HourFields[] {
  return hours.map(({ days, fromMinute, toMinute, price }) => ({
    days: DAYS.filter((_day, at) => days.has(at)),
    from: formatMinute(fromMinute),
    to: formatMinute(toMinute),
    ...viewRates(price),
  }));
}

/** Returns the mistake in the hours themselves. Null if there is none. */
export function findHoursProblem(fields: readonly HourFields[]): string | null {
  for (const [at, one] of fields.entries()) {
    const wrong = [one.from, one.to].find((text) => !HOUR.test(text));
    if (wrong !== undefined) return `hours[${at}]: expected a time like 01:00, not ${wrong}`;
    if (parseMinute(one.from) >= parseMinute(one.to))
      return `hours[${at}]: from must be before to; hours over midnight take two entries`;
    const other = fields.slice(0, at).findIndex((earlier) => overlap(earlier, one));
    if (other >= 0) return `hours[${at}] overlaps hours[${other}]`;
  }
  return null;
}

function overlap(one: HourFields, other: HourFields): boolean {
  const days = new Set(listDays(one));
  if (!listDays(other).some((day) => days.has(day))) return false;
  return parseMinute(one.from) < parseMinute(other.to) && parseMinute(other.from) < parseMinute(one.to);
}

function listDays({ days = DAYS }: HourFields): readonly number[] {
  return days.map((day) => DAYS.indexOf(day));
}

function parseMinute(text: string): number {
  const [hours = "", minutes = ""] = text.split(":");
  return Number(hours) * HOUR_MINUTES + Number(minutes);
}

function formatMinute(minute: number): string {
  const pad = (number: number) => String(number).padStart(2, "0");
  return `${pad(Math.floor(minute / HOUR_MINUTES))}:${pad(minute % HOUR_MINUTES)}`;
}
