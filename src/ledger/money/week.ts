// The weeks of digests: from Monday to Monday in a time zone. The digest of each is due at 07:00 on the Monday after it.
import { computeDay, findDayStart } from "../limits/day.ts";

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY = 4;
const DUE_AT_MINUTES = 7 * 60;

export interface Week {
  /** Its Monday: `2026-11-16`. */
  readonly name: string;
  /** Unix milliseconds; `toMs` is exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The start of the week before. */
  readonly beforeMs: number;
  /** The moment from which on its digest is due. */
  readonly dueMs: number;
}

/** Returns the latest week that is due at a moment (Unix milliseconds). */
export function findDueWeek(atMs: number, timeZone: string): Week {
  // A day that begins at 07:00 has the date of the last moment that the clocks showed it.
  const { name } = computeDay(atMs, { timeZone, dayStartsMinutes: DUE_AT_MINUTES });
  const date = Date.parse(name) / DAY_MS;
  const monday = date - ((((date - FIRST_MONDAY) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS);
  const startOf = (day: number) => findDayStart(day, { timeZone, dayStartsMinutes: 0 });
  return {
    name: new Date((monday - WEEK_DAYS) * DAY_MS).toISOString().slice(0, 10),
    fromMs: startOf(monday - WEEK_DAYS),
    toMs: startOf(monday),
    beforeMs: startOf(monday - 2 * WEEK_DAYS),
    dueMs: findDayStart(monday, { timeZone, dayStartsMinutes: DUE_AT_MINUTES }),
  };
}
