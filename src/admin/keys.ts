// The operator's use-cases on gateway keys: make, list, look at, change, revoke.
import { Fault } from "../core/fault.ts";
import { findKeyState, type GatewayKey, KEY_STATES, type KeyState } from "../core/key.ts";
import { toUsd } from "../core/money.ts";
import type { KeyFilter } from "../core/store.ts";
import { digestSecret, mintId, mintSecret } from "../keys/secret.ts";
import { computeDay, type DayRules, monthStartMs } from "../ledger/day.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type AllowanceView, allowanceView } from "./holder.ts";
import {
  optional,
  orNull,
  type Read,
  readBoolean,
  readFields,
  readInstant,
  readModels,
  readName,
  readOption,
  readRequestsPerDay,
  readText,
  readUsd,
  required,
} from "./input.ts";
import { formatInstant, instantOrNull } from "./instant.ts";
import { type Listed, listPage, PAGE_FIELDS } from "./list.ts";
import type { AdminWorld } from "./world.ts";

/** The built-in key that the console's playground asks with. */
export const CONSOLE_KEY = "console";

const LAST_CHARACTERS_SHOWN = 4;
const CHANGEABLE = [
  "name",
  "expires_at",
  "allowed_models",
  "spend_limit_usd",
  "requests_per_day",
  "keep_responses",
] as const;

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
  readonly keep_responses: boolean;
  readonly state: KeyState;
}
export interface KeyInUseView extends KeyView {
  readonly allowance: AllowanceView;
  readonly spent_usd: { readonly today: number; readonly month: number; readonly total: number };
  readonly last_used_at: string | null;
}
export interface NewKeyView extends KeyView {
  /** Shown this once: it is kept nowhere. */
  readonly secret: string;
}

