// Gateway keys and accounts as stored. Secrets are never among the fields.

import { Fault } from "../faults/fault.ts";
import { ACCOUNT_FIELDS } from "../fields/account.ts";
import { listInitials, type ValuesOf } from "../fields/field.ts";
import { KEY_FIELDS } from "../fields/key.ts";
import { dropAliases, writeAliasEntry } from "../models/alias-entry.ts";
import { isSelector } from "../models/selector.ts";
import type { NanoUsd } from "../money/money.ts";
import type { PAUSERS, Pauser } from "../people/people.ts";
import { matchesAny } from "../text/pattern.ts";
import { isWithin } from "../world/address.ts";
import type { JudgedSender } from "./payer.ts";

/** The other fields are what an operator can set: their rows say what each means. */
export interface GatewayKey extends ValuesOf<typeof KEY_FIELDS> {
  /** `key_…`, the key's identity. Only a keyed digest of its secret is stored. */
  readonly id: string;
  /** The last four characters of the secret, to tell keys apart. */
  readonly last4: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** The number of times its secret was replaced. */
  readonly rotations: number;
  /** The time until which the secret before the present one works. Null if it doesn't. */
  readonly oldSecretUntilMs: number | null;
  /** The person whose personal key it is. Null for a service key. */
  readonly memberId: string | null;
  /** The models that its member may use in the account, known once the key was proven. Missing for all models. */
  readonly memberModels?: readonly string[];
  /** The tools that its member may call in the account, known once the key was proven. Missing where nothing is said. */
  readonly memberTools?: readonly string[];
  /** True if its member may use no personal keys in the account now, known once the key was proven. */
  readonly isMemberOut?: true;
  /** The sender of the request in whose name it asks, of a key by which hooks ask models. Missing for all others. */
  readonly asksFor?: JudgedSender;
  /** Each reason for which it is paused, once. Empty for a key that was paused before reasons were kept. */
  readonly pausedBy: readonly Pauser[];
}

/** The id of the key under which the log shows what was sampled. */
export const SAMPLING_KEY = "sampling";

/** The fields of a key with neither limits nor a history. */
export const KEY_DEFAULTS = {
  ...listInitials(KEY_FIELDS),
  revokedAtMs: null,
  rotations: 0,
  oldSecretUntilMs: null,
  memberId: null,
  pausedBy: [],
} satisfies Partial<GatewayKey>;

/** A key found by one of its secrets. */
export interface ProvenKey {
  readonly key: GatewayKey;
  /** The number of rotations before this secret. */
  readonly rotation: number;
}

/** A request's proof of its key. */
export interface KeyProof extends Pick<ProvenKey, "rotation"> {
  /** The client's IP address. Empty if unknown. */
  readonly address: string;
}

/** The sender of a request. */
export interface Caller {
  readonly key: GatewayKey;
  /** Null for the console's own key, which has no secret. */
  readonly proof: KeyProof | null;
}

export interface Account extends ValuesOf<typeof ACCOUNT_FIELDS> {
  readonly id: string;
  /** The spendable balance, without holds. Never negative. */
  readonly balanceNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  /** The number of entries in its journal. */
  readonly entries: number;
  /** The total characters of encrypted replies stored for its keys. */
  readonly keptCharacters: number;
  readonly createdAtMs: number;
  /** As for a key. */
  readonly pausedBy: readonly Pauser[];
  /** The amount that it owes after a refund or a dispute. Every credit settles it first. */
  readonly receivableNanoUsd: NanoUsd;
  /** The time from which its keys are refused for good, and that at which the last hold was gone. Null for open ones. */
  readonly closingAtMs: number | null;
  readonly closedAtMs: number | null;
}

/** The fields of an account with neither limits nor a history. */
export const ACCOUNT_DEFAULTS = {
  ...listInitials(ACCOUNT_FIELDS),
  balanceNanoUsd: 0,
  heldNanoUsd: 0,
  entries: 0,
  keptCharacters: 0,
  pausedBy: [],
  receivableNanoUsd: 0,
  closingAtMs: null,
  closedAtMs: null,
} satisfies Partial<Account>;

export const ACCOUNT_STATES = ["open", "paused", "closing", "closed"] as const;

export function findAccountState({
  isPaused,
  closingAtMs,
  closedAtMs,
}: Pick<Account, "isPaused" | "closingAtMs" | "closedAtMs">): (typeof ACCOUNT_STATES)[number] {
  if (closedAtMs !== null) return "closed";
  if (closingAtMs !== null) return "closing";
  return isPaused ? "paused" : "open";
}

/** Returns the Fault with which an account that closes or is closed refuses new keys and money. Null if it is open. */
export function refuseClosed({ closingAtMs }: Pick<Account, "closingAtMs">): Fault | null {
  if (closingAtMs === null) return null;
  return new Fault("account_closed", "This account is closed. Reopen it first.");
}

