// The running gateway's state: its counters, its store, its configuration; and the log that counts.
import { version } from "../../package.json" with { type: "json" };
import type { Deadlines, Log } from "../core/world.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Health } from "../health/health.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { Refusals } from "../telemetry/refusals.ts";
import type { LiveConfiguration } from "./live-configuration.ts";
import { Measures } from "./measures.ts";
import type { OpenedStore } from "./open-store.ts";
import { ConfigurationState } from "./problems.ts";
import { PROCESS_READINGS } from "./process-readings.ts";
import { createStateReadings } from "./state-readings.ts";
import { StoreWatch } from "./store-watch.ts";
import { clock } from "./world.ts";

const MICROSECONDS_PER_MS = 1000;

interface StateOptions {
  readonly opened: OpenedStore;
  readonly log: Log;
  readonly deadlines: Pick<Deadlines, "nowMs">;
  /** Returns the memory held by bodies, by budget. */
  readonly bytes: () => Readonly<Record<string, number>>;
}

/** The parts of the gateway that are made after the log that they write to. */
interface LaterParts {
  readonly health: Health;
  readonly live: LiveConfiguration;
  readonly gateway: Gateway;
}

/** `later` is called once requests are served, or at a scrape. */
export function observeState(
  { opened, log: write, deadlines, bytes }: StateOptions,
  later: () => LaterParts,
) {
  const configuration = new ConfigurationState(clock);
  const refusals = new Refusals(() => clock.nowMs());
  /** Counts every event before it is written. */
  const log: Log = (event) => {
    metrics.count(event);
    refusals.count(event);
    write(event);
  };
  const onTransaction = (tookMs: number) =>
    metrics.observe("poundkey_store_seconds", Math.round(tookMs * MICROSECONDS_PER_MS));
  const watch = new StoreWatch({ store: opened.store, clock, log, onTransaction });
  const measures = new Measures(watch.store, () => later().live.settings.metrics.balances);
  const metrics: Metrics = new Metrics({
    readings: {
      poundkey_build_info: () => new Map([[version, 1]]),
      poundkey_requests_open: () => later().gateway.open,
      poundkey_body_bytes: () => new Map(Object.entries(bytes())),
      ...createStateReadings({
        ...{ watch, configuration, measures, deadlines },
        health: () => later().health,
        providers: () => later().live.settings.providers,
      }),
      ...PROCESS_READINGS,
    },
    isListed: (model) => later().live.isListed(model),
  });
  return { log, metrics, refusals, watch, measures, configuration };
}
