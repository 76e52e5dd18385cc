// The table of all metrics. Counters, `/metrics`, the sum over workers and the manual's table come from these rows.
import { NANO_PER_USD } from "../core/money.ts";

interface MetricRow {
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
  /** The way in which the workers' values are combined. Without it, they are added. */
  readonly over?: "min" | "max";
}

const MICROSECONDS_PER_SECOND = 1_000_000;
const MS_PER_SECOND = 1000;

const model = ["model"] as const;
const events = { type: "counter", unit: "events" } as const;
const requests = { type: "counter", unit: "requests" } as const;
const calls = { type: "counter", unit: "calls" } as const;
const money = { type: "counter", unit: "USD", per: NANO_PER_USD } as const;
const durations = { type: "histogram", unit: "seconds", per: MS_PER_SECOND } as const;
const gauge = { type: "gauge", isRead: true } as const;

export const METRICS = {
  poundkey_build_info: {
    ...gauge,
    over: "max",
    unit: "always 1",
    labels: ["version"],
    help: "Always 1; the label is the running version.",
  },
  poundkey_requests_open: {
    ...gauge,
    unit: "requests",
    help: "Requests in progress.",
  },
  poundkey_breaker_open: {
    ...gauge,
    unit: "breakers",
    labels: model,
    help: "Open circuit breakers of the model, at most one per credential and worker.",
  },
  poundkey_requests_total: {
    ...requests,
    labels: ["model", "status", "ended"],
    help: "Requests passed to a provider, by the model that answered (or none), the HTTP status and how they ended.",
  },
  poundkey_refused_total: {
    ...requests,
    labels: ["fault"],
    help: "Requests refused before any provider was called, by error code.",
  },
  poundkey_replayed_total: {
    ...requests,
    help: "Requests answered with the stored answer of an earlier request with the same idempotency key.",
  },
  poundkey_request_seconds: {
    ...durations,
    labels: model,
    help: "Time from a request's arrival to the end of its answer, by the model that answered.",
  },
  poundkey_first_token_seconds: {
    ...durations,
    labels: model,
    help: "Time from a request's arrival to the first part of the provider's answer.",
  },
  poundkey_attempts_total: {
    ...calls,
    labels: ["model", "outcome"],
    help: "Calls to providers by outcome: answered, or the error code of the failure.",
  },
  poundkey_attempts_failed_total: {
    ...calls,
    labels: ["model", "fault"],
    help: "Calls to providers that failed, by error code.",
  },
  poundkey_retries_refused_total: {
    ...events,
    help: "Retries that were not made because the retry budget was used up.",
  },
  poundkey_hedges_total: {
    ...calls,
    labels: ["model", "won"],
    help: "Second calls made because the first was slow, by the model that answered and by which of the two answered.",
  },
  poundkey_breaker_opened_total: {
    ...events,
    labels: model,
    help: "How often a circuit breaker of the model opened.",
  },
  poundkey_credentials_retired_total: {
    ...events,
    labels: ["provider"],
    help: "Credentials that are no longer used because the provider refused them.",
  },
  poundkey_tokens_total: {
    type: "counter",
    unit: "tokens",
    labels: ["model", "kind"],
    help: "Tokens by kind: prompt or completion.",
  },
  poundkey_units_total: {
    type: "counter",
    unit: "units",
    labels: ["model", "unit"],
    help: "Usage in other units: images, seconds of audio, characters, search_units, pages and searches.",
  },
  poundkey_operations_total: {
    ...requests,
    labels: ["operation", "surface"],
    help: "Requests passed to a provider, by operation and by the API that received them.",
  },
  poundkey_cost_usd_total: {
    ...money,
    labels: model,
    help: "Cost of requests at the models' prices, including the markup, whether charged or free.",
  },
  poundkey_charged_usd_total: {
    ...money,
    labels: model,
    help: "Amounts charged to balances.",
  },
  poundkey_written_off_usd_total: {
    ...money,
    help: "Cost beyond the hold that the balance did not cover, written off to the account overrun.",
  },
  poundkey_usage_implausible_total: {
    ...requests,
    labels: model,
    help: "Requests whose provider reported implausible usage, which was charged only up to a limit.",
  },
  poundkey_holds_lost_total: {
    type: "counter",
    unit: "holds",
    help: "Holds voided because their process ended without settling them.",
  },
  poundkey_settled_late_total: {
    ...requests,
    help: "Requests settled after their hold had been voided.",
  },
  poundkey_settle_failed_total: {
    ...events,
    help: "Settlements that the store did not accept; they are retried until it is available.",
  },
  poundkey_settle_lost_total: {
    ...requests,
    help: "Requests that were never settled, so their answers were not charged.",
  },
  poundkey_internal_errors_total: {
    ...events,
    help: "Errors in the gateway itself, each of which is logged.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    isRead: true,
    unit: "seconds",
    per: MICROSECONDS_PER_SECOND,
    help: "User and system CPU time, of all workers together.",
  },
  process_resident_memory_bytes: {
    ...gauge,
    unit: "bytes",
    help: "Resident memory, of all workers together.",
  },
  process_start_time_seconds: {
    ...gauge,
    over: "min",
    unit: "seconds since 1970",
    per: MS_PER_SECOND,
    help: "Start time of the process, of the oldest worker.",
  },
  process_open_fds: {
    ...gauge,
    unit: "file descriptors",
    help: "Open file descriptors, of all workers together (Linux only).",
  },
  process_max_fds: {
    ...gauge,
    unit: "file descriptors",
    help: "Maximum number of open file descriptors, of all workers together (Linux only).",
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;

/** The previous release's names, which this release still shows beside the new ones. `per` is as in the table. */
export const RENAMED = {
  poundkey_resident_bytes: { now: "process_resident_memory_bytes", unit: "bytes", per: 1 },
  poundkey_cost_nanousd_total: { now: "poundkey_cost_usd_total", unit: "nano-USD", per: 1 },
  poundkey_charged_nanousd_total: { now: "poundkey_charged_usd_total", unit: "nano-USD", per: 1 },
  poundkey_written_off_nanousd_total: { now: "poundkey_written_off_usd_total", unit: "nano-USD", per: 1 },
} as const satisfies Readonly<
  Record<string, { readonly now: MetricName; readonly unit: string; readonly per: number }>
>;

type NamesWith<Row> = { [Name in MetricName]: (typeof METRICS)[Name] extends Row ? Name : never }[MetricName];

export type ReadName = NamesWith<{ isRead: true }>;
export type CounterName = Exclude<NamesWith<{ type: "counter" }>, ReadName>;
export type HistogramName = NamesWith<{ type: "histogram" }>;

/** A value for each of the metric's labels, and for no other. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<
    (typeof METRICS)[Name] extends { labels: readonly (infer Label extends string)[] } ? Label : never,
    unknown
  >
>;

export function findRow(name: MetricName): MetricRow {
  return METRICS[name];
}

export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}

interface ShownMetric {
  readonly name: string;
  /** The metric whose values it shows: its own name, or the new one. */
  readonly of: MetricName;
  readonly type: MetricRow["type"];
  readonly help: string;
  readonly unit: string;
  readonly labels: readonly string[];
  readonly per: number;
}

/** Everything that `/metrics` shows, in its order: the table, then the deprecated names. */
export const SHOWN: readonly ShownMetric[] = [
  ...Object.keys(METRICS)
    .filter(isMetric)
    .map((name) => ({ per: 1, labels: [], ...findRow(name), name, of: name })),
  ...Object.entries(RENAMED).map(([name, { now, ...shown }]) => {
    const help = `Deprecated: use ${now} instead. Will be removed in the next release.`;
    return { labels: [], ...findRow(now), ...shown, help, name, of: now };
  }),
];
