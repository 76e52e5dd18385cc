// Counts log events for this process's `/metrics`. No metric names a key or an account.
import { asNumber } from "../core/json/json.ts";
import { readFindings } from "../core/log/finding.ts";
import { findCountedModel, findOutcome, readProvider } from "../core/log/outcome.ts";
import type { RequestOutcome, RequestRecord } from "../core/log/record.ts";
import type { Unit } from "../core/money/units.ts";
import type { LogEvent } from "../core/world/world.ts";
import { formatLabels } from "./exposition.ts";
import {
  type CounterName,
  findRow,
  type HistogramName,
  isMetric,
  type LabelsOf,
  METRICS,
  type MetricName,
  type ReadName,
  type WorkName,
} from "./metric-table.ts";
import {
  type Counter,
  findOrAdd,
  type Histogram,
  listValues,
  newCounter,
  newMap,
  observe,
} from "./series.ts";
import type { GrowingSums, Sums } from "./sums.ts";

/**
 * The number of series of a metric from which on new ones are summed: a model's further series count as one, with `other`
 * for all labels but the model, and once there are twice as many, everything else counts as `other`. So 5,000 models always
 * have their own series, and a metric never has more than 10,001 series.
 */
export const SERIES_MAX = 5000;
const OTHER = "other";
const MICROSECONDS_PER_MS = 1000;

/**
 * Returns a number, or one for each value of the metric's label, in the counted unit. With several labels, a key of the map
 * has their values, joined by `LABEL_END`. null if it can't be read here.
 */
export type Reading = () => number | ReadonlyMap<string, number> | null;
/** A line end can't stand in a name. */
export const LABEL_END = "\n";

export interface MetricsParts {
  /** The metrics that are read at each scrape. */
  readonly readings: Readonly<Record<ReadName, Reading>>;
  /** True if the catalogue has the model. Clients make up other names, which count as one for each provider. */
  readonly isListed: (model: string) => boolean;
}

/** The counters that an event of each name increases, if it isn't a request's end. */
const COUNTERS = Map.groupBy(
  Object.keys(METRICS)
    .filter(isMetric)
    .map((name) => ({ name, ...findRow(name) })),
  ({ on }) => on,
);

/** The counters of one series each. They begin at 0: Prometheus sees no increase in one that appears with its first event. */
const UNLABELLED = Object.keys(METRICS)
  .filter(isMetric)
  .filter((name) => {
    const { type, labels = [], isRead } = findRow(name);
    return type === "counter" && labels.length === 0 && isRead === undefined;
  });

/** The units that aren't tokens, by the names that operators know. */
const OTHER_UNITS: readonly (readonly [Unit, string])[] = [
  ["images", "images"],
  ["seconds", "seconds"],
  ["characters", "characters"],
  ["searchUnits", "search_units"],
  ["pages", "pages"],
  ["searches", "searches"],
];

/** The parts of prompts and completions that are counted on their own. */
const TOKEN_PARTS: readonly (readonly [Unit, string])[] = [
  ["cached", "cached"],
  ["cacheWrite", "cache_write"],
  ["reasoning", "reasoning"],
];

/** The series of one model. They are looked up by their labels only once, which saves 2 µs per request. */
interface ModelSeries {
  readonly model: string;
  readonly answered: Counter;
  readonly promptTokens: Counter;
  readonly completionTokens: Counter;
  /** By the name of the part, once it has occurred. */
  readonly parts: Map<string, Counter>;
  readonly costNanoUsd: Counter;
  readonly chargedNanoUsd: Counter;
  readonly ms: Histogram;
  firstMs: Histogram | null;
  readonly requests: Map<RequestOutcome, Counter>;
}

