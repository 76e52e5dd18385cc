// The last 24 hours of a provider, as one bar an hour: how many of its requests ended without an error.
import type { UsageSums } from "../../admin/log/usage.ts";
import { nowMs } from "../browser.ts";
import { withQuery } from "../frame/api.ts";
import { DAY_MS, formatClock, formatCount, formatPercent } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";

const HOURS = 24;
const HOUR_MS = DAY_MS / HOURS;
const EVERY_MS = 60_000;

/** An hour with requests. */
interface HourRequests {
  readonly requests: number;
  readonly errors: number;
}

const NONE: HourRequests = { requests: 0, errors: 0 };

/** The hours of a provider, by their beginning. */
type HoursOfDay = ReadonlyMap<number, HourRequests>;

function findEndMs(): number {
  return Math.ceil(nowMs() / HOUR_MS) * HOUR_MS;
}

/** Returns the hours of each provider that had requests, which are asked for once. Null until they are known. */
export function useDays(): ReadonlyMap<string, HoursOfDay> | null {
  const endMs = findEndMs();
  const span = { from: new Date(endMs - DAY_MS).toISOString(), to: new Date(endMs).toISOString() };
  const path = withQuery("/usage", { group_by: "hour,provider,outcome", ...span });
  const { data } = useResource<UsageSums>(may("usage.read") ? path : null, EVERY_MS);
  if (data === undefined) return null;
  const days = new Map<string, Map<number, HourRequests>>();
  for (const row of data.data) addRow(days, row);
  return days;
}

/** Requests that the gateway refused, as beyond a budget, never reached the provider. */
function addRow(days: Map<string, Map<number, HourRequests>>, row: UsageSums["data"][number]): void {
  const { provider = "", hour = "", outcome, requests, errors } = row;
  if (outcome === "refused") return;
  const day = days.getOrInsertComputed(provider, () => new Map<number, HourRequests>());
  const atMs = Date.parse(hour);
  const before = day.get(atMs) ?? NONE;
  day.set(atMs, { requests: before.requests + requests, errors: before.errors + errors });
}

/** From this share of errors on, an hour counts as bad. Fewer are a warning. */
const BAD_FROM = 0.5;

function chooseLook({ requests, errors }: HourRequests): string {
  if (requests === 0) return "";
  if (errors === 0) return "good";
  return errors / requests >= BAD_FROM ? "bad" : "some";
}

/** The bars, and the share of all. */
export function DayBars({ hours }: { readonly hours: HoursOfDay | undefined }) {
  const endMs = findEndMs();
  const shown = Array.from({ length: HOURS }, (_, at) => {
    const atMs = endMs - (HOURS - at) * HOUR_MS;
    return { atMs, ...(hours?.get(atMs) ?? NONE) };
  });
  const sum = (pick: (hour: HourRequests) => number) => shown.reduce((all, hour) => all + pick(hour), 0);
  const requests = sum((hour) => hour.requests);
  const errors = sum((hour) => hour.errors);
  const share = requests === 0 ? null : formatPercent(1 - errors / requests);
  const words =
    share === null ? "no requests" : `${share} of ${formatCount(requests)} requests without an error`;
  return (
    <>
      <span class="day-bars" role="img" aria-label={`Last 24 hours: ${words}`}>
        {shown.map((hour) => (
          <i key={hour.atMs} class={chooseLook(hour)} title={describeHour(hour)} />
        ))}
      </span>
      <span class="small day-share" title={`Last 24 hours: ${words}`}>
        {share ?? "–"}
      </span>
    </>
  );
}

function describeHour({ atMs, requests, errors }: HourRequests & { readonly atMs: number }): string {
  const at = formatClock(new Date(atMs).toISOString());
  if (requests === 0) return `${at}: no requests`;
  return `${at}: ${formatCount(requests)} requests, ${errors === 0 ? "no error" : `${formatCount(errors)} failed`}`;
}
