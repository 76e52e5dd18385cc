// The report of a benchmark: tables, bars for the plot, and which aims are met.
import { shown } from "./figures.ts";

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One aim of the project, and its measured value. */
export interface Aim {
  readonly what: string;
  /** NaN if this run can't measure it. */
  readonly measured: number;
  readonly unit: string;
  /** Null if it is only reported. */
  readonly atMost: number | null;
  /** The bound of a figure that should be high. */
  readonly atLeast?: number;
}

/** A group of bars in the plot. */
export interface Bars {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

export interface Finding {
  readonly title: string;
  readonly note: string;
  readonly tables: readonly Table[];
  readonly aims: readonly Aim[];
  readonly bars: readonly Bars[];
}

export function tableText({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export function findingText({ title, note, tables }: Finding): string {
  return [`## ${title}`, note, ...tables.map(tableText)].join("\n\n");
}

function isReached({ measured, atMost, atLeast }: Aim): boolean {
  return (atMost === null || measured <= atMost) && (atLeast === undefined || measured >= atLeast);
}

export function aimsText(aims: readonly Aim[]): string {
  const rows = aims.map((aim) => {
    const bounds = [
      ...(aim.atMost === null ? [] : [`at most ${shown(aim.atMost)}`]),
      ...(aim.atLeast === undefined ? [] : [`at least ${shown(aim.atLeast)}`]),
    ];
    const isTold = !Number.isNaN(aim.measured);
    return [
      aim.what,
      bounds.length === 0 ? "" : `${bounds.join(", ")} ${aim.unit}`.trimEnd(),
      isTold ? `${shown(aim.measured)} ${aim.unit}`.trimEnd() : "within the noise",
      bounds.length === 0 ? "" : !isTold ? "not told" : isReached(aim) ? "yes" : "**no**",
    ];
  });
  return tableText({ head: ["", "aim", "measured", "reached"], rows });
}

const WIDTH = 760;
const LABEL = 150;
const BAR = 18;
const COLOURS: Readonly<Record<string, string>> = { Poundkey: "#2f6fde", "pass-through": "#9aa4b2" };

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** All groups of bars, one below the other, each on its own scale. */
export function plot(groups: readonly Bars[]): string {
  const parts: string[] = [];
  let y = 24;
  for (const { title, unit, bars } of groups) {
    const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
    parts.push(`<text x="12" y="${y}" font-weight="bold">${escaped(`${title}, ${unit}`)}</text>`);
    y += 8;
    for (const { name, value } of bars) {
      const width = Math.max(1, (value / most) * (WIDTH - LABEL - 90));
      const colour = COLOURS[name] ?? "#d08a3c";
      parts.push(
        `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
        `<rect x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 4}" fill="${colour}"/>`,
        `<text x="${(LABEL + width + 6).toFixed(1)}" y="${y + 12}">${shown(value)}</text>`,
      );
      y += BAR;
    }
    y += 26;
  }
  const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" font-family="sans-serif" font-size="12" fill="#222">`;
  return `${frame}\n<title>What the benchmarks found, as bars</title>\n<rect width="100%" height="100%" fill="#fff"/>\n${parts.join("\n")}\n</svg>\n`;
}

/** A line through points, its scale from zero. */
export function plotLine(title: string, points: readonly (readonly [number, number])[]): string {
  const width = WIDTH;
  const height = 260;
  const left = 50;
  const bottom = 30;
  const most = Math.max(...points.map(([, y]) => y), 1) * 1.1;
  const last = Math.max(...points.map(([x]) => x), 1e-9);
  const at = ([x, y]: readonly [number, number]) =>
    `${(left + (x / last) * (width - left - 20)).toFixed(1)},${(height - bottom - (y / most) * (height - bottom - 40)).toFixed(1)}`;
  const marks = [0, 0.5, 1].flatMap((share) => [
    `<text x="${left - 6}" y="${height - bottom - share * (height - bottom - 40) + 4}" text-anchor="end">${shown(share * most)}</text>`,
    `<text x="${left + share * (width - left - 20)}" y="${height - 10}" text-anchor="middle">${shown(share * last)}</text>`,
  ]);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="#222">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="12" y="20" font-weight="bold">${escaped(title)}</text>
${marks.join("\n")}
<polyline fill="none" stroke="#2f6fde" stroke-width="1.5" points="${points.map(at).join(" ")}"/>
</svg>
`;
}
