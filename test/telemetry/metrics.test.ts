// The text of `/metrics`: complete and documented, valid for scrapers, with bounded series and money in USD.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { METRICS, RENAMED, SHOWN } from "../../src/telemetry/metric-table.ts";
import { LABEL_END, SERIES_MAX } from "../../src/telemetry/metrics.ts";
import { makeRecord } from "../harness/samples.ts";
import { newMetrics, parseExposition, renderMetrics, type Sample } from "./metrics-world.ts";

const ROOT = join(import.meta.dir, "..", "..");
const DOCS = join(ROOT, "src/docs/metrics.md");

function requestOf(modelUsed: string | null, fields: Partial<ReturnType<typeof makeRecord>> = {}): LogEvent {
  return { event: "request", record: { ...makeRecord("any"), modelUsed, ...fields } };
}

const failed = (model: string, fault = "upstream_error") => ({ event: "attempt_failed", model, fault });

/** One event of every counted kind. */
const EVERY_EVENT: readonly LogEvent[] = [
  { event: "tool.called", server: "github", outcome: "ok", ms: 120 },
  {
    ...requestOf("Own#one", { chargedNanoUsd: 1_500_000_001, costNanoUsd: 2_000_000_000 }),
    late: true,
    gateway_ms: 1.25,
  },
  requestOf("Own#one", {
    selector: "Router#fair",
    guard: '[["email","report","request",2,"people"],["words:customers","report","answer",1,"ours"]]',
    costNanoUsd: 0,
    amounts: { ...NO_AMOUNTS, prompt: 90, cached: 60, completion: 30, reasoning: 20 },
  }),
  { ...requestOf(null, { status: 502, ended: "upstream_failed" }), written_off_nano_usd: 250_000_000 },
  requestOf("Own#one", {
    operation: "rerank",
    costNanoUsd: 0,
    surface: "rerank",
    amounts: { ...NO_AMOUNTS, searchUnits: 3 },
  }),
  failed("Own#one"),
  { event: "hedged", model: "Own#one", won: "second" },
  { event: "field_refused", model: "Own#one", provider: "Own", field: "temperature" },
  { event: "request_mended", model: "Own#one", provider: "Own", word: "field" },
  ...["breaker_opened", "credential_retired"].map((event) => ({ event, model: "Own#one", provider: "Own" })),
  { event: "usage_implausible", model: "Own#one" },
  { event: "answer_unpriced", provider: "Own", model: "Own#one", what: "service_tier=priority" },
  { event: "finish_reason_unknown", provider: "Own", model: "Own#one", reason: "weary" },
  { event: "cache_marks", provider: "Own", model: "Own#one", state: "marked" },
  { event: "conversation_moved", of: "model", cause: "rest" },
  { event: "reasoning_removed", provider: "Own", model: "Own#one", reason: "prefix", count: 2 },
  { event: "holds_lost", holds: 3 },
  ...["batch_line", "socket.turn", "cache"].map((event) => ({ event, outcome: "completed" })),
  { event: "guard", at: "request", ms: 2 },
  { event: "constraint", field: "provider.zdr", outcome: "met" },
  ...["replayed", "retry_refused", "settle_failed", "settle_lost"].map((event) => ({ event })),
  ...["internal_error", "config_reloaded", "socket.opened", "socket.warm_up"].map((event) => ({ event })),
  { event: "refused", code: "invalid_api_key" },
  { event: "refused", code: "budget_exceeded", limit_kind: "budget", limit_scope: "account" },
  { event: "scim.request", resource: "Users", method: "POST", status: 201 },
  { event: "socket.refused", reason: "too_many_sockets" },
  { event: "socket.closed", reason: "client_closed" },
  { event: "hook", hook: "masks", action: "passed", ms: 12 },
  { event: "hook_passed", hook: "masks", texts: 2 },
];

