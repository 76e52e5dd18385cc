// Connects events and their deliveries with the live configuration, the providers' health and the store.
import { version } from "../../package.json" with { type: "json" };
import type { Store } from "../core/store.ts";
import type { Deadlines, Fetch, Log } from "../core/world.ts";
import type { Health } from "../health/health.ts";
import { buildReport } from "../health/report.ts";
import { Delivering } from "../webhooks/delivery.ts";
import { HealthEvents } from "../webhooks/health-events.ts";
import type { LiveConfiguration } from "./live-configuration.ts";
import { clock, random } from "./world.ts";

interface TellingParts {
  readonly store: Store;
  readonly live: LiveConfiguration;
  readonly health: Health;
  readonly deadlines: Pick<Deadlines, "nowMs">;
  readonly fetch: Fetch;
  readonly log: Log;
}

export function createTelling({ store, live, health, deadlines, fetch, log }: TellingParts) {
  const delivering = new Delivering({
    ...{ store, clock, random, fetch, log, version },
    endpoints: () => live.settings.webhooks,
  });
  /** Without the models that nobody has called. */
  const report = () => {
    const now = { nowMs: deadlines.nowMs(), wallMs: clock.nowMs() };
    return buildReport({ health, providers: live.settings.providers, cards: [], ...now });
  };
  return { delivering, healthEvents: new HealthEvents({ store, clock, health: report }) };
}
