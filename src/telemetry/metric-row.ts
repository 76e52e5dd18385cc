// A row of the table of metrics, and what rows of one kind share.
import { NANO_PER_USD } from "../core/money/money.ts";

export interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence for `# HELP` and the docs. */
  readonly help: string;
  /** The unit of the value, for the docs. */
  readonly unit: string;
  /** Missing if it has only one series. */
  readonly labels?: readonly string[];
  /** The number of counted units that make one shown unit. Whole numbers add up exactly in any order, fractions don't. */
  readonly per?: number;
  /** Set if the value isn't counted but read at each scrape. */
  readonly isRead?: true;
  /** The name of the log events that it counts. Its labels are their fields. */
  readonly on?: string;
  /** The field without which an event isn't counted. */
  readonly only?: string;
  /** The events' field to add. Without it, each adds 1. */
  readonly by?: string;
  /** The events' fields for labels that are named otherwise. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The way in which the workers' values are combined. Without it, they are added. */
  readonly over?: "min" | "max";
  /** The upper bounds of a histogram's buckets, in counted units. */
  readonly bounds?: readonly number[];
}

export const MICROSECONDS_PER_SECOND = 1_000_000;
export const MS_PER_SECOND = 1000;

/** The upper bounds of the buckets of answers' durations, in milliseconds. */
const ANSWER_BOUNDS_MS = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000];
/** The same of the gateway's own work, in microseconds. */
const WORK_BOUNDS_US = [
  250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
];

type Labels = readonly string[];

/** Makes the rows of counters of a unit. */
export const count =
  (unit: string, per = 1) =>
  <const Names extends Labels>(help: string, ...labels: Names) =>
    ({ type: "counter", unit, per, help, labels }) as const;
export const events = count("events");
export const requests = count("requests");
export const calls = count("calls");
export const money = count("USD", NANO_PER_USD);
export const durations = (help: string, ...labels: readonly ["model"]) =>
  ({
    type: "histogram",
    unit: "seconds",
    per: MS_PER_SECOND,
    bounds: ANSWER_BOUNDS_MS,
    help,
    labels,
  }) as const;
/** Histograms of the gateway's own work, counted in microseconds. */
export const work = (help: string) =>
  ({
    type: "histogram",
    unit: "seconds",
    per: MICROSECONDS_PER_SECOND,
    bounds: WORK_BOUNDS_US,
    help,
  }) as const;
export const gauge = <const Names extends Labels>(unit: string, help: string, ...labels: Names) =>
  ({ type: "gauge", isRead: true, unit, help, labels }) as const;
