// The personal keys of a person: found, changed and ended together.
import type { Changes } from "../core/audit/changes.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import type { KeyFilter, Store } from "../core/store.ts";
import type { Page } from "../core/world/page.ts";
import { readPages } from "../core/world/read-pages.ts";
import type { Clock } from "../core/world/world.ts";

/** The most keys that are read at once. */
export const KEYS_AT_ONCE = 100;

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  readonly changes: Changes;
}

/** Returns keys of the person that aren't revoked. */
export function listKeys(
  store: Pick<Store, "keys">,
  memberId: string,
  limit: number,
): Promise<readonly GatewayKey[]> {
  return store.keys({ limit, after: null }, { memberId, isRevoked: false, nowMs: 0 });
}

/** Ends the person's devices, revokes their keys, and returns how many of these. */
export async function endKeys({ store, clock, changes }: Parts, memberId: string): Promise<number> {
  await store.devices.endDevicesOf(memberId, clock.nowMs());
  let ended = 0;
  for (;;) {
    const keys = await listKeys(store, memberId, KEYS_AT_ONCE);
    for (const { id } of keys) await changes.revokeKey(id, clock.nowMs());
    ended += keys.length;
    if (keys.length < KEYS_AT_ONCE) return ended;
  }
}

/** Calls `change` with each of these keys that isn't revoked. */
export async function eachKey(
  store: Pick<Store, "keys">,
  of: Pick<KeyFilter, "memberId" | "contact">,
  change: (key: GatewayKey) => Promise<unknown>,
): Promise<void> {
  const find = (page: Page) => store.keys(page, { ...of, isRevoked: false, nowMs: 0 });
  for await (const keys of readPages(find, KEYS_AT_ONCE)) for (const key of keys) await change(key);
}