const EVERY_READING = {
  poundkey_build_info: () => new Map([["1.0.0", 1]]),
  poundkey_requests_open: () => 4,
  poundkey_body_bytes: () => new Map([["large", 30_000_000]]),
  poundkey_sockets: () => 3,
  poundkey_sockets_max: () => 500,
  poundkey_socket_bytes: () => 81_920,
  poundkey_tool_server_up: () => new Map([["github", 1]]),
  poundkey_mcp_streams: () => 2,
  poundkey_breaker_open: () => new Map([["Own#one", 2]]),
  poundkey_breaker_open_payers: () => new Map([["Own#one", 1]]),
  poundkey_refusal_lessons: () => 3,
  poundkey_model_shutdown_timestamp_seconds: () => new Map([["Own#one", 1_795_132_800]]),
  poundkey_telemetry_dropped_total: () => new Map([["traces", 7]]),
  poundkey_store_up: () => 1,
  poundkey_store_bytes: () => new Map([["database", 4096]]),
  poundkey_store_free_bytes: () => 1_000_000,
  poundkey_files_bytes: () => 5000,
  poundkey_files_max_bytes: () => 20_000,
  poundkey_last_backup_timestamp_seconds: () => 1_795_132_800_123,
  poundkey_config_ok: () => 0,
  poundkey_config_loaded_timestamp_seconds: () => 1_795_132_800_123,
  poundkey_credentials: () => new Map([[`Own${LABEL_END}retired`, 2]]),
  poundkey_provider_failing_seconds: () => new Map([["Own", 61_500]]),
  poundkey_certificate_expiry_seconds: () => new Map([["vLLM", 86_400]]),
  poundkey_balance_usd: () => new Map([["Search", 12_500_000_000]]),
  poundkey_budget_used_usd: () => new Map([[`Search${LABEL_END}month`, 3.5]]),
  poundkey_budget_limit_usd: () => new Map([[`Search${LABEL_END}month`, 4]]),
  poundkey_budgets_near: () => 1,
  poundkey_batches: () => new Map([["in_progress", 2]]),
  poundkey_batches_waiting: () => new Map([["insufficient_balance", 1]]),
  poundkey_batch_lines_running: () => 7,
  poundkey_members: () => new Map([["in_doubt", 4]]),
  poundkey_scim_last_request_timestamp_seconds: () => 1_795_132_800_123,
  poundkey_catalogue_age_seconds: () => 8_467_200,
  poundkey_catalogue_hidden: () => 12,
  poundkey_catalogue_changes_waiting: () => 3,
  poundkey_catalogue_serial: () => 2026112800,
  process_cpu_seconds_total: () => 1_234_567,
  process_resident_memory_bytes: () => 50_000_000,
  process_start_time_seconds: () => 1_795_132_800_123,
  process_open_fds: () => 20,
  process_max_fds: () => 1024,
};

function samplesOf(text: string, name: string): readonly Sample[] {
  return parseExposition(text).get(name)?.samples ?? [];
}

const sumOf = (samples: readonly Sample[]) => samples.reduce((sum, { value }) => sum + value, 0);

test("every metric in the table is used, and shown with its help and type", () => {
  const metrics = newMetrics(EVERY_READING);
  for (const event of EVERY_EVENT) metrics.count(event);
  metrics.observe("poundkey_store_seconds", 1500);
  metrics.countFamilyPriced("Own");
  const families = parseExposition(renderMetrics(metrics));
  expect([...families.keys()], "each takes an event or reading above").toEqual(SHOWN.map(({ name }) => name));
  for (const { name, type, help, labels } of SHOWN) {
    const { samples, ...told } = families.get(name) ?? { samples: [] };
    expect(told).toEqual({ type, help });
    if (type === "counter") expect([name, sumOf(samples) > 0]).toEqual([name, true]);
    for (const { labels: shown } of samples) {
      expect(Object.keys(shown).filter((label) => label !== "le")).toEqual([...labels]);
    }
  }
});

test("names follow Prometheus's conventions and are unique", () => {
  expect(new Set(SHOWN.map(({ name }) => name)).size).toBe(SHOWN.length);
  for (const [name, { type, unit, help }] of Object.entries(METRICS)) {
    expect(name).toMatch(/^(poundkey|process)_[a-z_]+$/);
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
    if (unit === "USD") expect(name).toMatch(/_usd(_|$)/);
    if (unit === "seconds") expect(name).toContain("_seconds");
    expect(help).toMatch(/^[A-Z][^\n\\]+\.$/);
  }
  for (const [name, { now }] of Object.entries(RENAMED)) {
    expect(SHOWN.find((one) => one.name === name)?.help).toBe(`Deprecated: use \`${now}\` instead.`);
  }
});

