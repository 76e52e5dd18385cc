// Applies a change to a key.
import type { GatewayKey } from "../core/key.ts";
import type { KeyChange } from "../core/store.ts";

/** A change where there is one; null is one. */
export function changedKey(key: GatewayKey, change: KeyChange): GatewayKey {
  const given = <T>(changed: T | undefined, kept: T): T => (changed === undefined ? kept : changed);
  return {
    ...key,
    name: change.name ?? key.name,
    expiresAtMs: given(change.expiresAtMs, key.expiresAtMs),
    allowedModels: given(change.allowedModels, key.allowedModels),
    requestsPerDay: given(change.requestsPerDay, key.requestsPerDay),
    spendLimitNanoUsd: given(change.spendLimitNanoUsd, key.spendLimitNanoUsd),
    keepsResponses: change.keepsResponses ?? key.keepsResponses,
  };
}
