// The operator's use-cases on gateway keys: create, list, view, change, revoke.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { findKeyState, type GatewayKey, KEY_STATES } from "../core/key.ts";
import { toUsd } from "../core/money.ts";
import { invalidValue } from "../core/schema-fault.ts";
import type { KeyFilter } from "../core/store.ts";
import { digestSecret, mintId, mintSecret } from "../keys/secret.ts";
import { computeDay, type DayRules, monthStartMs } from "../ledger/day.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { formatInstant, formatInstantOrNull } from "./format.ts";
import { allowanceSchema, allowanceView, spentSchema } from "./holder.ts";
import { momentSchema, nameSchema, readInstant, readName, readUsd, usdSchema } from "./input.ts";
import { type Listed, listPage, pageFields } from "./list.ts";
import {
  allowNull,
  allowWords,
  boolean,
  closeObject,
  count,
  instant,
  text,
  usd,
  type View,
} from "./schema.ts";
import type { AdminWorld } from "./world.ts";

/** The id of the console playground's built-in key. */
export const CONSOLE_KEY = "console";

const LAST_CHARACTERS_SHOWN = 4;

const MODELS_MAX = 1000;
const REQUESTS_PER_DAY_MAX = 1_000_000_000;

const model = Type.String({
  pattern: "^(\\*|[A-Za-z0-9*][A-Za-z0-9*._-]{0,63}#[^\\s#]{1,200})$",
  expected: "a model id like OpenAI#gpt-5.4 or Router#fair, or a pattern like OpenAI#*",
});
const models = Type.Array(model, {
  minItems: 1,
  maxItems: MODELS_MAX,
});
const requestsPerDay = Type.Union(
  [Type.Integer({ minimum: 0, maximum: REQUESTS_PER_DAY_MAX }), allowWords(["default"]), Type.Null()],
  { expected: 'an integer, null for no limit, or "default" for the configured number' },
);
const limits = {
  expires_at: Type.Optional(allowNull(momentSchema)),
  allowed_models: Type.Optional(allowNull(models)),
  spend_limit_usd: Type.Optional(allowNull(usdSchema)),
  requests_per_day: Type.Optional(requestsPerDay),
  keep_responses: Type.Optional(boolean),
};
type Limits = Pick<Static<typeof newKeySchema>, keyof typeof limits>;

export const newKeySchema = closeObject({ account_id: Type.Optional(text), name: nameSchema, ...limits });
export const keyChangeSchema = closeObject({ name: Type.Optional(nameSchema), ...limits });
export const keysQuery = closeObject({
  ...pageFields,
  account_id: Type.Optional(text),
  state: Type.Optional(allowWords(KEY_STATES)),
  q: Type.Optional(Type.String({ description: "Part of the name, id or last four characters." })),
});

/** A key as the operator sees it. */
export const keySchema = Type.Object({
  id: text,
  name: text,
  account_id: text,
  last4: text,
  created_at: instant,
  expires_at: allowNull(instant),
  revoked_at: allowNull(instant),
  allowed_models: allowNull(Type.Array(text)),
  requests_per_day: Type.Union([count, allowWords(["default"]), Type.Null()]),
  spend_limit_usd: allowNull(usd),
  keep_responses: boolean,
  state: allowWords(KEY_STATES),
});
export type KeyView = View<typeof keySchema>;

export const keyInUseSchema = Type.Object({
  ...keySchema.properties,
  allowance: allowanceSchema,
  spent_usd: spentSchema,
  last_used_at: allowNull(instant),
});
export type KeyInUseView = View<typeof keyInUseSchema>;

export const createdKeySchema = Type.Object({
  ...keySchema.properties,
  secret: Type.String({ description: "Shown only once, because it isn't stored." }),
});
export type NewKeyView = View<typeof createdKeySchema>;

export function keyView(key: GatewayKey, nowMs: number): KeyView {
  return {
    id: key.id,
    name: key.name,
    account_id: key.accountId,
    last4: key.last4,
    created_at: formatInstant(key.createdAtMs),
    expires_at: formatInstantOrNull(key.expiresAtMs),
    revoked_at: formatInstantOrNull(key.revokedAtMs),
    allowed_models: key.allowedModels,
    requests_per_day: key.requestsPerDay,
    spend_limit_usd: key.spendLimitNanoUsd === null ? null : toUsd(key.spendLimitNanoUsd),
    keep_responses: key.keepsResponses,
    state: findKeyState(key, nowMs),
  };
}

/** Reads a time in the future. To end a key at once, it has to be revoked. */
function readExpiry(text: string, nowMs: number): number {
  const atMs = readInstant(text, "expires_at");
  if (atMs > nowMs) return atMs;
  throw invalidValue("expires_at", "it is in the past");
}

/** Returns the given limits. A null limit means none. */
function readLimits(
  { expires_at, allowed_models, spend_limit_usd, requests_per_day, keep_responses }: Limits,
  nowMs: number,
) {
  return {
    expiresAtMs: readGiven(expires_at, (text) => readExpiry(text, nowMs)),
    allowedModels: readGiven(allowed_models, (ids) => [...new Set(ids)]),
    spendLimitNanoUsd: readGiven(spend_limit_usd, (amount) => readUsd(amount, "spend_limit_usd")),
    requestsPerDay: requests_per_day,
    keepsResponses: keep_responses,
  };
}

