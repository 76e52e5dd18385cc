// The figures of a period: tiles with their change, and charts over time, which lead to the requests behind them.
import type { FiguresView } from "../../admin/log/figures.ts";
import type { Overview } from "../../admin/log/overview.ts";
import {
  formatCompact,
  formatDuration,
  formatPercent,
  formatUsd,
  formatUsdCompact,
} from "../frame/format.ts";
import { makeHref, navigate, route } from "../frame/route.ts";
import { type Filters, keepScope } from "../frame/scope.ts";
import { Chart, Spark } from "../parts/chart.tsx";
import { Card } from "../parts/page.tsx";
import { Skeleton } from "../parts/states.tsx";

export function LoadingCharts() {
  return (
    <div class="stack" role="status" aria-label="Loading">
      <div class="tiles">
        {Array.from({ length: 5 }, (_, at) => (
          <Skeleton key={at} height={118} />
        ))}
      </div>
      <Skeleton height={270} />
    </div>
  );
}

interface UsageChartsProps {
  readonly data: Overview;
  /** The filters of the requests behind the charts. */
  readonly filters: Filters;
  /** True if only the first two charts are shown. */
  readonly isShort?: boolean;
}

const SHORT = 2;

export function UsageCharts({ data, filters, isShort = false }: UsageChartsProps) {
  const { totals, series, step } = data;
  // Each step ends where the next one begins: some days have 23 or 25 hours.
  const endOf = (at: number) => series[at + 1]?.at ?? data.to;
  const steps = series.map(({ at, day }, index) => ({
    placeMs: Date.parse(day ?? at),
    endMs: Date.parse(endOf(index)),
  }));
  const show = (first: number, last: number) => {
    const from = series[first]?.at;
    if (from !== undefined) navigate("/activity", { ...filters, from, to: endOf(last) });
  };
  return (
    <div class="stack">
      <div class="tiles">
        {TILES.filter(({ isShown }) => isShown?.(totals) ?? true).map((tile) => (
          <TileView key={tile.label} tile={tile} data={data} />
        ))}
      </div>
      <div class="charts">
        {CHARTS.slice(0, isShort ? SHORT : CHARTS.length).map(({ title, describe, lines, ...look }) => (
          <Card key={title} title={title}>
            <Chart
              {...{ ...look, steps, step }}
              label={describe(totals)}
              onSpan={show}
              lines={lines.map(([label, color, pick]) => ({ label, color, values: series.map(pick) }))}
            />
          </Card>
        ))}
      </div>
    </div>
  );
}

/** A link to the requests of the period that is shown. */
export function RequestsLink({ filters = {} }: { readonly filters?: Filters }) {
  return (
    <a class="button" href={makeHref("/activity", { ...keepScope(route.value.query), ...filters })}>
      Requests
    </a>
  );
}

type Reading = (figures: FiguresView) => number | null;

/** A chart of figures over time. */
interface ChartRow {
  readonly title: string;
  /** Describes the chart to screen readers. */
  readonly describe: (totals: FiguresView) => string;
  readonly format: (value: number) => string;
  readonly isBars?: boolean;
  readonly isWhole?: boolean;
  readonly lines: readonly (readonly [label: string, color: string, pick: Reading])[];
}

const CHARTS: readonly ChartRow[] = [
  {
    title: "Requests",
    describe: ({ requests, errors }) => `Requests over time, ${requests} in total, ${errors} failed`,
    format: formatCompact,
    isBars: true,
    isWhole: true,
    lines: [
      ["Answered", "--c1", ({ requests, errors }) => requests - errors],
      ["Failed", "--c4", ({ errors }) => errors],
    ],
  },
  {
    title: "Cost",
    describe: ({ cost_usd }) => `Cost over time, ${formatUsd(cost_usd)} in total`,
    format: formatUsdCompact,
    isBars: true,
    lines: [
      ["Charged to balances", "--c2", ({ charged_usd }) => charged_usd],
      ["Within the allowance", "--c5", ({ cost_usd, charged_usd }) => Math.max(0, cost_usd - charged_usd)],
    ],
  },
  {
    title: "Tokens",
    describe: () => "Tokens over time",
    format: formatCompact,
    isBars: true,
    isWhole: true,
    lines: [
      ["Prompt", "--c5", ({ tokens }) => tokens.prompt],
      ["Answer", "--c1", ({ tokens }) => tokens.completion],
    ],
  },
  {
    title: "Time to first token",
    describe: () => "Time to the first token over time",
    format: formatDuration,
    isWhole: true,
    lines: [
      ["50% within", "--c1", ({ first_token_ms }) => first_token_ms?.p50 ?? null],
      ["95% within", "--c3", ({ first_token_ms }) => first_token_ms?.p95 ?? null],
    ],
  },
];

