// Overview: requests, spend, tokens, errors and speed over a chosen time, live.
import { useRef } from "preact/hooks";
import type { FiguresView } from "../admin/figures.ts";
import type { Overview } from "../admin/overview.ts";
import { withQuery } from "./api.ts";
import { Breakdown } from "./breakdown.tsx";
import { later, nowMs } from "./browser.ts";
import { compact, DAY_MS, percent, span, usd, usdCompact } from "./format.ts";
import { useLive } from "./live.ts";
import { Segments } from "./parts/button.tsx";
import { Chart, Spark } from "./parts/chart.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Empty, Live, Loaded, Skeleton } from "./parts/states.tsx";
import { useResource } from "./resource.ts";
import { place, setFields } from "./route.ts";
import { SavingsCard } from "./savings.tsx";

const HOUR_MS = DAY_MS / 24;
const RANGES = [
  { value: "24h", label: "24 hours", ms: DAY_MS, step: "hour" },
  { value: "7d", label: "7 days", ms: 7 * DAY_MS, step: "hour" },
  { value: "30d", label: "30 days", ms: 30 * DAY_MS, step: "day" },
  { value: "90d", label: "90 days", ms: 90 * DAY_MS, step: "day" },
] as const;
type RangeName = (typeof RANGES)[number]["value"];
const DEFAULT_RANGE = RANGES[2];

/** New figures come at most this often while requests end. */
const REFRESH_MS = 1500;
const EVERY_MS = 30_000;

export function OverviewPage() {
  const name = place.value.query.get("range");
  const range = RANGES.find(({ value }) => value === name) ?? DEFAULT_RANGE;
  const spanned = spanOf(range.ms, range.step);
  const overview = useResource<Overview>(withQuery("/overview", { ...spanned, step: range.step }), EVERY_MS);
  const breakdown = useRef<() => Promise<void>>(async () => {});
  const isDue = useRef(false);
  const refresh = () => {
    if (isDue.current) return;
    isDue.current = true;
    later(REFRESH_MS, () => {
      isDue.current = false;
      void Promise.all([overview.reload(), breakdown.current()]);
    });
  };
  const isLive = useLive(true, { onRow: refresh, onGap: refresh });
  const choose = (value: RangeName) => setFields({ range: value });
  return (
    <div class="stack">
      <PageHead
        title="Overview"
        actions={
          <>
            <Live isOn={isLive} />
            <Segments label="Time" options={RANGES} value={range.value} onChange={choose} />
          </>
        }
      />
      {overview.isLoading ? (
        <LoadingFigures />
      ) : (
        <Loaded of={overview}>{(data) => <FiguresOf data={data} />}</Loaded>
      )}
      <Breakdown from={spanned.from} to={spanned.to} reloadRef={breakdown} />
      <SavingsCard />
    </div>
  );
}

/** Whole steps up to the end of the one that is under way, so that the same question is asked for a while. */
function spanOf(ms: number, step: "hour" | "day"): { readonly from: string; readonly to: string } {
  const grain = step === "hour" ? HOUR_MS : DAY_MS;
  const end = Math.floor(nowMs() / grain) * grain + grain;
  return { from: new Date(end - ms).toISOString(), to: new Date(end).toISOString() };
}

