// From the secret that a client sent to the key that it proves.
import { type GatewayKey, invalidKey, isLive } from "../core/key.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import { checkSecret, digestSecret } from "./secret.ts";

export interface AuthenticationParts {
  readonly store: Pick<Store, "keyByDigest">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly pepper: Uint8Array;
}

/**
 * The live key that a secret proves. Throws the Fault `invalid_api_key`, the same for every secret that proves none,
 * or `store_unavailable`. The store is asked only about what could be a secret of ours.
 */
export async function authenticate(parts: AuthenticationParts, secret: string): Promise<GatewayKey> {
  if (!checkSecret(secret)) throw invalidKey();
  return requireLive(await parts.store.keyByDigest(digestSecret(secret, parts.pepper)), parts.clock.nowMs());
}

function requireLive(key: GatewayKey | null, nowMs: number): GatewayKey {
  if (key === null || !isLive(key, nowMs)) throw invalidKey();
  return key;
}

const BELIEVED_MS = 500;
const KEYS_MAX = 10_000;

/**
 * `authenticate` with a memory of half a second, so that a key in steady use costs no look-up. A revocation shows here
 * after that time at the latest; the admission of a request reads the key again. What is remembered is the digest.
 */
export function createAuthenticator(parts: AuthenticationParts): (secret: string) => Promise<GatewayKey> {
  const { store, clock, pepper } = parts;
  const seen = new Map<string, { readonly key: GatewayKey | null; readonly atMs: number }>();
  return async (secret) => {
    const digest = digestSecret(secret, pepper);
    const nowMs = clock.nowMs();
    const known = seen.get(digest);
    // A remembered secret was found to be one of ours before it was looked up.
    if (known && Math.abs(nowMs - known.atMs) < BELIEVED_MS) return requireLive(known.key, nowMs);
    if (!checkSecret(secret)) throw invalidKey();
    const key = await store.keyByDigest(digest);
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(digest, { key, atMs: nowMs });
    return requireLive(key, clock.nowMs());
  };
}
