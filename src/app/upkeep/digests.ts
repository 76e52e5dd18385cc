// Records each account's digest of the week, on Monday at 07:00, once over all nodes.
import { type DigestParts, listDigestAccounts, makeDigest } from "../../admin/money/digest.ts";
import type { EventType } from "../../core/events/events.ts";
import { type Endpoint, isFor, wantsEvent } from "../../core/events/webhook.ts";
import type { Store } from "../../core/store.ts";
import { findDueWeek, type Week } from "../../ledger/money/week.ts";

const TYPE: EventType = "account.digest";
const TOLD = "digests_told";
/** A receiver that was configured later than this hears of the next week first. */
const FIRST_WITHIN_MS = 86_400_000;

export interface RecordingParts extends DigestParts {
  readonly store: DigestParts["store"] & Pick<Store, "addEvents" | "setting" | "setSetting" | "clockAheadMs">;
  readonly endpoints: () => readonly Endpoint[];
  /** True on the one node that delivers events. */
  readonly isDelivering: () => boolean;
}

/**
 * Records one event for each account that has had requests, if a receiver wants its digests. The week is noted
 * after the last one: a node that takes over meanwhile makes them again, and those that are there stay as they are.
 */
export async function recordDigests(parts: RecordingParts): Promise<void> {
  const { store, clock, endpoints, isDelivering, timeZone } = parts;
  const wanted = endpoints().filter(({ events }) => wantsEvent(events, TYPE));
  if (wanted.length === 0 || !isDelivering()) return;
  const nowMs = clock.nowMs() + (store.clockAheadMs() ?? 0);
  const week = findDueWeek(nowMs, timeZone());
  const told = await store.setting(TOLD);
  if (told !== null && told >= week.name) return;
  const isLate = told === null && nowMs >= week.dueMs + FIRST_WITHIN_MS;
  if (isLate || (await recordWeek(parts, wanted, week, nowMs))) await store.setSetting(TOLD, week.name);
}

/** Returns false if another node has taken over. */
async function recordWeek(
  parts: RecordingParts,
  wanted: readonly Endpoint[],
  week: Week,
  atMs: number,
): Promise<boolean> {
  const { store, isDelivering } = parts;
  for (const accountId of await listDigestAccounts(parts, week)) {
    if (!isDelivering()) return false;
    const account = await store.account(accountId);
    if (account === null || !wanted.some((one) => isFor(one, accountId, account.name))) continue;
    const data = await makeDigest(parts, accountId, week);
    await store.addEvents([{ accountId, id: `${TYPE} ${week.name}`, atMs, type: TYPE, data }]);
  }
  return true;
}