function LoadingFigures() {
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

function FiguresOf({ data }: { readonly data: Overview }) {
  const { totals, previous, series } = data;
  if (totals.requests === 0 && previous.requests === 0) return <NothingYet />;
  return (
    <div class="stack">
      <Tiles totals={totals} previous={previous} series={series} />
      <div class="charts">
        <RequestsChart data={data} />
        <SpendChart data={data} />
        <TokensChart data={data} />
        <SpeedChart data={data} />
      </div>
    </div>
  );
}

function NothingYet() {
  return (
    <Card>
      <Empty icon="overview" title="No traffic in this time">
        Add a key under <a href="#/settings/router">Settings → Router</a> and point your SDK at this address,
        or ask something in the <a href="#/playground">playground</a>: what comes in is counted here at once.
      </Empty>
    </Card>
  );
}

interface Part {
  readonly data: Overview;
}

function courseOf({ series, step }: Overview) {
  const times = series.map(({ at }) => Date.parse(at));
  return { times, step, line: (pick: (figures: FiguresView) => number | null) => series.map(pick) };
}

function RequestsChart({ data }: Part) {
  const { times, step, line } = courseOf(data);
  const lines = [
    { label: "Answered", color: "--c1", values: line(({ requests, errors }) => requests - errors) },
    { label: "Failed", color: "--c4", values: line(({ errors }) => errors) },
  ];
  const label = `Requests over time, ${data.totals.requests} in all, ${data.totals.errors} of them failed`;
  return (
    <Card title="Requests">
      <Chart {...{ label, times, step, lines }} format={compact} isBars isWhole />
    </Card>
  );
}

function SpendChart({ data }: Part) {
  const { times, step, line } = courseOf(data);
  const free = ({ cost_usd, charged_usd }: FiguresView) => Math.max(0, cost_usd - charged_usd);
  const lines = [
    { label: "Charged to balances", color: "--c2", values: line(({ charged_usd }) => charged_usd) },
    { label: "Within the allowance", color: "--c5", values: line(free) },
  ];
  const label = `Spend over time, ${usd(data.totals.cost_usd)} in all`;
  return (
    <Card title="Spend">
      <Chart {...{ label, times, step, lines }} format={usdCompact} isBars />
    </Card>
  );
}

function TokensChart({ data }: Part) {
  const { times, step, line } = courseOf(data);
  const lines = [
    { label: "Prompt", color: "--c5", values: line(({ tokens }) => tokens.prompt) },
    { label: "Answer", color: "--c1", values: line(({ tokens }) => tokens.completion) },
  ];
  return (
    <Card title="Tokens">
      <Chart {...{ times, step, lines }} label="Tokens over time" format={compact} isBars isWhole />
    </Card>
  );
}

function SpeedChart({ data }: Part) {
  const { times, step, line } = courseOf(data);
  const lines = [
    {
      label: "Half within",
      color: "--c1",
      values: line(({ first_token_ms }) => first_token_ms?.p50 ?? null),
    },
    { label: "95% within", color: "--c3", values: line(({ first_token_ms }) => first_token_ms?.p95 ?? null) },
  ];
  return (
    <Card title="Time to first token">
      <Chart {...{ times, step, lines }} label="Time to the first token over time" format={span} isWhole />
    </Card>
  );
}

function Tiles({ totals, previous, series }: Pick<Overview, "totals" | "previous" | "series">) {
  const allTokens = ({ tokens }: FiguresView) => tokens.prompt + tokens.completion;
  const errorShare = ({ errors, requests }: FiguresView) => (requests === 0 ? 0 : errors / requests);
  const first = totals.first_token_ms;
  return (
    <div class="tiles">
      <Tile
        label="Requests"
        value={compact(totals.requests)}
        now={totals.requests}
        before={previous.requests}
        course={series.map(({ requests }) => requests)}
      />
      <Tile
        label="Spend"
        value={usdCompact(totals.cost_usd)}
        now={totals.cost_usd}
        before={previous.cost_usd}
        course={series.map(({ cost_usd }) => cost_usd)}
      />
      <Tile
        label="Tokens"
        value={compact(allTokens(totals))}
        now={allTokens(totals)}
        before={allTokens(previous)}
        course={series.map(allTokens)}
      />
      <Tile
        label="Error rate"
        value={percent(errorShare(totals))}
        now={errorShare(totals)}
        before={errorShare(previous)}
        isLessBetter
        course={series.map(errorShare)}
      />
      <Tile
        label="Time to first token"
        value={first ? span(first.p50) : "–"}
        note={first ? `95% within ${span(first.p95)}` : "no streamed answers"}
        now={first?.p50 ?? 0}
        before={previous.first_token_ms?.p50 ?? 0}
        isLessBetter
        course={series.map(({ first_token_ms }) => first_token_ms?.p50 ?? 0)}
      />
    </div>
  );
}

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly now: number;
  readonly before: number;
  readonly isLessBetter?: boolean;
  readonly course: readonly number[];
}

function Tile({ label, value, note, now, before, isLessBetter, course }: TileProps) {
  const gain = before > 0 ? now / before - 1 : null;
  // More requests or spend is neither good nor bad.
  const isGood = isLessBetter && gain !== null && gain < 0;
  const isBad = isLessBetter && gain !== null && gain > 0.05;
  return (
    <section class="card tile" aria-label={label}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">{value}</span>
      <span class="tile-note">
        {note ??
          (gain === null ? (
            "nothing before to compare"
          ) : (
            <>
              <span class={isGood ? "good" : isBad ? "worse" : ""}>
                {gain > 0 ? "+" : gain < 0 ? "−" : "±"}
                {percent(Math.abs(gain))}
              </span>{" "}
              to the time before
            </>
          ))}
      </span>
      <Spark values={course} color={label === "Error rate" ? "--c2" : "--c1"} />
    </section>
  );
}
