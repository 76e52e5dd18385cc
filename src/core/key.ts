// Gateway keys and the accounts that pay for them, as the store keeps them: a secret is never among the fields.
import { Fault } from "./fault.ts";
import type { NanoUsd } from "./money.ts";

export interface GatewayKey {
  /** `key_…`: the identity. The secret that proves it is kept only as a keyed digest. */
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  /** The last four characters of the secret, to tell keys apart. */
  readonly last4: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Model ids and `Router#…` that the key may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  /** null: unlimited; "default": what the configuration says. */
  readonly requestsPerDay: number | null | "default";
  /** Lifetime limit of what the key's requests may be charged; null: none. */
  readonly spendLimitNanoUsd: NanoUsd | null;
  /** Its conversations may be kept where the operator keeps any; false: none of it is. */
  readonly keepsResponses: boolean;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  /** The balance that is free to be spent, without what is held. Never below zero. */
  readonly balanceNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  /** The number of entries in its journal. */
  readonly entries: number;
  /** The number of characters of sealed replies kept for its keys. */
  readonly keptCharacters: number;
  readonly createdAtMs: number;
}

export const KEY_STATES = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** The key's state at that moment. */
export function findKeyState({ revokedAtMs, expiresAtMs }: GatewayKey, nowMs: number): KeyState {
  if (revokedAtMs !== null) return "revoked";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "active";
}

/** True if the key may be used at that moment. */
export function isLive(key: GatewayKey, nowMs: number): boolean {
  return findKeyState(key, nowMs) === "active";
}

/** True if the key may use a model or a selector, by canonical id; how the key's list spells the case is no matter. */
export function mayUse(key: GatewayKey, modelId: string): boolean {
  if (key.allowedModels === null || key.allowedModels.includes(modelId)) return true;
  const id = modelId.toLowerCase();
  return key.allowedModels.some((one) => one.toLowerCase() === id);
}

/** The one identical answer to a secret or key that is wrong, revoked or expired. */
export function invalidKey(): Fault {
  return new Fault("invalid_api_key", "Incorrect API key provided.");
}