export const KEY_STATES = ["active", "paused", "expired", "revoked"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Returns the key's state at that time. */
export function findKeyState({ revokedAtMs, expiresAtMs, isPaused }: GatewayKey, nowMs: number): KeyState {
  if (revokedAtMs !== null) return "revoked";
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return "expired";
  return isPaused ? "paused" : "active";
}

/** True if the key is valid at that time, even if it is paused. */
export function isLive(key: GatewayKey, nowMs: number): boolean {
  const state = findKeyState(key, nowMs);
  return state === "active" || state === "paused";
}

/** True if the key is valid at that time and the secret too: the present one, or the one before it during its grace. */
export function isProven({ key, rotation }: ProvenKey, nowMs: number): boolean {
  const { rotations, oldSecretUntilMs } = key;
  const isOld = rotation === rotations - 1 && oldSecretUntilMs !== null && nowMs < oldSecretUntilMs;
  return isLive(key, nowMs) && (rotation === rotations || isOld);
}

/** Returns the Fault with which the key refuses a client at this address, or null. */
export function refuseAddress(key: GatewayKey, proof: Pick<KeyProof, "address">): Fault | null {
  if (key.allowedAddresses === null || isWithin(key.allowedAddresses, proof.address)) return null;
  const message = "This key may not be used from your address. The gateway's operator can allow it.";
  return new Fault("address_not_allowed", message, { key: nameKey(key) });
}

/** Returns the Fault with which a paused key refuses requests. Null if it isn't paused. */
export function refusePaused(key: GatewayKey): Fault | null {
  if (!key.isPaused) return null;
  const message = "This key is paused. The gateway's operator can resume it.";
  return new Fault("key_paused", message, { key: nameKey(key) });
}

/**
 * Returns the Fault with which an account refuses the requests of its keys, free ones too, because it is paused or
 * closed. Null if it doesn't. `more` names who can help with a pause that only money ends.
 */
export function refuseAccount(
  account: Pick<Account, "isPaused" | "pausedBy" | "closingAtMs">,
  more: string | null,
): Fault | null {
  const { isPaused, pausedBy, closingAtMs } = account;
  if (closingAtMs !== null) return invalidKey();
  if (!isPaused) return null;
  if (!pausedBy.includes("dispute"))
    return new Fault("key_paused", "This key's account is paused. The gateway's operator can resume it.");
  const message = `This key's account is paused: a card payment was disputed, and money is due.${more === null ? "" : ` For more, ${more}.`}`;
  return new Fault("account_paused", message);
}

/** Returns why a key or an account is paused. */
export function listPausers({
  isPaused,
  pausedBy,
}: Pick<GatewayKey, "isPaused" | "pausedBy">): readonly Pauser[] {
  if (!isPaused) return [];
  return pausedBy.length === 0 ? ["admin"] : pausedBy;
}

/** Returns the reasons as the operator reads them: only admins disable people. */
export function showPausers(of: Pick<GatewayKey, "isPaused" | "pausedBy">): (typeof PAUSERS)[number][] {
  return [...new Set(listPausers(of).map((cause) => (cause === "disabled" ? "admin" : cause)))];
}

/** Returns the Fault with which the caller's request is refused at that time, or null. */
export function refuseCaller({ key, proof }: Caller, nowMs: number): Fault | null {
  const isValid = proof === null ? isLive(key, nowMs) : isProven({ key, rotation: proof.rotation }, nowMs);
  if (!isValid) return invalidKey();
  // Only those who may use the key learn that it is paused.
  return (proof && refuseAddress(key, proof)) ?? refusePaused(key);
}

/** The models that a key, and the member whose key it is, may use. */
export type ModelBounds = Pick<GatewayKey, "allowedModels" | "memberModels">;

/** True if the key may use this model or selector (a canonical id). Ignores case in the key's lists. */
export function mayUse({ allowedModels, memberModels }: ModelBounds, modelId: string): boolean {
  return isListed(allowedModels, modelId) && isListed(memberModels ?? null, modelId);
}

/** Returns the bounds of a request for an alias: a list that names it doesn't bind what it leads to, the other still does. */
export function openAlias(key: GatewayKey, name: string, madeAtMs: number | null): GatewayKey {
  if (madeAtMs === null) return key;
  const entry = writeAliasEntry(name, madeAtMs);
  const opened = key.allowedModels?.includes(entry) ? { ...key, allowedModels: null } : key;
  if (!opened.memberModels?.includes(entry)) return opened;
  const { memberModels: _, ...unbound } = opened;
  return unbound;
}

/** True if selectors may choose among all models: the list names some of them, and besides only aliases. */
export function isForSelectors(models: readonly string[]): boolean {
  const own = dropAliases(models);
  return models.length === 0 || (own.length > 0 && own.every(isSelector));
}

function isListed(models: readonly string[] | null, modelId: string): boolean {
  return models === null || models.includes(modelId) || matchesAny(models, modelId);
}

/** Wrong, revoked, replaced and expired secrets all get this same answer. `key` is the one that is no longer valid. */
export function invalidKey(key?: KeyOwnership): Fault {
  const message =
    "Incorrect API key provided: it is wrong, revoked or expired. Ask this gateway's operator for a new one.";
  return new Fault("invalid_api_key", message, key ? { key: nameKey(key) } : {});
}

type KeyOwnership = Pick<GatewayKey, "id" | "accountId" | "memberId">;

/** Returns the key as the log of a refusal names it. */
export function nameKey({ id, accountId, memberId }: KeyOwnership): KeyOwnership {
  return { id, accountId, memberId };
}
