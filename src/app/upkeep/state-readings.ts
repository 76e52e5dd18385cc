// Reads the gateway's state for the metrics: the store, the configuration, the providers, and the listed balances and budgets.
import { X509Certificate } from "node:crypto";
import { measurePriceAge, readStanding } from "../../catalogue/file/standing.ts";
import type { ProviderSetup, Settings } from "../../core/settings.ts";
import type { Deadlines } from "../../core/world/world.ts";
import type { Health } from "../../health/health.ts";
import { countCredentials, countOpenBreakers, countOpenPayers, measureFailing } from "../../health/report.ts";
import type { BatchRunner } from "../../jobs/runner.ts";
import { LABEL_END, type Reading } from "../../telemetry/metrics.ts";
import type { PriceWatch } from "../models/catalogue-watch.ts";
import type { ConfigurationState } from "../problems.ts";
import { describeServers } from "../tools/readings.ts";
import type { Tools } from "../tools/tools.ts";
import { clock } from "../world.ts";
import type { Measures } from "./measures.ts";
import type { StoreWatch } from "./store-watch.ts";

interface StateReadingParts {
  readonly watch: Pick<StoreWatch, "isSound">;
  readonly configuration: Pick<ConfigurationState, "refused" | "loadedAtMs">;
  readonly health: () => Health;
  readonly measures: Measures;
  readonly settings: () => Settings;
  readonly deadlines: Pick<Deadlines, "nowMs">;
  readonly prices: Pick<PriceWatch, "waiting" | "list">;
  readonly tools: () => Tools;
  /** Reads the runner of batches. */
  readonly batches: () => BatchRunner["readings"];
}

export function createStateReadings({
  watch,
  configuration,
  health,
  measures,
  batches,
  ...rest
}: StateReadingParts) {
  const report = () => ({
    health: health(),
    providers: rest.settings().providers,
    cards: [],
    nowMs: rest.deadlines.nowMs(),
    wallMs: clock.nowMs(),
  });
  return {
    poundkey_breaker_open: () => countOpenBreakers(health(), rest.deadlines.nowMs()),
    poundkey_breaker_open_payers: () => countOpenPayers(health()),
    poundkey_refusal_lessons: () => health().refusals.report().length,
    poundkey_store_up: () => Number(watch.isSound),
    poundkey_store_bytes: () => new Map(Object.entries(measures.size?.parts ?? {})),
    poundkey_store_free_bytes: () => measures.size?.freeBytes ?? null,
    poundkey_files_bytes: () => measures.filesBytes,
    poundkey_files_max_bytes: () => rest.settings().files.bytesMax,
    poundkey_last_backup_timestamp_seconds: () => measures.size?.backedUpAtMs ?? null,
    poundkey_config_ok: () => Number(configuration.refused === null),
    poundkey_config_loaded_timestamp_seconds: () => configuration.loadedAtMs,
    poundkey_credentials: () => {
      const counts = countCredentials(report());
      return new Map(counts.map(([provider, state, count]) => [`${provider}${LABEL_END}${state}`, count]));
    },
    poundkey_provider_failing_seconds: () => measureFailing(report()),
    poundkey_certificate_expiry_seconds: () => measureCertificates(rest.settings().providers),
    poundkey_tool_server_up: () => describeServers(rest.tools()),
    poundkey_mcp_streams: () => rest.tools().door.listeners.count,
    poundkey_batches: () => countEach(batches().statuses),
    poundkey_batches_waiting: () => countEach(batches().waiting),
    poundkey_batch_lines_running: () => batches().running,
    poundkey_balance_usd: () => measures.balances,
    poundkey_budget_used_usd: () => readBudgets(measures, "usedUsd"),
    poundkey_budget_limit_usd: () => readBudgets(measures, "limitUsd"),
    poundkey_budgets_near: () => measures.nearBudgets,
    poundkey_members: () => measures.people,
    poundkey_scim_last_request_timestamp_seconds: () => measures.directoryAtMs,
    poundkey_catalogue_age_seconds: () => measurePriceAge(readStanding(rest.settings()), clock.nowMs()),
    poundkey_catalogue_hidden: () => countHidden(rest.settings()),
    poundkey_catalogue_changes_waiting: () => rest.prices.waiting,
    poundkey_catalogue_serial: () => rest.prices.list?.serial ?? null,
  } satisfies Readonly<Record<string, Reading>>;
}

/** Null without a catalogue file, which could hide something. */
function countHidden(settings: Settings): number | null {
  return settings.catalogueFile === undefined ? null : readStanding(settings).hiding.length;
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]));
}

function readBudgets({ budgets }: Measures, field: "usedUsd" | "limitUsd"): ReadonlyMap<string, number> {
  return new Map(budgets.map((one) => [`${one.account}${LABEL_END}${one.budget}`, one[field]]));
}

const MS_PER_SECOND = 1000;

/** Returns the seconds until each provider's own certificate ends. The configuration has read them all before. */
function measureCertificates(providers: readonly ProviderSetup[]): ReadonlyMap<string, number> {
  const ends = providers.flatMap(({ name, network }) => {
    const cert = network?.tls?.cert;
    return cert === undefined ? [] : [[name, Date.parse(new X509Certificate(cert).validTo)] as const];
  });
  return new Map(ends.map(([name, endsAtMs]) => [name, (endsAtMs - clock.nowMs()) / MS_PER_SECOND]));
}