/** One figure: its value, its change since the previous period or a note, and its sparkline. */
interface Tile {
  readonly label: string;
  /** Returns null if unknown. */
  readonly pick: Reading;
  readonly format: (value: number) => string;
  /** Missing if neither more nor less is better. */
  readonly isLessBetter?: boolean;
  /** The value is a share, so its change is given in percentage points. */
  readonly isShare?: boolean;
  readonly note?: (totals: FiguresView) => string;
  readonly color?: string;
  /** Missing if it is always shown. */
  readonly isShown?: (totals: FiguresView) => boolean;
}

const TILES: readonly Tile[] = [
  { label: "Requests", pick: ({ requests }) => requests, format: formatCompact },
  { label: "Cost", pick: ({ cost_usd }) => cost_usd, format: formatUsdCompact },
  { label: "Tokens", pick: ({ tokens }) => tokens.prompt + tokens.completion, format: formatCompact },
  {
    label: "Error rate",
    pick: ({ errors, requests }) => (requests === 0 ? null : errors / requests),
    format: formatPercent,
    isLessBetter: true,
    isShare: true,
    color: "--c2",
  },
  {
    label: "Time to first token",
    pick: ({ first_token_ms }) => first_token_ms?.p50 ?? null,
    format: formatDuration,
    note: ({ first_token_ms: first }) =>
      first ? `95% within ${formatDuration(first.p95)}` : "no streamed answers",
  },
  {
    label: "Saved by the cache",
    pick: ({ saved_usd }) => saved_usd,
    format: formatUsdCompact,
    note: ({ cached }) => `${formatCompact(cached)} ${cached === 1 ? "answer" : "answers"} from it`,
    isShown: ({ cached }) => cached > 0,
  },
];

function TileView({ tile, data }: { readonly tile: Tile; readonly data: Overview }) {
  const { label, pick, format, isLessBetter, note, color } = tile;
  const { totals, previous, series } = data;
  const now = pick(totals);
  const before = pick(previous);
  return (
    <section class="card tile" aria-label={label}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">{now === null ? "–" : format(now)}</span>
      <span class="tile-note small faint">
        {note ? note(totals) : <Change of={compare(now, before, tile)} isLessBetter={isLessBetter} />}
      </span>
      <Spark values={series.map((figures) => pick(figures) ?? 0)} color={color} />
    </section>
  );
}

interface Difference {
  /** The change as a share of the previous value, or in points; 0 if it would be shown as none. */
  readonly share: number;
  readonly text: string;
}

/** Null if the previous period had nothing. */
function compare(now: number | null, before: number | null, { isShare }: Tile): Difference | null {
  if (now === null || before === null || (before === 0 && !isShare)) return null;
  const share = Math.round((isShare ? now - before : now / before - 1) * 1000) / 1000;
  const sign = share > 0 ? "+" : "−";
  const size = isShare
    ? `${Number((Math.abs(share) * 100).toFixed(1))} points`
    : formatPercent(Math.abs(share));
  return { share, text: `${sign}${size}` };
}

interface ChangeProps {
  readonly of: Difference | null;
  readonly isLessBetter: boolean | undefined;
}

/** A difference up to this is no news. */
const WORSE_FROM = 0.01;

function Change({ of, isLessBetter }: ChangeProps) {
  if (of === null) return "nothing to compare with";
  if (of.share === 0) return "unchanged";
  const look = !isLessBetter ? "" : of.share < 0 ? "good" : of.share > WORSE_FROM ? "worse" : "";
  return (
    <>
      <span class={look}>{of.text}</span> vs. previous
    </>
  );
}
