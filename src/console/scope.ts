// The part of the log that a page shows, by a period and by filters such as a key. All of it is in the page's address.

import type { SettingsView } from "../admin/settings-schema.ts";
import { nowMs } from "./browser.ts";
import { useNames } from "./names.ts";
import { PERIODS, type Period, type PeriodName, readPeriod } from "./period.ts";
import { useResource } from "./resource.ts";
import { route } from "./route.ts";
import { may } from "./session.ts";

/** Filters that requests and sums share. */
export const SHARED_FILTERS = ["key_id", "account_id", "provider", "model"] as const;
/** Filters of requests alone. */
const REQUEST_FILTERS = [
  ...(["selector", "status", "outcome", "operation", "surface", "member"] as const),
  ...(["address", "session", "trace_id", "tag", "q"] as const),
] as const;
export const FILTERS = [...SHARED_FILTERS, ...REQUEST_FILTERS] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

export interface LogScope {
  readonly filters: Filters;
  readonly period: Period;
  /** The period's name. Null if the address has two moments, or none. */
  readonly range: PeriodName | null;
}

/** Reads the address. `fallback` names the period if it has none; months are those of the account. */
export function useScope(fallback = "", accountId?: string): LogScope {
  const { query } = route.value;
  const given = FILTERS.map((name) => [name, query.get(name) ?? ""] as const);
  const filters: Filters = Object.fromEntries(given.filter(([, value]) => value !== ""));
  const timeZone = useTimeZone(accountId ?? filters.account_id);
  return { filters, ...readRange(query, fallback, timeZone) };
}

/** Reads the period of an address. `fallback` names it if the address has none; months are those of the time zone. */
export function readRange(
  query: URLSearchParams,
  fallback: string,
  timeZone: string,
): Omit<LogScope, "filters"> {
  const isByMoments = query.has("from") || query.has("to");
  const name = query.get("range") ?? fallback;
  return {
    period: readPeriod(query, { fallback, timeZone, atMs: nowMs() }),
    range: isByMoments ? null : (PERIODS.find(({ value }) => value === name)?.value ?? null),
  };
}

/** The time zone of the account's months, or else the gateway's. */
function useTimeZone(accountId: string | undefined): string {
  const { accounts } = useNames();
  const own = accounts.find(({ id }) => id === accountId)?.time_zone;
  const settings = useResource<SettingsView>(may("settings.read") ? "/settings" : null);
  return own ?? settings.data?.quota.time_zone ?? "UTC";
}

/** Returns the scope's part of an address, for links between pages that have one. */
export function keepScope(query: URLSearchParams): Readonly<Record<string, string>> {
  const names = [...SHARED_FILTERS, "range", "from", "to"];
  return Object.fromEntries([...query].filter(([name]) => names.includes(name)));
}