test("the documented table matches the code: `UPDATE_DOCS=1 bun test metrics.test` writes it", () => {
  const text = `# Metrics\n\n${INTRODUCTION}\n\n${writeMetricsTable()}`;
  if (process.env.UPDATE_DOCS) writeFileSync(DOCS, text);
  expect(readFileSync(DOCS, "utf8")).toBe(text);
});

const INTRODUCTION = [
  "`GET /metrics` answers in Prometheus' text format, for all workers of a gateway.",
  "",
  "**In short**: with `metrics: { token: … }` it requires `Authorization: Bearer <token>`; without, anyone who can reach the",
  "gateway can read the metrics. [Alerts and dashboards](alerts.md) come with the gateway.",
  '\n```sh\ncurl https://llm.example.com/metrics -H "Authorization: Bearer $METRICS_TOKEN"\n```\n',
  "No metric names a key, and only those of balances and budgets an account: the ones in `metrics.balances` and",
  "`metrics.budgets`, which require the token.",
  "",
  "The label `model` is a model of the catalogue; `Provider#(unlisted)` for all names that `unlisted_models: true` allows; `none`",
  "for requests that no model answered. A metric has at most 10,001 series in each process: from 5,000 on, further series of a",
  "model are summed with `other` for the other labels, and from 10,000 on all further ones as `other`.",
  "",
  "Counters without labels begin at 0, so that Prometheus' `increase` sees their first event. A series with labels appears",
  "with its first. A gauge of 0 or 1 is 1 for yes. Deprecated names are removed in the next release.",
  "",
  "With `--workers`, any process answers for all of them, including those that have ended: counters and gauges are added",
  "up, and the start time is the oldest worker's.",
].join("\n");

test("no document names a metric that isn't in the table", () => {
  const known = new Set(
    SHOWN.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  );
  const files = ["README.md", ...readdirSync(join(ROOT, "src/docs")).map((file) => `src/docs/${file}`)];
  for (const file of files.filter((one) => one.endsWith(".md"))) {
    const named = readFileSync(join(ROOT, file), "utf8").match(
      /\b(poundkey|process)_[a-z_]+_(total|seconds|bytes|fds|info|open)\b/g,
    );
    expect([file, (named ?? []).filter((name) => !known.has(name))]).toEqual([file, []]);
  }
});

