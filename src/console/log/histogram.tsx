// The requests of the log over time, above its list: a span that is brushed narrows the list to it.
import type { Overview } from "../../admin/log/overview.ts";
import { withQuery } from "../frame/api.ts";
import { formatCompact } from "../frame/format.ts";
import { chooseStep } from "../frame/period.ts";
import { useResource } from "../frame/resource.ts";
import { setQuery } from "../frame/route.ts";
import { type LogScope, readRange, SHARED_FILTERS } from "../frame/scope.ts";
import { readDayRules } from "../frame/session.ts";
import { Chart } from "../parts/chart.tsx";

const HEIGHT = 84;
const EVERY_MS = 30_000;

/** Sums know fewer filters than requests: with one of the others, it would show what the list doesn't. */
function hasSums({ filters }: LogScope): boolean {
  const shared: readonly string[] = SHARED_FILTERS;
  return Object.keys(filters).every((name) => shared.includes(name));
}

export function LogHistogram({ scope }: { readonly scope: LogScope }) {
  const isEmpty = scope.period.from === undefined && scope.period.to === undefined;
  const { period } = isEmpty ? readRange(new URLSearchParams(), "24h", readDayRules()) : scope;
  const query = { ...scope.filters, ...period, step: chooseStep(period) };
  const { data } = useResource<Overview>(hasSums(scope) ? withQuery("/overview", query) : null, EVERY_MS);
  if (!hasSums(scope)) return null;
  return (
    <section class="card card-body histogram" aria-label="Requests over time">
      {data && <Bars data={data} />}
    </section>
  );
}

function Bars({ data: { series, step, to, totals } }: { readonly data: Overview }) {
  const endOf = (at: number) => series[at + 1]?.at ?? to;
  return (
    <Chart
      label={`Requests over time, ${totals.requests} in total, ${totals.errors} failed`}
      steps={series.map(({ at, day }, index) => ({
        placeMs: Date.parse(day ?? at),
        endMs: Date.parse(endOf(index)),
      }))}
      step={step}
      height={HEIGHT}
      isBars
      isWhole
      format={formatCompact}
      lines={[
        { label: "Answered", color: "--c1", values: series.map(({ requests, errors }) => requests - errors) },
        { label: "Failed", color: "--c4", values: series.map(({ errors }) => errors) },
      ]}
      onSpan={(first, last) => {
        const from = series[first]?.at;
        if (from !== undefined) setQuery({ from, to: endOf(last), range: null });
      }}
    />
  );
}
