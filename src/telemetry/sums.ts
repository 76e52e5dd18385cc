// Sums by metric and labels as whole numbers: of one process, or of several added up.
import { isObject } from "../core/json/json.ts";
import { findRow, isMetric, type MetricName } from "./metric-table.ts";

/** A counter's or gauge's one number, or a histogram's sum, its count and the counts of its buckets. */
export type Values = readonly number[];

/** By metric, and then by labels in the form of `/metrics` (`model="a",kind="prompt"`). Can be sent as JSON. */
export type Sums = Readonly<Partial<Record<MetricName, Readonly<Record<string, Values>>>>>;

/** Sums that are still being added up. */
export type GrowingSums = { [Name in MetricName]?: Record<string, Values> };

/**
 * Adds up the sums of several processes. The counters of those that have `ended` still count, so that no counter falls. Their
 * gauges don't, because they describe a state that is gone.
 */
export function addSums(living: readonly Sums[], ended: readonly Sums[] = []): Sums {
  const sum: GrowingSums = {};
  const counted = ended.flatMap(listSeries).filter(([name]) => findRow(name).type !== "gauge");
  for (const [name, label, values] of [...living.flatMap(listSeries), ...counted]) {
    const series = sum[name] ?? {};
    sum[name] = series;
    series[label] = mergeValues(series[label], values, findRow(name).over);
  }
  return sum;
}

function listSeries(sums: Sums): readonly (readonly [MetricName, string, Values])[] {
  return Object.entries(sums).flatMap(([name, series]) =>
    isMetric(name) ? Object.entries(series).map(([label, values]) => [name, label, values] as const) : [],
  );
}

function mergeValues(known: Values | undefined, values: Values, over: "min" | "max" | undefined): Values {
  if (known === undefined) return values;
  if (over !== undefined) return known.map((value, at) => Math[over](value, values[at] ?? value));
  return known.map((value, at) => value + (values[at] ?? 0));
}

/** Reads another process's sums. Malformed entries and another version's metrics are left out. */
export function readSums(value: unknown): Sums {
  const sums: GrowingSums = {};
  for (const [name, series] of isObject(value) ? Object.entries(value) : []) {
    if (!isMetric(name) || !isObject(series)) continue;
    sums[name] = Object.fromEntries(
      Object.entries(series).flatMap(([label, values]) => (isValues(values) ? [[label, values]] : [])),
    );
  }
  return sums;
}

function isValues(value: unknown): value is Values {
  return Array.isArray(value) && value.every((one) => typeof one === "number");
}
