// Charts over time, drawn by uPlot in the console's colours: stacked bars, or lines.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { nowMs } from "../browser.ts";
import { isDarkChosen } from "../frame/theme.tsx";
import { useChartKeys } from "./chart-keys.ts";

interface ChartLine {
  readonly label: string;
  /** The name of a CSS custom property: `--c1`. */
  readonly color: string;
  /** Null where the value is unknown. */
  readonly values: readonly (number | null)[];
  /** True for a dashed line in front of bars, to compare them with. */
  readonly isGhost?: true;
}

/** An hour, or a day of the gateway. */
interface ChartStep {
  /** Its place on the axis, in Unix milliseconds: an hour's start; midnight UTC of a day's date, wherever the day begins. */
  readonly placeMs: number;
  /** When it ends, in Unix milliseconds. */
  readonly endMs: number;
}

interface ChartProps {
  readonly label: string;
  readonly steps: readonly ChartStep[];
  readonly lines: readonly ChartLine[];
  readonly isBars?: boolean;
  /** In pixels. */
  readonly height?: number;
  /** True if fractions make no sense: the axis has whole numbers only. */
  readonly isWhole?: boolean;
  readonly format: (value: number) => string;
  readonly step: "hour" | "day";
  /** Called with the first and the last of the steps that were brushed or clicked, by index. */
  readonly onSpan?: (first: number, last: number) => void;
}

const HEIGHT = 196;
/** The increments of an axis of whole numbers. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

export function Chart(props: ChartProps) {
  const { label, lines, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const drawn = usePlot(props, box, setAt);
  const places = listPlaces(props);
  const describe = (step: number) =>
    [
      timeText(places[step] ?? 0, props.step),
      ...lines.map(({ label, values }) => `${label} ${formatKnown(values[step], format)}`),
    ].join(", ");
  const keys = useChartKeys({
    plot: drawn,
    label,
    places,
    describe,
    onOpen: (first, last) => props.onSpan?.(first, last),
  });
  if (lines.every(({ values }) => values.every((value) => value === null)))
    return <p class="faint chart-empty">Nothing was measured in this period.</p>;
  return (
    <figure>
      <Legend chart={props} at={at} />
      <div
        ref={box}
        class={props.onSpan ? "chart brushed" : "chart"}
        {...(props.onSpan ? keys : { role: "img", "aria-label": label })}
        title={props.onSpan && "Drag over a span, or click, to see its requests"}
        style={{ minHeight: `${props.height ?? HEIGHT}px` }}
      />
    </figure>
  );
}

/** Draws the plot into an element, again when its data or the page's colours change. */
function usePlot(
  props: ChartProps,
  box: RefObject<HTMLDivElement | null>,
  onPoint: (at: number | null) => void,
) {
  const drawn = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const isDark = useDark();
  const shape = JSON.stringify([props.steps, props.lines.map(({ label, values }) => [label, values])]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const plot = new uPlot(makeOptions(props, element, onPoint, latest), makeData(props), element);
    drawn.current = plot;
    const watch = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: props.height ?? HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
      drawn.current = null;
    };
  }, [shape, isDark]);
  return drawn;
}

interface LegendProps {
  readonly chart: ChartProps;
  /** The step under the pointer. */
  readonly at: number | null;
}

function Legend({ chart, at }: LegendProps) {
  const place = at === null ? undefined : listPlaces(chart)[at];
  return (
    <figcaption class="legend">
      {chart.lines.map((line) => {
        const value = at === null ? null : line.values[at];
        return (
          <span key={line.label}>
            <i style={{ background: `var(${line.color})` }} />
            {line.label}
            {value !== null && value !== undefined && <b>{chart.format(value)}</b>}
          </span>
        );
      })}
      <span class="legend-time faint">{place === undefined ? "" : timeText(place, chart.step)}</span>
    </figcaption>
  );
}

function formatKnown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "unknown" : format(value);
}

function listPlaces({ steps }: ChartProps): readonly number[] {
  return steps.map(({ placeMs }) => placeMs);
}

const DAY_SECONDS = 86_400;

/** Returns the margin in seconds that keeps the first and last bars from being cut off. */
function halfStep({ step }: ChartProps): number {
  return step === "day" ? DAY_SECONDS / 2 : DAY_SECONDS / 48;
}

function chooseZone(step: "hour" | "day"): { readonly timeZone?: string } {
  return step === "day" ? { timeZone: "UTC" } : {};
}

function timeText(placeMs: number, step: "hour" | "day"): string {
  const time = step === "hour" ? ({ hour: "2-digit", minute: "2-digit" } as const) : chooseZone(step);
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...time,
  }).format(placeMs);
}

function useDark(): boolean {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const take = () => setDark(query.matches);
    query.addEventListener("change", take);
    return () => query.removeEventListener("change", take);
  }, []);
  return isDarkChosen() ?? isDark;
}