test("money is in USD to the nano-dollar, time in seconds, and deprecated names keep their values", () => {
  const metrics = newMetrics(EVERY_READING);
  for (const event of EVERY_EVENT) metrics.count(event);
  const text = renderMetrics(metrics);
  for (const line of [
    'poundkey_charged_usd_total{model="Own#one"} 1.500000001',
    'poundkey_charged_nanousd_total{model="Own#one"} 1500000001',
    'poundkey_cost_usd_total{model="Own#one"} 2',
    'poundkey_cost_nanousd_total{model="Own#one"} 2000000000',
    "poundkey_written_off_usd_total 0.25",
    "poundkey_written_off_nanousd_total 250000000",
    "poundkey_holds_lost_total 3",
    'poundkey_units_total{model="Own#one",unit="search_units"} 3',
    'poundkey_operations_total{operation="rerank",surface="rerank"} 1',
    "poundkey_settled_late_total 1",
    'poundkey_build_info{version="1.0.0"} 1',
    "process_cpu_seconds_total 1.234567",
    "process_resident_memory_bytes 50000000",
    "poundkey_resident_bytes 50000000",
    "process_start_time_seconds 1795132800.123",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("durations fall into their buckets, bounds included", () => {
  const metrics = newMetrics();
  for (const totalMs of [1, 50, 51, 300_000, 300_001]) {
    metrics.count(requestOf("Own#one", { totalMs, firstTokenMs: null }));
  }
  const text = renderMetrics(metrics);
  const counts = samplesOf(text, "poundkey_request_seconds").map(({ labels: { le }, value }) => [le, value]);
  expect(counts).toEqual([
    ["0.05", 2],
    ["0.1", 3],
    ["0.25", 3],
    ["0.5", 3],
    ["1", 3],
    ["2.5", 3],
    ["5", 3],
    ["10", 3],
    ["30", 3],
    ["60", 3],
    ["300", 4],
    ["+Inf", 5],
    [undefined, 600.103],
    [undefined, 5],
  ]);
  expect(text).not.toContain("poundkey_first_token_seconds");
});

test("names made up by clients share one label value and displace no model", () => {
  const metrics = newMetrics({
    poundkey_breaker_open: () => new Map(Array.from({ length: 3000 }, (_, at) => [`Open#made-up-${at}`, 1])),
  });
  const made = 20_000;
  for (let at = 0; at < made; at++) {
    metrics.count(requestOf(`Open#made-up-${at}`, { chargedNanoUsd: 1_000_000_000 }));
    metrics.count(failed(`Open#made-up-${at}`));
    metrics.count({ event: "breaker_opened", model: `Open#made-up-${at}` });
    metrics.count({ event: "hedged", model: `Open#made-up-${at}`, won: "first" });
  }
  metrics.count(requestOf("Own#real", { chargedNanoUsd: 7_000_000_000 }));
  metrics.count(failed("Own#real"));
  const text = renderMetrics(metrics);
  expect(text).not.toContain("made-up");
  expect(text.split("\n").length).toBeLessThan(160);
  for (const line of [
    `poundkey_charged_usd_total{model="Open#(unlisted)"} ${made}`,
    'poundkey_charged_usd_total{model="Own#real"} 7',
    `poundkey_attempts_total{model="Open#(unlisted)",outcome="upstream_error"} ${made}`,
    'poundkey_attempts_total{model="Own#real",outcome="upstream_error"} 1',
    'poundkey_breaker_open{model="Open#(unlisted)"} 3000',
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("series beyond the bound are summed, by model while there is room", () => {
  const metrics = newMetrics();
  const asked = SERIES_MAX + 5;
  for (let at = 0; at < asked; at++) metrics.count(failed("Own#first", `fault_${at}`));
  metrics.count(failed("Own#second"));
  for (let at = 0; at < 2 * SERIES_MAX; at++) metrics.count(failed(`Own#${at}`));
  metrics.count(failed("Own#first", "fault_0"));
  const samples = samplesOf(renderMetrics(metrics), "poundkey_attempts_failed_total");
  expect(samples.length).toBe(2 * SERIES_MAX + 1);
  expect(sumOf(samples)).toBe(asked + 1 + 2 * SERIES_MAX + 1);
  const countOf = (model: string, fault: string) =>
    samples.find(({ labels }) => labels.model === model && labels.fault === fault)?.value;
  expect(countOf("Own#first", "fault_0")).toBe(2);
  expect(countOf("Own#first", "other")).toBe(5);
  expect(countOf("Own#second", "other")).toBe(1);
  expect(countOf("Own#0", "other")).toBe(1);
  expect(countOf("other", "other")).toBe(SERIES_MAX + 2);
});

test("the operator's unusual names are escaped correctly", () => {
  const metrics = newMetrics();
  const names = [
    'Own#"5" 7',
    "Own#back\\slash",
    "Own#two\nlines",
    "Own#{le}=,",
    "Own#größe",
    "Own#half\ud800",
  ];
  for (const name of names) metrics.count(requestOf(name));
  const read = samplesOf(renderMetrics(metrics), "poundkey_cost_usd_total").map(({ labels }) => labels.model);
  expect(read).toEqual(names.map((name) => name.toWellFormed()));
});

const HISTOGRAM = "# HELP a x\n# TYPE a histogram\n";

test.each([
  ["a type without HELP", "no HELP", "# TYPE a gauge\na 1\n"],
  ["a sample of another family", "another family", "# HELP a x\n# TYPE a gauge\nb 1\n"],
  ["the same series twice", "series twice", '# HELP a x\n# TYPE a gauge\na{l="1"} 1\na{l="1"} 1\n'],
  ["a quote in a label", "not a sample", '# HELP a x\n# TYPE a gauge\na{l="""} 1\n'],
  ["no number", "not a sample", "# HELP a x\n# TYPE a gauge\na one\n"],
  ["a counter without _total", "end in _total", "# HELP a x\n# TYPE a counter\na 1\n"],
  ["a bucket less", "no bucket +Inf", `${HISTOGRAM}a_bucket{le="1"} 1\na_sum 1\na_count 1\n`],
  ["a count of its own", "isn't the count", `${HISTOGRAM}a_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n`],
])("the scraper used in these tests refuses %s", (_, why, text) => {
  expect(() => parseExposition(text)).toThrow(why);
});

/** Writes the table as Markdown for the docs. */
function writeMetricsTable(): string {
  const rows = SHOWN.map(({ name, type, unit, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${unit} | ${shown} | ${help} |`;
  });
  return ["| name | type | unit | labels | meaning |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}