function readGiven<Given, Value>(
  given: Given | null | undefined,
  read: (given: Given) => Value,
): Value | null | undefined {
  if (given === undefined) return undefined;
  return given === null ? null : read(given);
}

/** Creates a key. Limits not given don't apply, but the requests per day default to the configuration's. */
export async function createKey(world: AdminWorld, fields: Static<typeof newKeySchema>): Promise<NewKeyView> {
  const { store, clock, random, pepper } = world;
  const nowMs = clock.nowMs();
  const { account_id: accountId = "default" } = fields;
  const {
    expiresAtMs = null,
    allowedModels = null,
    spendLimitNanoUsd = null,
    requestsPerDay = "default",
    keepsResponses = true,
  } = readLimits(fields, nowMs);
  const secret = mintSecret(random);
  const key: GatewayKey = {
    id: mintId("key", random),
    name: readName(fields.name),
    accountId,
    last4: secret.slice(-LAST_CHARACTERS_SHOWN),
    createdAtMs: nowMs,
    expiresAtMs,
    revokedAtMs: null,
    allowedModels,
    requestsPerDay,
    spendLimitNanoUsd,
    keepsResponses,
  };
  if ((await store.account(accountId)) === null) {
    throw invalidValue("account_id", "this account doesn't exist");
  }
  await store.addKey(key, digestSecret(secret, pepper));
  return { ...keyView(key, nowMs), secret };
}

/** Returns a page of keys, newest first, including revoked ones. `account_id`, `state` and `q` filter it. */
export async function listKeys({ store, clock }: KeyListParts, query: KeysQuery): Promise<Listed<KeyView>> {
  const nowMs = clock.nowMs();
  const { data, next } = await listKeyPage({ store, clock }, query);
  return { data: data.map((key) => keyView(key, nowMs)), next };
}

type KeyListParts = Pick<AdminWorld, "store" | "clock">;
type KeysQuery = Static<typeof keysQuery>;

function listKeyPage({ store, clock }: KeyListParts, query: KeysQuery): Promise<Listed<GatewayKey>> {
  const filter: KeyFilter = {
    accountId: query.account_id,
    state: query.state,
    nowMs: clock.nowMs(),
    text: query.q?.trim().toLowerCase() || undefined,
    except: CONSOLE_KEY,
  };
  const positionOf = ({ createdAtMs: atMs, id }: GatewayKey) => ({ atMs, id });
  return listPage(
    query,
    (page) => store.keys(page, filter),
    positionOf,
    (key) => key,
  );
}

export interface KeyParts extends KeyListParts {
  readonly ledger: Pick<Ledger, "allowances">;
  readonly dayRules: () => DayRules;
}

/** Like `listKeys`, with each key's remaining allowance, spending, and last use. */
export async function listKeysInUse(parts: KeyParts, query: KeysQuery): Promise<Listed<KeyInUseView>> {
  const { data, next } = await listKeyPage(parts, query);
  return { data: await readKeyUses(parts, data), next };
}

/** Throws the Fault `not_found`. */
export async function getKey(parts: KeyParts, id: string): Promise<KeyInUseView> {
  const key = requireKey(id, await parts.store.key(id));
  const [view] = await readKeyUses(parts, [key]);
  if (view) return view;
  throw noKey();
}

async function readKeyUses(parts: KeyParts, keys: readonly GatewayKey[]): Promise<readonly KeyInUseView[]> {
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
        last_used_at: formatInstantOrNull(use.lastAtMs),
      },
    ];
  });
}

/** Changes only the given fields. Null removes a limit. If conversations may no longer be kept, they are deleted. */
export async function updateKey(
  { store, clock }: KeyListParts,
  id: string,
  { name, ...limits }: Static<typeof keyChangeSchema>,
): Promise<KeyView> {
  const nowMs = clock.nowMs();
  const change = { name: name === undefined ? undefined : readName(name), ...readLimits(limits, nowMs) };
  const key = requireKey(id, await store.changeKey(refuseConsoleKey(id), change));
  if (change.keepsResponses === false) await store.removeResponses(key.accountId, key.id);
  return keyView(key, nowMs);
}

/** Revokes a key permanently. Repeating it changes nothing. */
export async function revokeKey({ store, clock }: KeyListParts, id: string): Promise<KeyView> {
  const nowMs = clock.nowMs();
  return keyView(requireKey(id, await store.revokeKey(refuseConsoleKey(id), nowMs)), nowMs);
}

/** Hides the console's own key, which can't be viewed or changed. */
function refuseConsoleKey(id: string): string {
  if (id !== CONSOLE_KEY) return id;
  throw noKey();
}

function requireKey(id: string, key: GatewayKey | null): GatewayKey {
  if (key !== null && key.id === refuseConsoleKey(id)) return key;
  throw noKey();
}

function noKey(): Fault {
  return new Fault("not_found", "There is no key with that id.");
}
