// Formats sums as Prometheus text (exposition format 0.0.4).
import { findRow, type MetricName, SHOWN } from "./metric-table.ts";
import type { Sums, Values } from "./sums.ts";

/** The upper bounds of the buckets of durations, in milliseconds. */
export const BUCKETS_MS = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000] as const;

/** Formats all metrics that have a sample. */
export function formatMetrics(sums: Sums): string {
  const lines = SHOWN.flatMap(({ name, of, type, help, per }) => {
    const series = Object.entries(sums[of] ?? {});
    if (series.length === 0) return [];
    const samples = series.flatMap(([label, values]) =>
      type === "histogram"
        ? formatHistogram(name, label, values, per)
        : [formatLine(name, label, (values[0] ?? 0) / per)],
    );
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
  });
  return `${lines.join("\n")}\n`;
}

function formatLine(name: string, label: string, value: number): string {
  return `${name}${label === "" ? "" : `{${label}}`} ${value}`;
}

function formatHistogram(name: string, label: string, [sum = 0, count = 0, ...counts]: Values, per: number) {
  const within = (bound: string) => (label === "" ? `le="${bound}"` : `${label},le="${bound}"`);
  return [
    ...BUCKETS_MS.map((ms, at) => formatLine(`${name}_bucket`, within(String(ms / per)), counts[at] ?? 0)),
    formatLine(`${name}_bucket`, within("+Inf"), count),
    formatLine(`${name}_sum`, label, sum / per),
    formatLine(`${name}_count`, label, count),
  ];
}

/** Formats a series' labels, without the braces around them. */
export function formatLabels(name: MetricName, valueAt: (label: string) => string): string {
  const { labels = [] } = findRow(name);
  return labels.map((label) => `${label}="${escapeLabel(valueAt(label))}"`).join(",");
}

/** Half a surrogate pair is replaced first, because it has no UTF-8 and two such names would become the same text. */
function escapeLabel(value: string): string {
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
