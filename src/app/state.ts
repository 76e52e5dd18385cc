// The running gateway's state: its counters, its store, its configuration, its export; and the log that feeds them.
import { version } from "../../package.json" with { type: "json" };
import { PriceBook } from "../catalogue/price-book.ts";
import type { Settings } from "../core/settings.ts";
import { isToolModel } from "../core/tools/rules.ts";
import type { Deadlines, Fetch, Log } from "../core/world/world.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Health } from "../health/health.ts";
import type { BodyMemory } from "../http/body/body-memory.ts";
import type { OpenSockets } from "../http/sockets/open-sockets.ts";
import type { BatchRunner } from "../jobs/runner.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { PaymentTroubles } from "../payments/troubles.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { Refusals } from "../telemetry/refusals.ts";
import { Telemetry } from "../telemetry/telemetry.ts";
import { WrongKeyLines } from "../telemetry/wrong-key-lines.ts";
import { readShortText } from "../transport/short-text.ts";
import { PriceWatch } from "./models/catalogue-watch.ts";
import { ConfigurationState } from "./problems.ts";
import { readBytes } from "./start/configuration.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";
import type { Tools } from "./tools/tools.ts";
import { Measures } from "./upkeep/measures.ts";
import { PROCESS_READINGS } from "./upkeep/process-readings.ts";
import { createStateReadings } from "./upkeep/state-readings.ts";
import { StoreWatch } from "./upkeep/store-watch.ts";
import { PART, receiveLooks, type SharedLook, sendToParent } from "./workers/worker.ts";
import { clock, random, upstreamFetch } from "./world.ts";

const MICROSECONDS_PER_MS = 1000;

interface StateOptions {
  /** The settings at the start. */
  readonly settings: Settings;
  readonly opened: OpenedStore;
  readonly log: Log;
  readonly deadlines: Pick<Deadlines, "nowMs">;
  readonly bodies: Pick<BodyMemory, "bytes">;
  readonly openSockets: Pick<OpenSockets, "count" | "most" | "memory">;
  /** Fetches the list of prices that the operator named. */
  readonly fetch?: Fetch;
}

/** The parts of the gateway that are made after the log that they write to. */
interface LaterParts {
  readonly health: Health;
  readonly live: LiveConfiguration;
  readonly gateway: Gateway;
  readonly runner: BatchRunner;
  readonly tools: Tools;
  readonly ledger: Ledger;
}

/** `later` is called once requests are served, or at a scrape. */
export function observeState(
  { settings, opened, log: write, deadlines, bodies, openSockets, fetch = upstreamFetch }: StateOptions,
  later: () => LaterParts,
) {
  const configuration = new ConfigurationState(clock);
  const refusals = new Refusals(() => clock.nowMs());
  const parts = { clock, random, fetch: upstreamFetch, readText: readShortText, log: write, version };
  const telemetry = new Telemetry(parts, settings);
  const tell = boundLines(telemetry, write);
  /** Counts every event before it is exported and written. */
  const log: Log = (event) => {
    metrics.count(event);
    refusals.count(event);
    tell(event);
  };
  const onTransaction = (tookMs: number) =>
    metrics.observe("poundkey_store_seconds", Math.round(tookMs * MICROSECONDS_PER_MS));
  const watch = new StoreWatch({ store: opened.store, clock, log, onTransaction });
  const measures = measure(watch.store, later);
  const prices = watchPrices(() => later().live.settings, { fetch, store: watch.store, log });
  const metrics: Metrics = new Metrics({
    readings: {
      poundkey_build_info: () => new Map([[version, 1]]),
      poundkey_requests_open: () => later().gateway.open,
      poundkey_body_bytes: () => new Map(Object.entries(bodies.bytes)),
      poundkey_sockets: () => openSockets.count,
      poundkey_sockets_max: () => openSockets.most,
      poundkey_socket_bytes: () => openSockets.memory.bytes,
      poundkey_telemetry_dropped_total: () => telemetry.dropped,
      poundkey_model_shutdown_timestamp_seconds: () => later().live.findEnds(),
      ...createStateReadings({
        watch,
        configuration,
        measures,
        deadlines,
        health: () => later().health,
        settings: () => later().live.settings,
        batches: () => later().runner.readings,
        tools: () => later().tools,
        prices,
      }),
      ...PROCESS_READINGS,
    },
    isListed: (model) => isToolModel(model) || later().live.isListed(model),
  });
  const troubles = new PaymentTroubles(clock, log);
  const priceBook = new PriceBook((provider) => metrics.countFamilyPriced(provider));
  return { log, metrics, refusals, telemetry, watch, measures, configuration, troubles, prices, priceBook };
}

interface WatchingParts {
  readonly fetch: Fetch;
  readonly store: StoreWatch["store"];
  readonly log: Log;
}

/** One process of a node looks at the watched list, and the others compare what it found. */
function watchPrices(settings: () => Settings, { fetch, store, log }: WatchingParts): PriceWatch {
  const parts = { settings, fetch, readFile: readBytes, store, log, clock, random };
  if (PART === null) return new PriceWatch(parts);
  const share = (looked: SharedLook) => sendToParent({ looked });
  const prices = new PriceWatch({ ...parts, team: { isFirst: PART.place === 0, share } });
  receiveLooks((look) => {
    prices.follow(look).catch((error: unknown) => {
      log({ event: "catalogue_failed", level: "warn", cause: String(error) });
    });
  });
  return prices;
}

/** Returns the log that exports and writes events, but not each of those that anybody can cause. */
function boundLines(telemetry: Pick<Telemetry, "log">, write: Log): Log {
  const lines = new WrongKeyLines(clock, (event) => {
    telemetry.log(event);
    write(event);
  });
  return lines.write;
}

function measure(store: StoreWatch["store"], later: () => LaterParts): Measures {
  const rules = () => later().live.settings.metrics;
  return new Measures({ store, clock, rules, ledger: () => later().ledger });
}
