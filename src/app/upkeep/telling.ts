// Connects events and their deliveries with the live configuration, the providers' health, what was learned, and the store.
import { version } from "../../../package.json" with { type: "json" };
import type { Store } from "../../core/store.ts";
import type { Deadlines, Fetch, Log } from "../../core/world/world.ts";
import type { Health } from "../../health/health.ts";
import { buildReport } from "../../health/report.ts";
import type { Hooks } from "../../steps/hooks/hooks.ts";
import { listBestStates } from "../../webhooks/best-state.ts";
import { Delivering } from "../../webhooks/delivery.ts";
import { listHealthStates } from "../../webhooks/health-states.ts";
import { listHookStates } from "../../webhooks/hook-states.ts";
import { StateEvents } from "../../webhooks/state-events.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import { clock, random } from "../world.ts";
import type { RecordingParts } from "./digests.ts";

interface TellingParts {
  readonly store: Store;
  readonly ledger: RecordingParts["ledger"];
  readonly live: LiveConfiguration;
  readonly health: Health;
  readonly hooks: Pick<Hooks, "listStates">;
  readonly lessons: { best(): string | null };
  readonly deadlines: Pick<Deadlines, "nowMs">;
  readonly fetch: Fetch;
  readonly log: Log;
}

export function createTelling({
  store,
  ledger,
  live,
  health,
  hooks,
  lessons,
  deadlines,
  fetch,
  log,
}: TellingParts) {
  const delivering = new Delivering({
    store,
    clock,
    random,
    fetch,
    log,
    version,
    endpoints: () => live.settings.webhooks,
  });
  /** Without the models that nobody has called. */
  const report = () => {
    const now = { nowMs: deadlines.nowMs(), wallMs: clock.nowMs() };
    return buildReport({ health, providers: live.settings.providers, cards: [], ...now });
  };
  const seen = () => [
    ...report().flatMap(listHealthStates),
    ...hooks.listStates().flatMap(listHookStates),
    ...listBestStates(lessons.best()),
  ];
  const models = {
    settings: () => live.settings,
    cards: () => live.snapshot.catalogue.listWithEnded(),
  };
  const digests: RecordingParts = {
    store,
    clock,
    ledger,
    endpoints: () => live.settings.webhooks,
    isDelivering: () => delivering.isDelivering,
    timeZone: () => live.settings.quota.timeZone,
  };
  return { delivering, digests, stateEvents: new StateEvents({ store, clock, seen }), models };
}
