// Warns of keys a week before they end, once over all nodes.

import type { OutboxEvent } from "../../core/events/events.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { Store } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";
import type { Clock } from "../../core/world/world.ts";

const WEEK_MS = 7 * 86_400_000;
const KEYS_AT_ONCE = 200;

interface ExpiringKeyParts {
  readonly store: Pick<Store, "keys" | "addEvents" | "setting" | "setSetting">;
  readonly clock: Pick<Clock, "nowMs">;
}

/**
 * Records an event for each key that ends within a week, by the time of its end: those up to a moment that is kept had
 * theirs before. A key that is made with less than a week to go is its maker's concern.
 */
export async function warnOfExpiry({ store, clock }: ExpiringKeyParts): Promise<void> {
  const nowMs = clock.nowMs();
  const told = Number((await store.setting("keys_expiring_until")) ?? nowMs);
  const untilMs = nowMs + WEEK_MS;
  if (told >= untilMs) return;
  const filter = { isRevoked: false, expiring: { fromMs: told, toMs: untilMs }, nowMs };
  for await (const keys of readPages((page) => store.keys(page, filter), KEYS_AT_ONCE))
    await store.addEvents(keys.flatMap((key) => makeExpiring(key, nowMs)));
  await store.setSetting("keys_expiring_until", String(untilMs));
}

/** Its id is the same on every node. */
function makeExpiring(key: GatewayKey, atMs: number): readonly OutboxEvent[] {
  const { id: key_id, accountId, name, memberId: member_id, expiresAtMs } = key;
  if (expiresAtMs === null) return [];
  const data = { key_id, name, member_id, until: new Date(expiresAtMs).toISOString() };
  return [{ accountId, id: `key.expiring ${key_id} ${expiresAtMs}`, atMs, type: "key.expiring", data }];
}
