// Overview: requests, spend, tokens, errors and speed over a chosen period, live.
import { useRef } from "preact/hooks";
import type { FiguresView } from "../admin/figures.ts";
import type { Overview } from "../admin/overview.ts";
import { withQuery } from "./api.ts";
import { Breakdown } from "./breakdown.tsx";
import { nowMs, runAfter } from "./browser.ts";
import {
  DAY_MS,
  formatCompact,
  formatDuration,
  formatPercent,
  formatUsd,
  formatUsdCompact,
} from "./format.ts";
import { useLive } from "./live.ts";
import { NearingCard } from "./nearing.tsx";
import { Segments } from "./parts/button.tsx";
import { Chart, Spark } from "./parts/chart.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Empty, Live, Loaded, Skeleton } from "./parts/states.tsx";
import { useResource } from "./resource.ts";
import { route, setQuery } from "./route.ts";
import { SavingsCard } from "./savings.tsx";
import { isMemberOnly, may } from "./session.ts";

const HOUR_MS = DAY_MS / 24;
const RANGES = [
  { value: "24h", label: "24 hours", ms: DAY_MS, step: "hour" },
  { value: "7d", label: "7 days", ms: 7 * DAY_MS, step: "hour" },
  { value: "30d", label: "30 days", ms: 30 * DAY_MS, step: "day" },
  { value: "90d", label: "90 days", ms: 90 * DAY_MS, step: "day" },
] as const;
type RangeName = (typeof RANGES)[number]["value"];
const DEFAULT_RANGE = RANGES[2];

/** Figures are refreshed at most this often while requests end. */
const REFRESH_MS = 1500;
const EVERY_MS = 30_000;

export function OverviewPage() {
  const name = route.value.query.get("range");
  const range = RANGES.find(({ value }) => value === name) ?? DEFAULT_RANGE;
  const spanned = choosePeriod(range.ms, range.step);
  const overview = useResource<Overview>(withQuery("/overview", { ...spanned, step: range.step }), EVERY_MS);
  const breakdown = useRef<() => Promise<void>>(async () => {});
  const isDue = useRef(false);
  const refresh = () => {
    if (isDue.current) return;
    isDue.current = true;
    runAfter(REFRESH_MS, () => {
      isDue.current = false;
      void Promise.all([overview.reload(), breakdown.current()]);
    });
  };
  const isLive = useLive(true, { onRow: refresh, onGap: refresh });
  const choose = (value: RangeName) => setQuery({ range: value });
  return (
    <div class="stack">
      <PageHead
        title="Overview"
        actions={
          <>
            <Live isOn={isLive} />
            <Segments label="Period" options={RANGES} value={range.value} onChange={choose} />
          </>
        }
      />
      {overview.isLoading ? (
        <LoadingCharts />
      ) : (
        <Loaded of={overview}>{(data) => <Charts data={data} />}</Loaded>
      )}
      <NearingCard />
      <Breakdown from={spanned.from} to={spanned.to} reloadRef={breakdown} />
      <SavingsCard />
    </div>
  );
}

/** Returns a period that ends with the current step, so that the query stays the same until the next step. */
function choosePeriod(ms: number, step: "hour" | "day"): { readonly from: string; readonly to: string } {
  const grain = step === "hour" ? HOUR_MS : DAY_MS;
  const end = Math.floor(nowMs() / grain) * grain + grain;
  return { from: new Date(end - ms).toISOString(), to: new Date(end).toISOString() };
}

