// A made day of one gateway's metrics, minute by minute, counted by the gateway's own code: quiet hours and incidents.
import type { RequestRecord } from "../../src/core/log/record.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { LABEL_END, Metrics, type MetricsParts } from "../../src/telemetry/metrics.ts";
import { makeRecord } from "../harness/samples.ts";
import { NOTHING_READ, parseExposition, renderMetrics } from "../telemetry/metrics-world.ts";

const DAY_START = Date.UTC(2026, 10, 21) / 1000;
const MINUTES = 24 * 60;
const MINUTE_S = 60;
const PER_MINUTE = 12;
const GB = 1e9;
const SOCKET_EVENTS = ["opened", "refused", "closed", "turn", "warm_up"].map((what) => `socket.${what}`);
const US_PER_MS = 1000;
const PROVIDERS = ["OpenAI", "Anthropic", "Google"];
const MODELS = ["OpenAI#gpt-5.4", "Anthropic#claude-sonnet-4.5", "Google#gemini-3-flash"] as const;
const TARGET = { job: "poundkey", instance: "gw-1:8080" };

/** The hours of each incident, by the alert that must see it. Nothing is wrong before `QUIET_UNTIL_H`. */
const INCIDENTS = {
  PoundkeyDown: [2, 2.5],
  PoundkeyStoreDown: [4, 4.4],
  PoundkeySettlementsLost: [4, 4.4],
  PoundkeyStoreSlow: [5, 6],
  PoundkeyGatewaySlow: [5, 6],
  PoundkeyBackupOld: [6, 7],
  PoundkeyConfigRefused: [7, 7.5],
  PoundkeyPricesOld: [7.5, 8],
  PoundkeyPeopleInDoubt: [21, 22],
  PoundkeyDirectoryRefused: [22, 22.8],
  PoundkeyReasoningRemoved: [4, 6.5],
  PoundkeyProviderFailing: [8, 9],
  PoundkeyErrorRateHigh: [8, 9],
  PoundkeyCredentialRefused: [10, 11],
  PoundkeyBalanceLow: [12, 13],
  PoundkeyLimitRefusals: [13, 14],
  PoundkeyWrongKeys: [13, 14],
  PoundkeySlowAnswers: [15, 16],
  PoundkeyTelemetryDropped: [16, 16.5],
  PoundkeyFilesRunningOut: [17, 18],
  PoundkeySocketsNearMost: [11, 11.8],
  PoundkeyBatchesWaiting: [14, 15.5],
  PoundkeyFilesNearlyFull: [14, 14.8],
  PoundkeyToolServerDown: [14, 14.8],
  PoundkeyInternalErrors: [18, 18.2],
  PoundkeyWrittenOff: [19, 19.2],
  PoundkeyDiskFilling: [20, 23],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
type Incident = keyof typeof INCIDENTS;
const QUIET_UNTIL_H = 1.9;

export const ALERTS_OF_DAY: ReadonlySet<string> = new Set(Object.keys(INCIDENTS));

/** Times in seconds since 1970. */
export const DAY = {
  fromS: DAY_START,
  toS: DAY_START + MINUTES * MINUTE_S,
  quietFromS: DAY_START + 30 * MINUTE_S,
  quietToS: DAY_START + QUIET_UNTIL_H * 3600,
};

class MadeDay {
  readonly metrics: Metrics;
  minute = 0;
  #dropped = 0;

  constructor() {
    this.metrics = new Metrics({ readings: this.#makeReadings(), isListed: () => true });
  }

  is(incident: Incident): boolean {
    const [fromH, toH] = INCIDENTS[incident];
    return this.minute >= fromH * 60 && this.minute < toH * 60;
  }

  /** Counts the events of the next minute. */
  pass(): void {
    this.minute++;
    for (let at = 0; at < PER_MINUTE; at++) this.#request(at);
    const { metrics } = this;
    if (this.is("PoundkeyStoreDown")) {
      metrics.count({ event: "settle_failed" });
      if (this.minute % 5 === 0) metrics.count({ event: "settle_lost" });
    }
    if (this.is("PoundkeyLimitRefusals")) this.#refuse(180, "rate_limit_exceeded", "budget");
    if (this.is("PoundkeyWrongKeys")) this.#refuse(180, "invalid_api_key");
    if (this.is("PoundkeyTelemetryDropped")) this.#dropped += PER_MINUTE;
    if (this.is("PoundkeyInternalErrors")) metrics.count({ event: "internal_error" });
    this.metrics.count({ event: "batch_line", outcome: "completed" });
    this.#provision();
    if (this.minute % 90 === 0) this.#rareEvents();
  }

  /** A search of the directory finds nobody now and then. */
  #provision(): void {
    const asked = { event: "scim.request", resource: "Users" } as const;
    if (this.minute % 40 === 0) this.metrics.count({ ...asked, method: "GET", status: 200 });
    if (this.minute % 40 === 0) this.metrics.count({ ...asked, method: "GET", status: 404 });
    if (this.is("PoundkeyDirectoryRefused")) this.metrics.count({ ...asked, method: "POST", status: 401 });
  }

  #refuse(times: number, code: string, kind?: string): void {
    const limit = kind === undefined ? {} : { limit_kind: kind, limit_scope: "key" };
    for (let at = 0; at < times; at++) this.metrics.count({ event: "refused", fault: code, code, ...limit });
  }

  #rareEvents(): void {
    const [model] = MODELS;
    for (const event of ["replayed", "retry_refused", ...SOCKET_EVENTS])
      this.metrics.count({ event, reason: "client_closed", outcome: "completed" });
    this.metrics.count({ event: "tool.called", server: "github", outcome: "ok", ms: 120 });
    this.metrics.count({ event: "hedged", model, won: "second" });
    this.metrics.count({ event: "usage_implausible", model });
    this.metrics.count({ event: "holds_lost", holds: 1 });
    this.metrics.count({ event: "breaker_opened", model, provider: "OpenAI" });
    this.metrics.count({ event: "credential_retired", model, provider: "OpenAI" });
  }

  #request(at: number): void {
    const model = MODELS[at % MODELS.length] ?? MODELS[0];
    const isFailing = model === MODELS[0] && this.is("PoundkeyProviderFailing");
    const isSlow = model === MODELS[2] && this.is("PoundkeySlowAnswers");
    const isWorkSlow = this.is("PoundkeyGatewaySlow");
    this.metrics.observe("poundkey_store_seconds", (isWorkSlow ? 400 : 2) * US_PER_MS);
    if (isFailing) this.metrics.count({ event: "attempt_failed", model, fault: "upstream_error" });
    if (at === 0 && this.is("PoundkeyReasoningRemoved"))
      this.metrics.count({ event: "reasoning_removed", provider: "OpenAI", model, reason: "prefix" });
    const failed: Partial<RequestRecord> = { modelUsed: null, status: 502, ended: "upstream_failed" };
    const amounts = { ...NO_AMOUNTS, prompt: 900, cached: 300, completion: 200, reasoning: 50, images: 1 };
    const record: RequestRecord = {
      ...makeRecord("made"),
      modelAsked: model,
      modelTried: model,
      modelUsed: model,
      status: 200,
      ended: "done",
      amounts,
      selector: at === 0 ? "Router#fair" : null,
      costNanoUsd: 4_000_000,
      chargedNanoUsd: 1_000_000,
      attempts: 1,
      totalMs: isSlow ? 25_000 : 1800,
      firstTokenMs: isSlow ? 20_000 : 400,
      ...(isFailing ? failed : {}),
    };
    const isWrittenOff = at === 0 && this.is("PoundkeyWrittenOff");
    this.metrics.count({
      event: "request",
      record,
      gateway_ms: isWorkSlow ? 420 : 3,
      late: at === 0 && this.minute % 60 === 0,
      ...(isWrittenOff ? { written_off_nano_usd: GB } : {}),
    });
  }

  /** Of what outlasts a request: sockets, tool servers, files and batches. */
  #makeLongLivedReadings(): Partial<MetricsParts["readings"]> {
    return {
      poundkey_sockets: () => (this.is("PoundkeySocketsNearMost") ? 470 : 40),
      poundkey_sockets_max: () => 500,
      poundkey_socket_bytes: () => 6_000_000,
      poundkey_tool_server_up: () => new Map([["github", Number(!this.is("PoundkeyToolServerDown"))]]),
      poundkey_mcp_streams: () => 12,
      poundkey_files_bytes: () => (this.is("PoundkeyFilesNearlyFull") ? 19 : 3) * GB,
      poundkey_files_max_bytes: () => 20 * GB,
      poundkey_batches: () => new Map([["in_progress", 3]]),
      poundkey_batches_waiting: () =>
        new Map([["insufficient_balance", Number(this.is("PoundkeyBatchesWaiting"))]]),
      poundkey_batch_lines_running: () => 12,
    };
  }

  #makeReadings(): MetricsParts["readings"] {
    const flag = (incident: Incident) => () => Number(!this.is(incident));
    const failingMs = () =>
      this.is("PoundkeyProviderFailing")
        ? (this.minute - INCIDENTS.PoundkeyProviderFailing[0] * 60) * 60_000
        : 0;
    const full = INCIDENTS.PoundkeyDiskFilling[0] * 60;
    const freeBytes = () => (this.minute < full ? 100 * GB : Math.max(0.5, 100 - (this.minute - full)) * GB);
    return {
      ...NOTHING_READ,
      ...this.#makeLongLivedReadings(),
      poundkey_build_info: () => new Map([["1.0.0", 1]]),
      poundkey_requests_open: () => 4,
      poundkey_body_bytes: () => new Map([["large", 3_000_000]]),
      poundkey_breaker_open: () => new Map([[MODELS[0], Number(this.is("PoundkeyProviderFailing"))]]),
      poundkey_telemetry_dropped_total: () => new Map([["traces", this.#dropped]]),
      poundkey_store_up: flag("PoundkeyStoreDown"),
      poundkey_store_bytes: () =>
        new Map([
          ["database", 40_000_000 + this.minute],
          ["log", 4_000_000],
        ]),
      poundkey_store_free_bytes: freeBytes,
      poundkey_last_backup_timestamp_seconds: () =>
        (DAY_START - (this.is("PoundkeyBackupOld") ? 2 * 86_400 : 3600)) * 1000,
      poundkey_config_ok: flag("PoundkeyConfigRefused"),
      poundkey_config_loaded_timestamp_seconds: () => DAY_START * 1000,
      poundkey_credentials: () =>
        new Map([
          [`OpenAI${LABEL_END}active`, 2],
          [`OpenAI${LABEL_END}untried`, 1],
          [`OpenAI${LABEL_END}retired`, Number(this.is("PoundkeyCredentialRefused"))],
        ]),
      poundkey_provider_failing_seconds: () =>
        new Map(PROVIDERS.map((name) => [name, name === "OpenAI" ? failingMs() : 0])),
      poundkey_members: () =>
        new Map([
          ["active", 50],
          ["in_doubt", this.is("PoundkeyPeopleInDoubt") ? 12 : 0],
        ]),
      poundkey_scim_last_request_timestamp_seconds: () => DAY_START * 1000,
      poundkey_balance_usd: () => new Map([["Search", (this.is("PoundkeyBalanceLow") ? 4 : 250) * GB]]),
      poundkey_catalogue_age_seconds: () => (this.is("PoundkeyPricesOld") ? 91 : 6) * 86_400,
      poundkey_catalogue_hidden: () => 0,
      poundkey_catalogue_changes_waiting: () => 2,
      poundkey_catalogue_serial: () => 2026112800,
      process_cpu_seconds_total: () => this.minute * 3_000_000,
      process_resident_memory_bytes: () => 90_000_000,
      process_start_time_seconds: () => DAY_START * 1000,
      process_open_fds: () => (this.is("PoundkeyFilesRunningOut") ? 950 : 60),
      process_max_fds: () => 1024,
    };
  }
}

/** Writes the day in OpenMetrics' text format, which `promtool tsdb create-blocks-from openmetrics` reads. */
export function writeDay(): string {
  const day = new MadeDay();
  const families = new Map<string, { readonly type: string; readonly lines: string[] }>();
  const add = (family: string, type: string, sample: string) => {
    const found = families.getOrInsertComputed(family, () => ({ type, lines: [] }));
    found.lines.push(sample);
  };
  for (let at = 0; at < MINUTES; at++) {
    day.pass();
    const atS = DAY_START + day.minute * MINUTE_S;
    const isDown = day.is("PoundkeyDown");
    add("up", "gauge", `up${formatLabels({})} ${Number(!isDown)} ${atS}`);
    if (isDown) continue;
    for (const [family, { type, samples }] of parseExposition(renderMetrics(day.metrics))) {
      for (const { name, labels, value } of samples)
        add(family, type, `${name}${formatLabels(labels)} ${value} ${atS}`);
    }
  }
  const written = [...families].flatMap(([name, { type, lines }]) => [
    `# TYPE ${type === "counter" ? name.replace(/_total$/, "") : name} ${type}`,
    ...lines,
  ]);
  return `${written.join("\n")}\n# EOF\n`;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries({ ...labels, ...TARGET });
  return `{${all.map(([name, value]) => `${name}="${value}"`).join(",")}}`;
}
