// Deletes what has been kept for long enough, or takes too much room.
import { REFUSALS_MAX } from "../../core/log/refusal-log.ts";
import { REPEAT_SECRET_MS } from "../../core/people/repeats.ts";
import type { PruneBefore, Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { findOldestRow, REPLY_KEPT_MS } from "../../ledger/replies.ts";

const ROWS_MAX = 2000;
/** The maximum size of all replies kept for Idempotency-Keys, in characters: 1 GiB. The oldest are deleted first. */
const KEPT_CHARACTERS_MAX = 1024 * 1024 * 1024;
const REPLIES_AT_ONCE = 20;
/** Meters are kept for more than a day, because a clock that was set back may still need an old one. */
const METERS_MS = 7 * 86_400_000;
/** Deliveries that failed for good can be sent again within this time. */
const DEAD_MS = 30 * 86_400_000;
const DEAD_MAX = 10_000;
/** Providers' invoices come after a month's end, and some are asked about. */
const CALLS_MS = 70 * 86_400_000;

interface PruneParts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  /** Returns how long request rows are kept. */
  readonly keepMs: () => number;
  /** Returns how long responses are kept. 0 if they aren't. */
  readonly responsesKeepMs: () => number;
}

/** Deletes the oldest kept replies until the rest has at most `charactersMax` characters. */
export async function forgetOldest(
  store: Pick<Store, "prune" | "keptCharacters">,
  before: PruneBefore,
  charactersMax: number,
): Promise<void> {
  while ((await store.keptCharacters()) > charactersMax) {
    if ((await store.prune(before, REPLIES_AT_ONCE)) === 0) return;
  }
}

export async function pruneStore({ store, clock, keepMs, responsesKeepMs }: PruneParts): Promise<void> {
  const nowMs = clock.nowMs();
  const before = {
    requestsMs: findOldestRow(nowMs, keepMs()),
    contentsMs: nowMs - keepMs(),
    metersMs: nowMs - METERS_MS,
    repliesMs: nowMs - REPLY_KEPT_MS,
    putsMs: nowMs - REPEAT_SECRET_MS,
    callsMs: nowMs - CALLS_MS,
  };
  while ((await store.prune(before, ROWS_MAX)) === ROWS_MAX);
  await forgetOldest(store, { ...before, repliesMs: nowMs }, KEPT_CHARACTERS_MAX);
  await store.repeats.prune(nowMs);
  while ((await store.foreign.end(nowMs, ROWS_MAX)) === ROWS_MAX);
  while ((await store.cache.prune(nowMs, ROWS_MAX)) === ROWS_MAX);
  while ((await store.refusals.prune(before.contentsMs, REFUSALS_MAX, ROWS_MAX)) === ROWS_MAX);
  while ((await store.providerCalls.prune(before.callsMs, ROWS_MAX)) === ROWS_MAX);
  await store.webhooks.prune(nowMs - DEAD_MS, DEAD_MAX);
  const responsesMs = nowMs - responsesKeepMs();
  while ((await store.responses.prune(responsesMs, ROWS_MAX)) === ROWS_MAX);
}
