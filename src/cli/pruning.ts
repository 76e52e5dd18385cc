// Rows that have been kept long enough are forgotten, a few at a time.
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world.ts";

const PERIOD_MS = 600_000;
const ROWS_MAX = 2000;
/** A meter may still be asked for by a clock that was set back: it is kept for longer than any day. */
const METERS_MS = 7 * 86_400_000;

/** Looks every ten minutes, and at once; `keepMs` is asked for each time. The returned function ends it. */
export function pruneRegularly(store: Store, clock: Clock, log: Log, keepMs: () => number): () => void {
  const prune = async () => {
    const nowMs = clock.nowMs();
    const before = { requestsMs: nowMs - keepMs(), metersMs: nowMs - METERS_MS };
    while ((await store.prune(before, ROWS_MAX)) === ROWS_MAX);
  };
  const attempt = () => {
    prune().catch((error: unknown) => log({ event: "prune_failed", level: "warn", cause: String(error) }));
  };
  attempt();
  return clock.every(PERIOD_MS, attempt);
}
