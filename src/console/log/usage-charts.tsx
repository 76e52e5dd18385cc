// The figures of a period: tiles with their change, and charts over time, which lead to the requests behind them.
import { useState } from "preact/hooks";
import type { FiguresView } from "../../admin/log/figures.ts";
import type { Overview } from "../../admin/log/overview.ts";
import { formatCompact, formatDuration, formatPercent, formatUsdCompact } from "../frame/format.ts";
import { makeHref, route } from "../frame/route.ts";
import { type Filters, keepScope } from "../frame/scope.ts";
import { Spark } from "../parts/spark.tsx";
import { LoadingCell, Skeleton } from "../parts/states.tsx";
import { CHART_HEIGHT, type Group, MainChart, type Measure, nameShift, usePrevious } from "./main-chart.tsx";

export function LoadingCharts() {
  return (
    <div class="stack" role="status" aria-label="Loading">
      <div class="tiles">
        {Array.from({ length: 5 }, (_, at) => (
          <Skeleton key={at} height={107} />
        ))}
      </div>
      <Skeleton height={CHART_HEIGHT} />
    </div>
  );
}

interface UsageChartsProps {
  readonly data: Overview;
  /** The filters of the requests behind the charts. */
  readonly filters: Filters;
  /** The grouping by which the chart is stacked at first. */
  readonly by?: Group;
}

/** Tiles with the figures, each of which the chart below shows over time when it is pressed. */
export function UsageCharts({ data, filters, by = "model" }: UsageChartsProps) {
  const [measure, setMeasure] = useState<Measure>("cost");
  const { totals } = data;
  const before = usePrevious(data, filters);
  const shown = TILES.filter(({ isShown }) => isShown?.(totals) ?? true);
  return (
    <div class="stack">
      <div class="tiles">
        {shown.map((tile) => (
          <TileView
            key={tile.label}
            tile={tile}
            data={data}
            before={before?.totals}
            isPressed={tile.measure === measure}
            onPress={setMeasure}
          />
        ))}
      </div>
      <MainChart data={data} filters={filters} measure={measure} first={by} />
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

type ReadFigure = (figures: FiguresView) => number | null;

/** One figure: its value, its change since the period before or a note, and its sparkline. */
interface Tile {
  readonly label: string;
  /** The chart's measure once the tile is pressed. Missing if it has none. */
  readonly measure?: Measure;
  /** Returns null if unknown. */
  readonly pick: ReadFigure;
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
  { label: "Requests", measure: "requests", pick: ({ requests }) => requests, format: formatCompact },
  { label: "Cost", measure: "cost", pick: ({ cost_usd }) => cost_usd, format: formatUsdCompact },
  {
    label: "Tokens",
    measure: "tokens",
    pick: ({ tokens }) => tokens.prompt + tokens.completion,
    format: formatCompact,
  },
  {
    label: "Error rate",
    measure: "errors",
    pick: ({ errors, requests }) => (requests === 0 ? null : errors / requests),
    format: formatPercent,
    isLessBetter: true,
    isShare: true,
    color: "--c2",
  },
  {
    label: "Time to first token",
    measure: "time",
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

interface TileProps {
  readonly tile: Tile;
  readonly data: Overview;
  /** Undefined until it is known, and if there is nothing to compare with. */
  readonly before: FiguresView | undefined;
  readonly isPressed: boolean;
  readonly onPress: (measure: Measure) => void;
}

function TileView({ tile, data, before, isPressed, onPress }: TileProps) {
  const { label, measure, pick, format, isLessBetter, note, color } = tile;
  const { totals, previous_is_whole: isWhole, series } = data;
  const now = pick(totals);
  const change = before && compare(now, pick(before), tile);
  return (
    <section class={measure === undefined ? "tile" : "tile switch"} aria-label={label}>
      {measure === undefined ? (
        <span class="tile-label">{label}</span>
      ) : (
        <button
          type="button"
          class="tile-label"
          aria-pressed={isPressed}
          title="Show it over time"
          onClick={() => onPress(measure)}
        >
          {label}
        </button>
      )}
      <span class="tile-value">{now === null ? "–" : format(now)}</span>
      <span class="tile-note small faint">
        {note ? (
          note(totals)
        ) : isWhole && !before ? (
          <LoadingCell />
        ) : (
          <Change of={change ?? null} than={nameShift(data)} isLessBetter={isLessBetter} />
        )}
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

/** Null if there is nothing to compare with. */
function compare(now: number | null, before: number | null, { isShare }: Tile): Difference | null {
  if (now === null || before === null || (before === 0 && !isShare)) return null;
  const share = Math.round((isShare ? now - before : now / before - 1) * 1000) / 1000;
  const sign = share > 0 ? "+" : "−";
  const size = isShare
    ? `${Number((Math.abs(share) * 100).toFixed(1))} points`
    : formatPercent(Math.abs(share));
  return { share, text: `${sign}${size}` };
}

interface DifferenceProps {
  readonly of: Difference | null;
  /** The period before, by its name. */
  readonly than: string;
  readonly isLessBetter: boolean | undefined;
}

/** A difference up to this is no news. */
const WORSE_FROM = 0.01;

function Change({ of, than, isLessBetter }: DifferenceProps) {
  if (of === null) return "nothing to compare with";
  if (of.share === 0) return "unchanged";
  const look = !isLessBetter ? "" : of.share < 0 ? "good" : of.share > WORSE_FROM ? "worse" : "";
  return (
    <>
      <span class={look}>{of.text}</span> vs. {than}
    </>
  );
}
