// From the secret that a client sent to the key that it proves.
import { type GatewayKey, invalidKey, isLive } from "../core/key.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import { checkSecret, digestOf } from "./secret.ts";

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
  const key = await parts.store.keyByDigest(digestOf(secret, parts.pepper));
  if (key === null || !isLive(key, parts.clock.nowMs())) throw invalidKey();
  return key;
}
