// Metrics without a process around them, and a strict reader of Prometheus text.
import { formatMetrics } from "../../src/telemetry/exposition.ts";
import { Metrics, type MetricsParts, type Reading } from "../../src/telemetry/metrics.ts";

export const NOTHING_READ: MetricsParts["readings"] = {
  poundkey_build_info: () => null,
  poundkey_requests_open: () => null,
  poundkey_body_bytes: () => null,
  poundkey_sockets: () => null,
  poundkey_sockets_max: () => null,
  poundkey_socket_bytes: () => null,
  poundkey_tool_server_up: () => null,
  poundkey_mcp_streams: () => null,
  poundkey_breaker_open: () => null,
  poundkey_breaker_open_payers: () => null,
  poundkey_telemetry_dropped_total: () => null,
  poundkey_model_shutdown_timestamp_seconds: () => null,
  poundkey_refusal_lessons: () => null,
  poundkey_store_up: () => null,
  poundkey_store_bytes: () => null,
  poundkey_files_bytes: () => null,
  poundkey_files_max_bytes: () => null,
  poundkey_store_free_bytes: () => null,
  poundkey_last_backup_timestamp_seconds: () => null,
  poundkey_config_ok: () => null,
  poundkey_config_loaded_timestamp_seconds: () => null,
  poundkey_credentials: () => null,
  poundkey_provider_failing_seconds: () => null,
  poundkey_certificate_expiry_seconds: () => null,
  poundkey_balance_usd: () => null,
  poundkey_budget_used_usd: () => null,
  poundkey_budget_limit_usd: () => null,
  poundkey_budgets_near: () => null,
  poundkey_batches: () => null,
  poundkey_batches_waiting: () => null,
  poundkey_batch_lines_running: () => 0,
  poundkey_members: () => null,
  poundkey_scim_last_request_timestamp_seconds: () => null,
  poundkey_catalogue_age_seconds: () => null,
  poundkey_catalogue_hidden: () => null,
  poundkey_catalogue_changes_waiting: () => null,
  poundkey_catalogue_serial: () => null,
  process_cpu_seconds_total: () => null,
  process_resident_memory_bytes: () => null,
  process_start_time_seconds: () => null,
  process_open_fds: () => null,
  process_max_fds: () => null,
};

/** Metrics with all models of `Own` in the catalogue, where only the given values are read. */
export function newMetrics(readings: Partial<Record<keyof typeof NOTHING_READ, Reading>> = {}): Metrics {
  return new Metrics({
    readings: { ...NOTHING_READ, ...readings },
    isListed: (model) => model.startsWith("Own#"),
  });
}

export function renderMetrics(metrics: Metrics): string {
  return formatMetrics(metrics.sums());
}

export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const VALUE = /^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?Inf|NaN)$/;

/** Returns the metric families of a text in format 0.0.4. Throws at the first invalid line. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line doesn't end.");
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: [string, Family] | null = null;
  let help: readonly string[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (!NAME.test(name) || families.has(name)) fail("a bad name, or one that was there before");
      help = [name, rest];
    } else if (keyword === "TYPE") {
      if (help[0] !== name || !/^(counter|gauge|histogram)$/.test(rest))
        fail("no HELP before it, or no type");
      current = [name, { help: help[1] ?? "", type: rest, samples: [] }];
      families.set(...current);
    } else {
      const sample = sampleIn(line) ?? fail("not a sample");
      if (current === null || !isOf(sample.name, ...current)) return fail("a sample of another family");
      const identity = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()]);
      if (seen.has(identity)) fail("the same series twice");
      seen.add(identity);
      current[1].samples.push(sample);
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function sampleIn(line: string): Sample | null {
  const [whole, name = "", inner = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (whole === undefined || !VALUE.test(value)) return null;
  const labels: Record<string, string> = {};
  let rest = inner;
  while (rest !== "") {
    const [taken, label, escaped = ""] = LABEL.exec(rest) ?? [];
    if (taken === undefined || label === undefined || label in labels) return null;
    labels[label] = escaped.replace(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one));
    rest = rest.slice(taken.length);
  }
  return { name, labels, value: Number(value.replace("Inf", "Infinity")) };
}

function isOf(sample: string, name: string, { type }: Family): boolean {
  const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  return suffixes.some((suffix) => sample === name + suffix);
}

function checkFamily(name: string, { type, samples }: Family): void {
  const fail = (why: string): never => {
    throw new Error(`${name}: ${why}`);
  };
  if (samples.length === 0) fail("has no sample");
  if ((type === "counter") !== name.endsWith("_total")) fail("counters end in _total, and nothing else does");
  if (type === "counter" && samples.some(({ value }) => !(value >= 0))) fail("a counter below 0");
  if (type !== "histogram") return;
  const bySeries = Map.groupBy(samples, ({ labels: { le, ...rest } }) => JSON.stringify(rest));
  for (const series of bySeries.values()) {
    const buckets = series.filter((one) => one.name.endsWith("_bucket"));
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace("Inf", "Infinity")));
    const counts = [...buckets, ...series.filter((one) => one.name.endsWith("_count"))].map(
      (one) => one.value,
    );
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) fail("no bucket +Inf");
    if (bounds.some((bound, at) => at > 0 && !(bound > (bounds[at - 1] ?? 0)))) fail("bounds don't rise");
    if (counts.some((count, at) => count < (counts[at - 1] ?? 0))) fail("buckets aren't cumulative");
    if (counts.length !== buckets.length + 1 || counts.at(-1) !== counts.at(-2)) fail("+Inf isn't the count");
    if (series.length !== buckets.length + 2) fail("no sum");
  }
}