export function keyView(key: GatewayKey, nowMs: number): KeyView {
  return {
    id: key.id,
    name: key.name,
    account_id: key.accountId,
    last4: key.last4,
    created_at: formatInstant(key.createdAtMs),
    expires_at: instantOrNull(key.expiresAtMs),
    revoked_at: instantOrNull(key.revokedAtMs),
    allowed_models: key.allowedModels,
    requests_per_day: key.requestsPerDay,
    spend_limit_usd: key.spendLimitNanoUsd === null ? null : toUsd(key.spendLimitNanoUsd),
    keep_responses: key.keepsResponses,
    state: findKeyState(key, nowMs),
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

/** Makes a key from `{ name, account_id?, expires_at?, allowed_models?, spend_limit_usd?, requests_per_day?, keep_responses? }`. */
export async function createKey(world: AdminWorld, body: unknown): Promise<NewKeyView> {
  const { store, clock, random, pepper } = world;
  const nowMs = clock.nowMs();
  const fields = readFields(body, ["account_id", ...CHANGEABLE]);
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
    keepsResponses: optional(fields, "keep_responses", readBoolean) ?? true,
  };
  if ((await store.account(accountId)) === null) {
    throw new Fault("invalid_value", `Invalid 'account_id': there is no such account.`, {
      param: "account_id",
    });
  }
  await store.addKey(key, digestSecret(secret, pepper));
  return { ...keyView(key, nowMs), secret };
}

/** A page of keys, newest first, revoked ones included; `account_id`, `state` and `q` narrow it. */
export async function listKeys({ store, clock }: Looking, query: unknown): Promise<Listed<KeyView>> {
  const nowMs = clock.nowMs();
  const { data, next } = await pageOfKeys({ store, clock }, query);
  return { data: data.map((key) => keyView(key, nowMs)), next };
}

type Looking = Pick<AdminWorld, "store" | "clock">;

function pageOfKeys({ store, clock }: Looking, query: unknown): Promise<Listed<GatewayKey>> {
  const fields = readFields(query, [...PAGE_FIELDS, "account_id", "state", "q"]);
  const filter: KeyFilter = {
    accountId: optional(fields, "account_id", readText),
    state: optional(fields, "state", readOption(KEY_STATES)),
    nowMs: clock.nowMs(),
    text: optional(fields, "q", readText)?.trim().toLowerCase() || undefined,
    except: CONSOLE_KEY,
  };
  const positionOf = ({ createdAtMs: atMs, id }: GatewayKey) => ({ atMs, id });
  return listPage(
    fields,
    (page) => store.keys(page, filter),
    positionOf,
    (key) => key,
  );
}

export interface KeyParts extends Looking {
  readonly ledger: Pick<Ledger, "allowances">;
  readonly dayRules: () => DayRules;
}

/** `listKeys` with what is left of each key's allowance, what it has spent, and when it was used last. */
export async function listKeysInUse(parts: KeyParts, query: unknown): Promise<Listed<KeyInUseView>> {
  const { data, next } = await pageOfKeys(parts, query);
  return { data: await inUse(parts, data), next };
}

/** Throws the Fault `not_found`. */
export async function getKey(parts: KeyParts, id: string): Promise<KeyInUseView> {
  const key = found(id, await parts.store.key(id));
  const [view] = await inUse(parts, [key]);
  if (view) return view;
  throw noKey();
}

async function inUse(parts: KeyParts, keys: readonly GatewayKey[]): Promise<readonly KeyInUseView[]> {
  const { store, clock, ledger, dayRules } = parts;
  if (keys.length === 0) return [];
  const nowMs = clock.nowMs();
  const rules = dayRules();
  const uses = await store.keyUses(keys, computeDay(nowMs, rules).startMs, monthStartMs(nowMs, rules));
  const allowances = await ledger.allowances(keys);
  return keys.flatMap((key) => {
    const use = uses.find(({ keyId }) => keyId === key.id);
    const allowance = allowances.get(key.id);
    if (!use || !allowance) return [];
    const spent = {
      today: toUsd(use.sinceDayNanoUsd),
      month: toUsd(use.sinceMonthNanoUsd),
      total: toUsd(use.everNanoUsd),
    };
    return [
      {
        ...keyView(key, nowMs),
        allowance: allowanceView(allowance),
        spent_usd: spent,
        last_used_at: instantOrNull(use.lastAtMs),
      },
    ];
  });
}

/** Changes the fields that are given, and only those; null takes a limit away. A key whose conversations may no longer be kept loses those that are. */
export async function updateKey({ store, clock }: Looking, id: string, body: unknown): Promise<KeyView> {
  const nowMs = clock.nowMs();
  const fields = readFields(body, CHANGEABLE);
  const change = {
    name: optional(fields, "name", readName),
    expiresAtMs: optional(fields, "expires_at", orNull(readExpiry(nowMs))),
    allowedModels: optional(fields, "allowed_models", orNull(readModels)),
    requestsPerDay: optional(fields, "requests_per_day", readRequestsPerDay),
    spendLimitNanoUsd: optional(fields, "spend_limit_usd", orNull(readUsd)),
    keepsResponses: optional(fields, "keep_responses", readBoolean),
  };
  const key = found(id, await store.changeKey(shown(id), change));
  if (change.keepsResponses === false) await store.removeResponses(key.accountId, key.id);
  return keyView(key, nowMs);
}

/** Revokes a key for good. Doing it again changes nothing. */
export async function revokeKey({ store, clock }: Looking, id: string): Promise<KeyView> {
  const nowMs = clock.nowMs();
  return keyView(found(id, await store.revokeKey(shown(id), nowMs)), nowMs);
}

/** The console's own key is nobody's to look at or change. */
function shown(id: string): string {
  if (id !== CONSOLE_KEY) return id;
  throw noKey();
}

function found(id: string, key: GatewayKey | null): GatewayKey {
  if (key !== null && key.id === shown(id)) return key;
  throw noKey();
}

function noKey(): Fault {
  return new Fault("not_found", "There is no key with that id.");
}
