// A chart's span by keyboard: arrows reach a step, Shift extends the span, Enter opens it, Escape lets it go.
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type uPlot from "uplot";

/** The steps that the keys have reached, by index. The span lies between them, whichever is the first. */
interface SearchRange {
  readonly anchor: number;
  readonly at: number;
}

interface ChartKeysProps {
  readonly plot: RefObject<uPlot | null>;
  readonly label: string;
  /** Each step's place on the axis in Unix milliseconds. */
  readonly places: readonly number[];
  /** Words for a step, such as its time and figures. */
  readonly describe: (at: number) => string;
  /** Called with the first and the last step. */
  readonly onOpen: (first: number, last: number) => void;
}

/** Returns the attributes and handlers that make an element a slider over the chart's steps. */
export function useChartKeys({ plot, label, places, describe, onOpen }: ChartKeysProps) {
  const [span, setSpan] = useState<SearchRange | null>(null);
  const most = places.length - 1;
  // The figures may have become fewer since.
  const reach = (at: number) => Math.max(0, Math.min(at, most));
  const show = (next: SearchRange | null) => {
    setSpan(next);
    if (plot.current) drawSpan(plot.current, next, places);
  };
  const moveTo = (wanted: number, isExtending: boolean) => {
    const at = reach(wanted);
    show({ at, anchor: isExtending && span ? reach(span.anchor) : at });
  };
  const moves: Readonly<Record<string, (from: number) => number>> = {
    ArrowLeft: (from) => from - 1,
    ArrowRight: (from) => from + 1,
    Home: () => 0,
    End: () => most,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = moves[event.key];
    if (move) moveTo(span ? move(span.at) : most, event.shiftKey);
    else if (event.key === "Enter" && span) onOpen(...order(span));
    else if (event.key === "Escape" && span) show(null);
    else return;
    event.preventDefault();
  };
  const at = reach(span?.at ?? most);
  return {
    role: "slider" as const,
    tabIndex: 0,
    "aria-label": `${label}. Arrow keys choose a step, Shift a span; Enter shows its requests`,
    "aria-valuemin": 0,
    "aria-valuemax": most,
    "aria-valuenow": at,
    "aria-valuetext": span ? describeSpan(span, describe) : describe(at),
    onKeyDown,
    onBlur: () => span && show(null),
  };
}

function order({ anchor, at }: SearchRange): readonly [first: number, last: number] {
  return [Math.min(anchor, at), Math.max(anchor, at)];
}

function describeSpan(span: SearchRange, describe: (at: number) => string): string {
  const [first, last] = order(span);
  return first === last ? describe(first) : `From ${describe(first)} to ${describe(last)}`;
}

/** Marks the span as the mouse does, and shows the figures of the step that the keys have reached. */
function drawSpan(plot: uPlot, span: SearchRange | null, places: readonly number[]): void {
  const height = plot.over.clientHeight;
  if (span === null) {
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    plot.setCursor({ left: -1, top: -1 });
    return;
  }
  const place = (at: number) => plot.valToPos((places[at] ?? 0) / 1000, "x");
  const [first, last] = order(span);
  const half = places.length > 1 ? (place(1) - place(0)) / 2 : plot.over.clientWidth / 2;
  plot.setSelect(
    { left: place(first) - half, top: 0, width: place(last) - place(first) + 2 * half, height },
    false,
  );
  plot.setCursor({ left: place(span.at), top: height / 2 });
}
