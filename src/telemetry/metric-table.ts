// The table of all metrics. Counters, `/metrics`, the sum over workers and the manual's table come from these rows.
import { HOOK_METRICS } from "./hook-metrics.ts";
import {
  calls,
  count,
  durations,
  events,
  gauge,
  type MetricRow,
  MICROSECONDS_PER_SECOND,
  MS_PER_SECOND,
  money,
  requests,
} from "./metric-row.ts";
import { SOCKET_METRICS } from "./socket-metrics.ts";
import { STATE_METRICS } from "./state-metrics.ts";
import { TOOL_METRICS } from "./tool-metrics.ts";

export const METRICS = {
  poundkey_build_info: {
    ...gauge("always 1", "The running version.", "version"),
    over: "max",
  },
  poundkey_requests_open: gauge("requests", "Requests in progress."),
  poundkey_body_bytes: gauge("bytes", "Memory of request bodies.", "size"),
  poundkey_breaker_open: gauge(
    "breakers",
    "Breakers open for everybody, at most one per credential and worker.",
    "model",
  ),
  poundkey_breaker_open_payers: gauge("payers", "Payers with open breakers.", "model"),
  poundkey_model_shutdown_timestamp_seconds: {
    ...gauge("Unix seconds", "An enabled model's end.", "model"),
    over: "max",
  },
  poundkey_telemetry_dropped_total: {
    ...count("spans or log lines")("Spans and lines dropped.", "signal"),
    isRead: true,
  },
  poundkey_requests_total: {
    ...requests(
      "Requests answered, failed, refused or left. If no model answered, the first of the plan counts.",
      "provider",
      "model",
      "outcome",
    ),
    on: "refused",
    only: "outcome",
  },
  poundkey_refused_total: {
    ...requests("Refused before any call.", "fault"),
    on: "refused",
    fields: { fault: "code" },
  },
  poundkey_family_priced_total: requests(
    "At a relative's price (`unlisted_models: { price: family }`).",
    "provider",
  ),
  poundkey_limit_refusals_total: {
    ...requests(
      "Requests refused by limits of a minute, of parallel requests, and budgets.",
      "kind",
      "scope",
    ),
    on: "refused",
    only: "limit_kind",
    fields: { kind: "limit_kind", scope: "limit_scope" },
  },
  poundkey_replayed_total: {
    ...requests("Stored answers repeated (idempotency)."),
    on: "replayed",
  },
  poundkey_cache_total: {
    ...requests("Kept answers: `hit`, `stored`, `miss`, `bypass`.", "outcome"),
    on: "cache",
  },
  poundkey_batch_lines_total: {
    ...count("lines")("Lines: `completed`, `failed`, `cancelled`, `expired`.", "outcome"),
    on: "batch_line",
  },
  poundkey_request_seconds: durations(
    "From arrival to the answer's end, by the model that answered, or else the first of the plan.",
    "model",
  ),
  poundkey_first_token_seconds: durations("First part after arrival.", "model"),
  poundkey_attempts_total: {
    ...calls("Calls: `answered`, or error code.", "model", "outcome"),
    on: "attempt_failed",
    fields: { outcome: "fault" },
  },
  poundkey_attempts_failed_total: {
    ...calls("Failures by error code.", "model", "fault"),
    on: "attempt_failed",
  },
  poundkey_refused_fields_total: {
    ...calls("Refused for optional fields.", "provider", "model", "field"),
    on: "field_refused",
  },
  poundkey_mended_total: {
    ...calls("Calls repeated after refusals.", "provider", "model", "word"),
    on: "request_mended",
  },
  poundkey_refusal_lessons: {
    ...gauge("lessons", "Refusals learned and avoided."),
    over: "max",
  },
  poundkey_retries_refused_total: {
    ...events("Retries beyond their budget."),
    on: "retry_refused",
  },
  poundkey_scim_requests_total: {
    ...requests("The directory's requests.", "resource", "method", "status"),
    on: "scim.request",
  },
  ...SOCKET_METRICS,
  ...TOOL_METRICS,
  poundkey_hedges_total: {
    ...calls("Second calls (hedges).", "model", "won"),
    on: "hedged",
  },
  poundkey_breaker_opened_total: {
    ...events("Openings of breakers.", "model"),
    on: "breaker_opened",
  },
  poundkey_credentials_retired_total: {
    ...events("Credentials retired after refusals.", "provider"),
    on: "credential_retired",
  },
  poundkey_tokens_total: count("tokens")("Prompt or completion tokens.", "model", "kind"),
  poundkey_units_total: count("units")(
    "Images, seconds of audio, characters, search_units, pages and searches.",
    "model",
    "unit",
  ),
  poundkey_operations_total: requests("Requests passed to providers.", "operation", "surface"),
  poundkey_cost_usd_total: money("Cost at the models' prices with the markup, charged or free.", "model"),
  poundkey_charged_usd_total: money("Amounts charged to balances.", "model"),
  poundkey_written_off_usd_total: money(
    "Cost beyond hold and balance, or beyond a request's own ceiling, written off to the account overrun.",
  ),
  poundkey_usage_implausible_total: {
    ...requests("Implausible usage, charged up to a limit.", "model"),
    on: "usage_implausible",
  },
  poundkey_unpriced_answers_total: {
    ...requests(
      "Answers of a service or region without a price, such as service_tier=priority.",
      "provider",
      "model",
      "what",
    ),
    on: "answer_unpriced",
  },
  poundkey_unknown_finish_reasons_total: {
    ...requests("Ended for unknown reasons.", "provider", "model"),
    on: "finish_reason_unknown",
  },
  poundkey_reasoning_removed_total: {
    ...requests(
      "Requests without all thinking of their history, by reason, such as prefix: what stands before it has changed.",
      "provider",
      "model",
      "reason",
    ),
    on: "reasoning_removed",
  },
  poundkey_cache_marks_total: {
    ...requests(
      "Requests marked for the provider's cache (marked), or not, as marks didn't pay in the last hour (resting).",
      "provider",
      "model",
      "state",
    ),
    on: "cache_marks",
  },
  poundkey_conversation_moves_total: {
    ...requests("Turns not served at the first of their order.", "level", "cause"),
    on: "conversation_moved",
    fields: { level: "of" },
  },
  poundkey_holds_lost_total: {
    ...count("holds")(
      "Holds voided, as their process ended or a failover of the store lost their settlement.",
    ),
    on: "holds_lost",
    by: "holds",
  },
  poundkey_settled_late_total: requests("Requests settled and charged after another process gave them up."),
  poundkey_settle_failed_total: {
    ...events("Settlements failed, retried later."),
    on: "settle_failed",
  },
  poundkey_settle_lost_total: {
    ...requests("Answers never charged."),
    on: "settle_lost",
  },
  poundkey_internal_errors_total: {
    ...events("The gateway's own errors."),
    on: "internal_error",
  },
  ...HOOK_METRICS,
  ...STATE_METRICS,
  poundkey_tokens_part_total: count("tokens")(
    "Of `poundkey_tokens_total`: `cached`, `cache_write` (prompts), `reasoning` (completions).",
    "model",
    "part",
  ),
  poundkey_selections_total: requests("A selector's answered requests.", "selector", "model"),
  process_cpu_seconds_total: {
    ...count("seconds")("User and system time."),
    per: MICROSECONDS_PER_SECOND,
    isRead: true,
  },
  process_resident_memory_bytes: gauge("bytes", "Resident memory."),
  process_start_time_seconds: {
    ...gauge("seconds since 1970", "The oldest worker's start."),
    over: "min",
    per: MS_PER_SECOND,
  },
  process_open_fds: gauge("file descriptors", "Open ones (Linux only)."),
  process_max_fds: gauge("file descriptors", "Their maximum (Linux only)."),
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
/** The histograms without labels. */
export type WorkName = "poundkey_store_seconds" | "poundkey_gateway_seconds";
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
  readonly bounds?: readonly number[];
}

/** Everything that `/metrics` shows, in its order: the table, then the deprecated names. */
export const SHOWN: readonly ShownMetric[] = [
  ...Object.keys(METRICS)
    .filter(isMetric)
    .map((name) => ({ per: 1, labels: [], ...findRow(name), name, of: name })),
  ...Object.entries(RENAMED).map(([name, { now, ...shown }]) => {
    const help = `Deprecated: use \`${now}\` instead.`;
    return { labels: [], ...findRow(now), ...shown, help, name, of: now };
  }),
];
