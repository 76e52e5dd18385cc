// Counters fed by log events and rendered as Prometheus text. They name no key and no account.
import type { RequestRecord } from "../core/record.ts";
import type { LogEvent } from "../core/world.ts";

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Unlisted models would let clients make up series without end. */
const SERIES_MAX = 2000;

/** Read when it is asked for: one number, or one for each model. */
export type Gauge = () => number | ReadonlyMap<string, number>;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

export class Metrics {
  readonly #counters = new Map<string, Map<string, number>>();
  readonly #histograms = new Map<string, Map<string, Histogram>>();
  readonly #gauges: Readonly<Record<string, Gauge>>;

  constructor(gauges: Readonly<Record<string, Gauge>>) {
    this.#gauges = gauges;
  }

  /** Takes a log event; those that count nothing are passed over. */
  readonly take = (event: LogEvent): void => {
    if (event.record) this.#request(event.record);
    if (typeof event.written_off_nano_usd === "number") {
      this.#add("poundkey_written_off_nanousd_total", "", event.written_off_nano_usd);
    }
    if (event.late === true) this.#add("poundkey_settled_late_total", "", 1);
    if (event.event === "holds_lost" && typeof event.holds === "number") {
      this.#add("poundkey_holds_lost_total", "", event.holds);
    }
    if (event.event === "replayed") this.#add("poundkey_replayed_total", "", 1);
    if (event.event === "attempt_failed") {
      this.#add("poundkey_attempts_failed_total", labels({ model: event.model, fault: event.fault }), 1);
      this.#add("poundkey_attempts_total", labels({ model: event.model, outcome: event.fault }), 1);
    }
    if (event.event === "retry_refused") this.#add("poundkey_retries_refused_total", "", 1);
    if (event.event === "hedged") {
      this.#add("poundkey_hedges_total", labels({ model: event.model, won: event.won }), 1);
    }
    if (event.event === "breaker_opened") {
      this.#add("poundkey_breaker_opened_total", labels({ model: event.model }), 1);
    }
    if (event.event === "credential_retired") {
      this.#add("poundkey_credentials_retired_total", labels({ provider: event.provider }), 1);
    }
    if (event.event === "refused") this.#add("poundkey_refused_total", labels({ fault: event.fault }), 1);
    if (event.event === "settle_failed") this.#add("poundkey_settle_failed_total", "", 1);
    if (event.event === "settle_lost") this.#add("poundkey_settle_lost_total", "", 1);
    if (event.event === "internal_error") this.#add("poundkey_internal_errors_total", "", 1);
  };

  render(): string {
    const lines: string[] = [];
    for (const [name, read] of Object.entries(this.#gauges)) {
      const value = read();
      const series = typeof value === "number" ? [["", value] as const] : byModel(value);
      lines.push(`# TYPE ${name} gauge`, ...series.map(([label, one]) => `${name}${braced(label)} ${one}`));
    }
    for (const [name, series] of this.#counters) {
      lines.push(`# TYPE ${name} counter`);
      for (const [label, value] of series) lines.push(`${name}${braced(label)} ${value}`);
    }
    for (const [name, series] of this.#histograms) {
      lines.push(`# TYPE ${name} histogram`);
      for (const [label, histogram] of series) lines.push(...histogramLines(name, label, histogram));
    }
    return `${lines.join("\n")}\n`;
  }

  #request(record: RequestRecord): void {
    const model = record.modelUsed ?? "none";
    if (record.modelUsed !== null) {
      this.#add("poundkey_attempts_total", labels({ model, outcome: "answered" }), 1);
    }
    this.#add("poundkey_requests_total", labels({ model, status: record.status, ended: record.ended }), 1);
    this.#add("poundkey_tokens_total", labels({ model, kind: "prompt" }), record.tokens.prompt);
    this.#add("poundkey_tokens_total", labels({ model, kind: "completion" }), record.tokens.completion);
    this.#add("poundkey_cost_nanousd_total", labels({ model }), record.costNanoUsd);
    this.#add("poundkey_charged_nanousd_total", labels({ model }), record.chargedNanoUsd);
    this.#observe("poundkey_request_seconds", labels({ model }), record.totalMs / 1000);
    if (record.firstTokenMs !== null) {
      this.#observe("poundkey_first_token_seconds", labels({ model }), record.firstTokenMs / 1000);
    }
  }

  #add(name: string, label: string, by: number): void {
    const series = ofName(this.#counters, name);
    if (!series.has(label) && series.size >= SERIES_MAX) return;
    series.set(label, (series.get(label) ?? 0) + by);
  }

  #observe(name: string, label: string, seconds: number): void {
    const series = ofName(this.#histograms, name);
    const known = series.get(label);
    if (!known && series.size >= SERIES_MAX) return;
    const histogram = known ?? { counts: SECONDS.map(() => 0), sum: 0, count: 0 };
    series.set(label, histogram);
    histogram.sum += seconds;
    histogram.count++;
    for (const [at, bound] of SECONDS.entries()) {
      if (seconds <= bound) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
    }
  }
}

function ofName<Value>(all: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const known = all.get(name);
  if (known) return known;
  const series = new Map<string, Value>();
  all.set(name, series);
  return series;
}

function labels(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, "_")}"`)
    .join(",");
}

function byModel(values: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...values].slice(0, SERIES_MAX).map(([model, value]) => [labels({ model }), value]);
}

function braced(label: string): string {
  return label === "" ? "" : `{${label}}`;
}

function histogramLines(name: string, label: string, { counts, sum, count }: Histogram): readonly string[] {
  const before = label === "" ? "" : `${label},`;
  const buckets = SECONDS.map((bound, at) => `${name}_bucket{${before}le="${bound}"} ${counts[at] ?? 0}`);
  return [
    ...buckets,
    `${name}_bucket{${before}le="+Inf"} ${count}`,
    `${name}_sum${braced(label)} ${sum}`,
    `${name}_count${braced(label)} ${count}`,
  ];
}