function LoadingCharts() {
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

function Charts({ data }: { readonly data: Overview }) {
  const { totals, previous, series, step } = data;
  if (totals.requests === 0 && previous.requests === 0) return <NoTraffic />;
  const times = series.map(({ at }) => Date.parse(at));
  return (
    <div class="stack">
      <div class="tiles">
        {TILES.map((tile) => (
          <TileView key={tile.label} tile={tile} data={data} />
        ))}
      </div>
      <div class="charts">
        {CHARTS.map(({ title, describe, lines, ...look }) => (
          <Card key={title} title={title}>
            <Chart
              {...{ ...look, times, step }}
              label={describe(totals)}
              lines={lines.map(([label, color, pick]) => ({ label, color, values: series.map(pick) }))}
            />
          </Card>
        ))}
      </div>
    </div>
  );
}

function NoTraffic() {
  return (
    <Card>
      <Empty icon="overview" title="No traffic in this period">
        {may("own.keys.write") ? (
          <>
            Add a key under <a href="#/settings/router">Settings → {isMemberOnly() ? "Keys" : "Router"}</a>{" "}
            and point your SDK at this address
            {may("playground.use") && (
              <>
                , or try the <a href="#/playground">playground</a>
              </>
            )}
            . Requests appear here immediately.
          </>
        ) : (
          "Requests appear here immediately."
        )}
      </Empty>
    </Card>
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
    ...{ format: formatCompact, isBars: true, isWhole: true },
    lines: [
      ["Answered", "--c1", ({ requests, errors }) => requests - errors],
      ["Failed", "--c4", ({ errors }) => errors],
    ],
  },
  {
    title: "Spend",
    describe: ({ cost_usd }) => `Spend over time, ${formatUsd(cost_usd)} in total`,
    ...{ format: formatUsdCompact, isBars: true },
    lines: [
      ["Charged to balances", "--c2", ({ charged_usd }) => charged_usd],
      ["Within the allowance", "--c5", ({ cost_usd, charged_usd }) => Math.max(0, cost_usd - charged_usd)],
    ],
  },
  {
    title: "Tokens",
    describe: () => "Tokens over time",
    ...{ format: formatCompact, isBars: true, isWhole: true },
    lines: [
      ["Prompt", "--c5", ({ tokens }) => tokens.prompt],
      ["Answer", "--c1", ({ tokens }) => tokens.completion],
    ],
  },
  {
    title: "Time to first token",
    describe: () => "Time to the first token over time",
    ...{ format: formatDuration, isWhole: true },
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
}

const TILES: readonly Tile[] = [
  { label: "Requests", pick: ({ requests }) => requests, format: formatCompact },
  { label: "Spend", pick: ({ cost_usd }) => cost_usd, format: formatUsdCompact },
  { label: "Tokens", pick: ({ tokens }) => tokens.prompt + tokens.completion, format: formatCompact },
  {
    label: "Error rate",
    pick: ({ errors, requests }) => (requests === 0 ? null : errors / requests),
    ...{ format: formatPercent, isLessBetter: true, isShare: true, color: "--c2" },
  },
  {
    label: "Time to first token",
    pick: ({ first_token_ms }) => first_token_ms?.p50 ?? null,
    format: formatDuration,
    note: ({ first_token_ms: first }) =>
      first ? `95% within ${formatDuration(first.p95)}` : "no streamed answers",
  },
];

function TileView({ tile, data }: { readonly tile: Tile; readonly data: Overview }) {
  const { label, pick, format, isLessBetter, note, color } = tile;
  const { totals, previous, series } = data;
  const [now, before] = [pick(totals), pick(previous)];
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
  /** The change as a share of the previous value, or in points. */
  readonly share: number;
  readonly text: string;
}

/** Null if the previous period had nothing. */
function compare(now: number | null, before: number | null, { isShare }: Tile): Difference | null {
  if (now === null || before === null || (before === 0 && !isShare)) return null;
  const share = isShare ? now - before : now / before - 1;
  const sign = share > 0 ? "+" : share < 0 ? "−" : "±";
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
  const look = !isLessBetter ? "" : of.share < 0 ? "good" : of.share > WORSE_FROM ? "worse" : "";
  return (
    <>
      <span class={look}>{of.text}</span> vs. previous period
    </>
  );
}
