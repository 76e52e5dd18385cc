// Finds the key that a client's secret proves.
import { type GatewayKey, invalidKey, isLive } from "../core/key.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import { checkSecret, digestSecret } from "./secret.ts";

interface AuthenticationParts {
  readonly store: Pick<Store, "keyByDigest">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly pepper: Uint8Array;
}

/**
 * Returns the live key that a secret proves. Throws the Fault `invalid_api_key`, the same for every wrong secret, or
 * `store_unavailable`. The store is asked only about texts that have the form of our secrets.
 */
export async function authenticate(parts: AuthenticationParts, secret: string): Promise<GatewayKey> {
  if (!checkSecret(secret)) throw invalidKey();
  return requireLive(await parts.store.keyByDigest(digestSecret(secret, parts.pepper)), parts.clock.nowMs());
}

function requireLive(key: GatewayKey | null, nowMs: number): GatewayKey {
  if (key === null || !isLive(key, nowMs)) throw invalidKey();
  return key;
}

const REMEMBERED_MS = 500;
const KEYS_MAX = 10_000;

/**
 * Returns an `authenticate` that remembers digests for half a second, so that a key in steady use costs no lookup. A
 * revocation shows here after that time at the latest; the admission of a request reads the key again.
 */
export function createAuthenticator(parts: AuthenticationParts): (secret: string) => Promise<GatewayKey> {
  const { store, clock, pepper } = parts;
  const seen = new Map<string, { readonly key: GatewayKey | null; readonly atMs: number }>();
  return async (secret) => {
    const digest = digestSecret(secret, pepper);
    const nowMs = clock.nowMs();
    const known = seen.get(digest);
    // The form of a remembered secret was checked before its first lookup.
    if (known && Math.abs(nowMs - known.atMs) < REMEMBERED_MS) return requireLive(known.key, nowMs);
    if (!checkSecret(secret)) throw invalidKey();
    const key = await store.keyByDigest(digest);
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(digest, { key, atMs: nowMs });
    return requireLive(key, clock.nowMs());
  };
}
