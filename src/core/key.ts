// Gateway keys and accounts as stored. Secrets are never among the fields.
import { Fault } from "./fault.ts";
import type { NanoUsd } from "./money.ts";
import { matchesAny } from "./pattern.ts";

export interface GatewayKey {
  /** `key_…`, the key's identity. Only a keyed digest of its secret is stored. */
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  /** The last four characters of the secret, to tell keys apart. */
  readonly last4: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The model ids, patterns of them and `Router#…` that the key may use. Null for all. */
  readonly allowedModels: readonly string[] | null;
  /** Null for unlimited, "default" for the configured limit. */
  readonly requestsPerDay: number | null | "default";
  /** Lifetime limit on the key's charges. Null for none. */
  readonly spendLimitNanoUsd: NanoUsd | null;
  /** False if its conversations are never stored, even if the operator stores others. */
  readonly keepsResponses: boolean;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  /** The spendable balance, without holds. Never negative. */
  readonly balanceNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  /** The number of entries in its journal. */
  readonly entries: number;
  /** The total characters of encrypted replies stored for its keys. */
  readonly keptCharacters: number;
  readonly createdAtMs: number;
}

export const KEY_STATES = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Returns the key's state at that time. */
export function findKeyState({ revokedAtMs, expiresAtMs }: GatewayKey, nowMs: number): KeyState {
  if (revokedAtMs !== null) return "revoked";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "active";
}

/** True if the key is valid at that time. */
export function isLive(key: GatewayKey, nowMs: number): boolean {
  return findKeyState(key, nowMs) === "active";
}

/** True if the key may use this model or selector (a canonical id). Ignores case in the key's list. */
export function mayUse({ allowedModels }: Pick<GatewayKey, "allowedModels">, modelId: string): boolean {
  return allowedModels === null || allowedModels.includes(modelId) || matchesAny(allowedModels, modelId);
}

/** Wrong, revoked and expired secrets all get this same answer. */
export function invalidKey(): Fault {
  return new Fault("invalid_api_key", "Incorrect API key provided.");
}
