// The part of the log that a page shows, by a period and by filters such as a key. All of it is in the page's address.

import { nowMs } from "../browser.ts";
import { useNames } from "./names.ts";
import { type DayRules, PERIODS, type Period, type PeriodName, readPeriod } from "./period.ts";
import { route } from "./route.ts";
import { readDayRules } from "./session.ts";

/** Filters that requests and sums share. */
export const SHARED_FILTERS = ["key_id", "account_id", "provider", "model", "member"] as const;
/** Filters of requests alone. */
const REQUEST_FILTERS = [
  ...(["selector", "status", "outcome", "operation", "surface"] as const),
  ...(["address", "session", "transport", "socket", "trace_id", "batch", "tag", "q"] as const),
  ...(["server", "tool", "response", "finding"] as const),
] as const;
export const FILTERS = [...SHARED_FILTERS, ...REQUEST_FILTERS] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

export interface LogScope {
  readonly filters: Filters;
  readonly period: Period;
  /** The period's name. Null if the address has two moments, or none. */
  readonly range: PeriodName | null;
}

/** Reads the address. `fallback` names the period if it has none; days are the gateway's, and months the account's. */
export function useScope(fallback = "", accountId?: string): LogScope {
  const { query } = route.value;
  const given = FILTERS.map((name) => [name, query.get(name) ?? ""] as const);
  const filters: Filters = Object.fromEntries(given.filter(([, value]) => value !== ""));
  const days = readDayRules();
  const timeZone = useTimeZone(accountId ?? filters.account_id) ?? days.timeZone;
  return { filters, ...readRange(query, fallback, days, timeZone) };
}

/** Reads the period of an address. `fallback` names it if the address has none; months are those of the time zone. */
export function readRange(
  query: URLSearchParams,
  fallback: string,
  days: DayRules,
  timeZone = days.timeZone,
): Omit<LogScope, "filters"> {
  const isByMoments = query.has("from") || query.has("to");
  const name = query.get("range") ?? fallback;
  return {
    period: readPeriod(query, { fallback, days, timeZone, atMs: nowMs() }),
    range: isByMoments ? null : (PERIODS.find(({ value }) => value === name)?.value ?? null),
  };
}

/** The time zone of the account's months, if it has its own. */
function useTimeZone(accountId: string | undefined): string | null | undefined {
  const { accounts } = useNames();
  return accounts.find(({ id }) => id === accountId)?.time_zone;
}

/** Returns the scope's part of an address, for links between pages that have one. */
export function keepScope(query: URLSearchParams): Readonly<Record<string, string>> {
  const names = [...SHARED_FILTERS, "range", "from", "to"];
  return Object.fromEntries([...query].filter(([name]) => names.includes(name)));
}
