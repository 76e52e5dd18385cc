// The operator's use-cases on gateway keys: make, list, look at, change, revoke.
import { Fault } from "../core/fault.ts";
import type { GatewayKey } from "../core/key.ts";
import { usdOf } from "../core/money.ts";
import { digestOf, mintId, mintSecret } from "../keys/secret.ts";
import {
  fieldsOf,
  optional,
  orNull,
  type Read,
  readInstant,
  readModels,
  readName,
  readRequestsPerDay,
  readText,
  readUsd,
  required,
} from "./input.ts";
import { instantOf, instantOrNull } from "./instant.ts";
import { type Listed, listPage, PAGE_FIELDS } from "./list.ts";
import type { AdminWorld } from "./world.ts";

const LAST_CHARACTERS_SHOWN = 4;
const CHANGEABLE = ["name", "expires_at", "allowed_models", "spend_limit_usd", "requests_per_day"] as const;

/** A key as the operator sees it. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
  readonly last4: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly allowed_models: readonly string[] | null;
  readonly requests_per_day: number | null | "default";
  readonly spend_limit_usd: number | null;
}
export interface NewKeyView extends KeyView {
  /** Shown this once: it is kept nowhere. */
  readonly secret: string;
}

function keyView(key: GatewayKey): KeyView {
  return {
    id: key.id,
    name: key.name,
    account_id: key.accountId,
    last4: key.last4,
    created_at: instantOf(key.createdAtMs),
    expires_at: instantOrNull(key.expiresAtMs),
    revoked_at: instantOrNull(key.revokedAtMs),
    allowed_models: key.allowedModels,
    requests_per_day: key.requestsPerDay,
    spend_limit_usd: key.spendLimitNanoUsd === null ? null : usdOf(key.spendLimitNanoUsd),
  };
}

/** A time that is still to come: a key is ended at once by revoking it. */
function readExpiry(nowMs: number): Read<number> {
  return (value, param) => {
    const atMs = readInstant(value, param);
    if (atMs > nowMs) return atMs;
    throw new Fault("invalid_value", `Invalid '${param}': it lies in the past.`, { param });
  };
}

/** Makes a key from `{ name, account_id?, expires_at?, allowed_models?, spend_limit_usd?, requests_per_day? }`. */
export async function createKey(world: AdminWorld, body: unknown): Promise<NewKeyView> {
  const { store, clock, random, pepper } = world;
  const nowMs = clock.nowMs();
  const fields = fieldsOf(body, ["account_id", ...CHANGEABLE]);
  const name = required(fields, "name", readName);
  const accountId = optional(fields, "account_id", readText) ?? "default";
  const { requests_per_day: asked = "default" } = fields;
  const requestsPerDay = readRequestsPerDay(asked, "requests_per_day");
  const secret = mintSecret(random);
  const key: GatewayKey = {
    id: mintId("key", random),
    name,
    accountId,
    last4: secret.slice(-LAST_CHARACTERS_SHOWN),
    createdAtMs: nowMs,
    expiresAtMs: optional(fields, "expires_at", orNull(readExpiry(nowMs))) ?? null,
    revokedAtMs: null,
    allowedModels: optional(fields, "allowed_models", orNull(readModels)) ?? null,
    requestsPerDay,
    spendLimitNanoUsd: optional(fields, "spend_limit_usd", orNull(readUsd)) ?? null,
  };
  if ((await store.account(accountId)) === null) {
    throw new Fault("invalid_value", `Invalid 'account_id': there is no such account.`, {
      param: "account_id",
    });
  }
  await store.addKey(key, digestOf(secret, pepper));
  return { ...keyView(key), secret };
}

/** A page of keys, newest first, revoked ones included. */
export function listKeys({ store }: AdminWorld, query: unknown): Promise<Listed<KeyView>> {
  const fields = fieldsOf(query, PAGE_FIELDS);
  const positionOf = ({ createdAtMs: atMs, id }: GatewayKey) => ({ atMs, id });
  return listPage(fields, (page) => store.keys(page), positionOf, keyView);
}

/** Throws the Fault `not_found`. */
export async function getKey({ store }: AdminWorld, id: string): Promise<KeyView> {
  return found(await store.key(id));
}

/** Changes the fields that are given, and only those; null takes a limit away. */
export async function updateKey({ store, clock }: AdminWorld, id: string, body: unknown): Promise<KeyView> {
  const fields = fieldsOf(body, CHANGEABLE);
  const changed = await store.changeKey(id, {
    name: optional(fields, "name", readName),
    expiresAtMs: optional(fields, "expires_at", orNull(readExpiry(clock.nowMs()))),
    allowedModels: optional(fields, "allowed_models", orNull(readModels)),
    requestsPerDay: optional(fields, "requests_per_day", readRequestsPerDay),
    spendLimitNanoUsd: optional(fields, "spend_limit_usd", orNull(readUsd)),
  });
  return found(changed);
}

/** Revokes a key for good. Doing it again changes nothing. */
export async function revokeKey({ store, clock }: AdminWorld, id: string): Promise<KeyView> {
  return found(await store.revokeKey(id, clock.nowMs()));
}

function found(key: GatewayKey | null): KeyView {
  if (key !== null) return keyView(key);
  throw new Fault("not_found", "There is no key with that id.");
}