export class Metrics {
  readonly #parts: MetricsParts;
  readonly #counters = new Map<MetricName, Map<string, Counter>>();
  readonly #histograms = new Map<MetricName, Map<string, Histogram>>();
  /** By the value of the label `model`, which clients can't choose freely. */
  readonly #models = new Map<string, ModelSeries>();
  /** Those without labels, which every request counts in. */
  readonly #work = new Map<string, Histogram>();
  #writtenOff: Counter | null = null;
  /** By operation and surface. */
  readonly #operations = new Map<string, Map<string, Counter>>();

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    for (const name of UNLABELLED) this.#findCounter(name, {});
  }

  /** Counts a log event. Events without a counter are ignored. */
  readonly count = (event: LogEvent): void => {
    const writtenOff = asNumber(event.written_off_nano_usd);
    if (writtenOff !== undefined) {
      this.#writtenOff ??= this.#counter("poundkey_written_off_usd_total", {});
      this.#writtenOff.value += writtenOff;
    }
    if (event.late === true) this.#increase("poundkey_settled_late_total", {});
    if (event.record) this.#countRequest(event.record, asNumber(event.gateway_ms));
    else this.#countEvent(event);
  };

  /** Adds a value to a histogram without labels, in its counted unit. */
  observe(name: WorkName, value: number): void {
    observe(this.#work.get(name) ?? this.#addWork(name), value);
  }

  /** Counts an answer at the price of its model's family. */
  countFamilyPriced(provider: string): void {
    this.#increase("poundkey_family_priced_total", { provider });
  }

  #addWork(name: WorkName): Histogram {
    return findOrAdd(this.#work, name, () => this.#histogram(name, {}));
  }

  /** Returns all counts so far, and the current readings. */
  sums(): Sums {
    const sums: GrowingSums = {};
    for (const [name, read] of Object.entries(this.#parts.readings)) {
      const value = read();
      if (value === null || !isMetric(name)) continue;
      sums[name] = listValues(this.#byLabel(name, value), ({ value: one }) => [one]);
    }
    for (const [name, series] of this.#counters) sums[name] = listValues(series, ({ value }) => [value]);
    for (const [name, series] of this.#histograms) {
      sums[name] = listValues(series, ({ sum, count, counts }) => [sum, count, ...counts]);
    }
    return sums;
  }

  #byLabel(name: MetricName, value: number | ReadonlyMap<string, number>): ReadonlyMap<string, Counter> {
    const series = new Map<string, Counter>();
    const { labels = [] } = findRow(name);
    for (const [of, one] of typeof value === "number" ? [["", value] as const] : value) {
      const values = of.split(LABEL_END);
      const labelled = Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""]));
      this.#findSeries(series, name, labelled, newCounter).value += one;
    }
    return series;
  }

  #countEvent(event: LogEvent): void {
    for (const { name, type, only, by, labels = [], fields } of COUNTERS.get(event.event) ?? []) {
      if (only !== undefined && event[only] === undefined) continue;
      const values = Object.fromEntries(labels.map((label) => [label, event[fields?.[label] ?? label]]));
      const value = by === undefined ? 1 : (asNumber(event[by]) ?? 1);
      if (type === "histogram") observe(this.#findHistogram(name, values), value);
      else this.#findCounter(name, values).value += value;
    }
  }

  #countRequest(record: RequestRecord, gatewayMs: number | undefined): void {
    const { amounts } = record;
    if (gatewayMs !== undefined)
      this.observe("poundkey_gateway_seconds", Math.round(gatewayMs * MICROSECONDS_PER_MS));
    const series = this.#findModelSeries(findCountedModel(record));
    if (record.modelUsed !== null) series.answered.value++;
    this.#findRequests(series, findOutcome(record)).value++;
    series.promptTokens.value += amounts.prompt;
    series.completionTokens.value += amounts.completion;
    series.costNanoUsd.value += record.costNanoUsd;
    series.chargedNanoUsd.value += record.chargedNanoUsd;
    this.#countWork(series.model, record);
    this.#countParts(series, record);
    if (record.guard !== null) this.#countFindings(record.guard);
    observe(series.ms, record.totalMs);
    if (record.firstTokenMs === null) return;
    series.firstMs ??= this.#histogram("poundkey_first_token_seconds", series);
    observe(series.firstMs, record.firstTokenMs);
  }

  #countFindings(guard: string): void {
    for (const finding of readFindings(guard)) this.#increase("poundkey_findings_total", finding);
  }

  #countWork(model: string, { operation, surface, amounts }: RequestRecord): void {
    (this.#operations.get(operation)?.get(surface) ?? this.#addOperation({ operation, surface })).value++;
    for (const [unit, shown] of OTHER_UNITS) {
      if (amounts[unit] > 0) this.#increase("poundkey_units_total", { model, unit: shown }, amounts[unit]);
    }
  }

  #addOperation(labels: Readonly<Record<"operation" | "surface", string>>): Counter {
    const ofSurfaces = findOrAdd(this.#operations, labels.operation, newMap<Counter>);
    return findOrAdd(ofSurfaces, labels.surface, () => this.#counter("poundkey_operations_total", labels));
  }

  #countParts(series: ModelSeries, { amounts, selector, modelUsed }: RequestRecord): void {
    const { model } = series;
    if (selector !== null && modelUsed !== null)
      this.#increase("poundkey_selections_total", { selector, model });
    for (const [unit, part] of TOKEN_PARTS)
      if (amounts[unit] !== 0) this.#findPart(series, part).value += amounts[unit];
  }

  #findPart({ model, parts }: ModelSeries, part: string): Counter {
    return findOrAdd(parts, part, () => this.#counter("poundkey_tokens_part_total", { model, part }));
  }

  #findModelSeries(counted: string): ModelSeries {
    const label = this.#labelModel(counted);
    return this.#models.get(label) ?? this.#addModel(label);
  }

  #addModel(label: string): ModelSeries {
    return findOrAdd(this.#models, label, (model) => this.#makeModelSeries(model));
  }

  #makeModelSeries(model: string): ModelSeries {
    const tokens = (kind: string) => this.#counter("poundkey_tokens_total", { model, kind });
    const answered = { model, outcome: "answered" };
    return {
      model,
      answered: this.#counter("poundkey_attempts_total", answered),
      promptTokens: tokens("prompt"),
      completionTokens: tokens("completion"),
      parts: new Map(),
      costNanoUsd: this.#counter("poundkey_cost_usd_total", { model }),
      chargedNanoUsd: this.#counter("poundkey_charged_usd_total", { model }),
      ms: this.#histogram("poundkey_request_seconds", { model }),
      firstMs: null,
      requests: new Map(),
    };
  }

  #findRequests({ model, requests }: ModelSeries, outcome: RequestOutcome): Counter {
    const known = requests.get(outcome);
    if (known !== undefined) return known;
    const provider = readProvider(model) || model;
    const counter = this.#counter("poundkey_requests_total", { provider, model, outcome });
    requests.set(outcome, counter);
    return counter;
  }

  #increase<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    this.#counter(name, labels).value += by;
  }

  #counter<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): Counter {
    return this.#findCounter(name, labels);
  }

  #findCounter(name: MetricName, labels: Readonly<Record<string, unknown>>): Counter {
    return this.#findSeries(this.#counters.getOrInsertComputed(name, newMap), name, labels, newCounter);
  }

  #histogram<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>): Histogram {
    return this.#findHistogram(name, labels);
  }

  #findHistogram(name: MetricName, labels: Readonly<Record<string, unknown>>): Histogram {
    const { bounds = [] } = findRow(name);
    const made = () => ({ bounds, counts: bounds.map(() => 0), sum: 0, count: 0 });
    return this.#findSeries(this.#histograms.getOrInsertComputed(name, newMap), name, labels, made);
  }

  #findSeries<Series>(
    all: Map<string, Series>,
    name: MetricName,
    labels: Readonly<Record<string, unknown>>,
    made: () => Series,
  ): Series {
    return findOrAdd(all, this.#formatLabels(all, name, labels), made);
  }

  /** Returns the labels' text, or that of a summed series if there is no room for another one. */
  #formatLabels(
    all: ReadonlyMap<string, unknown>,
    name: MetricName,
    labels: Readonly<Record<string, unknown>>,
  ): string {
    const valueAt = (label: string) =>
      label === "model" ? this.#labelModel(labels.model) : String(labels[label]);
    const text = formatLabels(name, valueAt);
    if (all.has(text) || all.size < SERIES_MAX) return text;
    const ofModel = formatLabels(name, (label) => (label === "model" ? valueAt(label) : OTHER));
    if (all.has(ofModel) || all.size < 2 * SERIES_MAX) return ofModel;
    return formatLabels(name, () => OTHER);
  }

  /** Returns only the provider for models that the catalogue doesn't have. */
  #labelModel(model: unknown): string {
    if (typeof model !== "string" || !model.includes("#")) return OTHER;
    return this.#parts.isListed(model) ? model : `${model.slice(0, model.indexOf("#"))}#(unlisted)`;
  }
}
