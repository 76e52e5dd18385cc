// Formats sums as Prometheus text (exposition format 0.0.4).
import { findRow, type MetricName, SHOWN } from "./metric-table.ts";
import type { Sums, Values } from "./sums.ts";

/** Formats all metrics that have a sample. */
export function formatMetrics(sums: Sums): string {
  const lines = SHOWN.flatMap(({ name, of, type, help, per, bounds = [] }) => {
    const series = Object.entries(sums[of] ?? {});
    if (series.length === 0) return [];
    const samples = series.flatMap(([label, values]) =>
      type === "histogram"
        ? formatHistogram({ name, per, bounds }, label, values)
        : [formatLine(name, label, (values[0] ?? 0) / per)],
    );
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
  });
  return `${lines.join("\n")}\n`;
}

/** Returns the value of a metric without labels in the text that `formatMetrics` made, of one process or of several. 0 if it has none. */
export function readValue(text: string, name: MetricName): number {
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}

function formatLine(name: string, label: string, value: number): string {
  return `${name}${label === "" ? "" : `{${label}}`} ${value}`;
}

function formatHistogram(
  { name, per, bounds }: { readonly name: string; readonly per: number; readonly bounds: readonly number[] },
  label: string,
  [sum = 0, count = 0, ...counts]: Values,
) {
  const within = (bound: string) => (label === "" ? `le="${bound}"` : `${label},le="${bound}"`);
  return [
    ...bounds.map((one, at) => formatLine(`${name}_bucket`, within(String(one / per)), counts[at] ?? 0)),
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

/** Nearly all values: nothing in them is escaped. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Half a surrogate pair is replaced first, because it has no UTF-8 and two such names would become the same text. */
function escapeLabel(value: string): string {
  if (PLAIN.test(value)) return value;
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