/** Returns the chart's data. Bars are stacked: each includes those below it and is drawn behind them. */
function makeData(props: ChartProps): uPlot.AlignedData {
  const { lines, isBars } = props;
  const seconds = listPlaces(props).map((ms) => ms / 1000);
  if (!isBars) return [seconds, ...lines.map((line) => [...line.values])];
  const bars = lines.filter(({ isGhost }) => !isGhost);
  const ghosts = lines.filter(({ isGhost }) => isGhost);
  const sums: number[][] = [];
  for (const { values } of bars) {
    const below = sums.at(-1);
    sums.push(seconds.map((_, at) => (below?.[at] ?? 0) + (values[at] ?? 0)));
  }
  return [seconds, ...sums.reverse(), ...ghosts.map(({ values }) => [...values])];
}

function makeOptions(
  props: ChartProps,
  element: HTMLElement,
  onPoint: (at: number | null) => void,
  latest: { readonly current: ChartProps },
): uPlot.Options {
  const { lines, isBars } = props;
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const drawn = isBars
    ? [...lines.filter(({ isGhost }) => !isGhost).reverse(), ...lines.filter(({ isGhost }) => isGhost)]
    : lines;
  return {
    width: element.clientWidth,
    height: props.height ?? HEIGHT,
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: props.onSpan !== undefined, y: false, setScale: false },
      points: { show: !isBars },
    },
    padding: [8, 10, 0, 0],
    // Days stand at midnight UTC.
    ...(props.step === "day"
      ? { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") }
      : {}),
    scales: {
      x: { range: (_, min, max) => (isBars ? [min - halfStep(props), max + halfStep(props)] : [min, max]) },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.06 : 1] },
    },
    axes: makeAxes(props, `11px ${style.fontFamily}`, color),
    series: [{}, ...drawn.map((line) => makeSeries(props, line, color))],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      ready: [(plot) => watchSpans(plot, latest)],
    },
  };
}

function makeAxes(
  { isWhole, format, step }: ChartProps,
  font: string,
  color: (name: string) => string,
): uPlot.Axis[] {
  const axis = { stroke: color("--text-faint"), font, ticks: { show: false } };
  return [
    {
      ...axis,
      size: 30,
      grid: { show: false },
      space: 64,
      values: (_, splits) => axisTimes(splits, step),
    },
    {
      ...axis,
      size: 56,
      grid: { stroke: color("--line"), width: 1 },
      space: 36,
      ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
      values: (_, splits) => splits.map((value) => format(value)),
    },
  ];
}

function makeSeries(
  props: ChartProps,
  { label, values, color: name, isGhost }: ChartLine,
  read: (name: string) => string,
): uPlot.Series {
  const color = read(name);
  const surface = read("--surface");
  const known = values.filter((value) => value !== null);
  return {
    label,
    stroke: color,
    spanGaps: true,
    ...(isGhost ? { dash: [5, 4], width: 1.5, points: { show: false } } : {}),
    ...(props.isBars && !isGhost
      ? { fill: color, width: 0, paths: makeBars(props, color, surface), points: { show: false } }
      : isGhost
        ? {}
        : { width: 2, points: { show: known.length < 3 } }),
  };
}

/** Tells of the steps between the mouse's button going down and up, which may be one. */
function watchSpans(plot: uPlot, latest: { readonly current: ChartProps }): void {
  let start: number | null = null;
  const { over } = plot;
  over.addEventListener("mousedown", () => {
    start = plot.cursor.idx ?? null;
  });
  over.addEventListener("mouseup", () => {
    const end = plot.cursor.idx ?? start;
    const from = Math.min(start ?? 0, end ?? 0);
    const to = Math.max(start ?? 0, end ?? 0);
    const isPressed = start !== null;
    start = null;
    if (isPressed) latest.current.onSpan?.(from, to);
  });
}

/** Bars, with that of the running step paler, since it has yet to grow. */
function makeBars({ steps }: ChartProps, color: string, surface: string): uPlot.Series.PathBuilder {
  // Not transparent, since bars stand in front of each other.
  const paler = `color-mix(in srgb, ${color} 50%, ${surface})`;
  const colors = steps.map(({ endMs }) => (endMs <= nowMs() ? color : paler));
  const each = { unit: 3, values: () => colors };
  const build = uPlot.paths.bars?.({ size: [0.72, 28, 1], radius: 0.12, disp: { fill: each, stroke: each } });
  if (!build) throw new Error("uPlot has no bars.");
  return build;
}

function axisTimes(splits: readonly number[], step: "hour" | "day"): string[] {
  const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...chooseZone(step) });
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (step === "day")
    return splits.map((seconds) => (seconds % DAY_SECONDS === 0 ? short.format(seconds * 1000) : ""));
  return splits.map((seconds) => {
    const at = new Date(seconds * 1000);
    return at.getHours() === 0 && at.getMinutes() === 0 ? short.format(at) : clock.format(at);
  });
}
