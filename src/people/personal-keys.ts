// The personal keys of a person: found and ended together.
import type { GatewayKey } from "../core/keys/key.ts";
import type { KeyFilter, Store } from "../core/store.ts";
import type { Page } from "../core/world/page.ts";
import { readPages } from "../core/world/read-pages.ts";

/** The most keys that are read at once. */
export const KEYS_AT_ONCE = 100;

/** Returns keys of the person that aren't revoked. */
export function listKeys(
  store: Pick<Store, "keys">,
  memberId: string,
  limit: number,
): Promise<readonly GatewayKey[]> {
  return store.keys({ limit, after: null }, { memberId, isRevoked: false, nowMs: 0 });
}

/** Returns a change of a key that ends it for good. */
export function revokeAt(nowMs: number): (key: GatewayKey) => GatewayKey {
  return (key) => ({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs });
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
