// The operator's use-cases on gateway keys: create, list, view, change, rotate, revoke.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import { findKeyState, type GatewayKey, KEY_DEFAULTS, KEY_STATES } from "../core/key.ts";
import type { KeyChange, Revision } from "../core/key-change.ts";
import { toUsd } from "../core/money.ts";
import { invalidValue } from "../core/schema-fault.ts";
import type { KeyFilter } from "../core/store.ts";
import { digestSecret, mintId, mintSecret } from "../keys/secret.ts";
import { computeDay, type DayRules, monthStartMs } from "../ledger/day.ts";
import { carryCounts } from "../ledger/key-move.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { raiseBudgets, readRaises } from "./budgets.ts";
import { makeViewProperties, readChange, readNew, viewFields } from "./fields.ts";
import { formatInstant, formatInstantOrNull } from "./format.ts";
import { allowanceSchema, allowanceView, spentSchema } from "./holder.ts";
import { type keyChangeSchema, type newKeySchema, readGrace, type rotationSchema } from "./key-fields.ts";
import { limitsSchema, limitView } from "./limits.ts";
import { type Listed, listPage, pageFields } from "./list.ts";
import { allowNull, allowWords, closeObject, instant, text, type View } from "./schema.ts";
import type { ActingWorld, AdminWorld } from "./world.ts";

const LAST_CHARACTERS_SHOWN = 4;

/** The id of the console playground's built-in key. */
export const CONSOLE_KEY = "console";

export const keysQuery = closeObject({
  ...pageFields,
  account_id: Type.Optional(text),
  state: Type.Optional(allowWords(KEY_STATES)),
  q: Type.Optional(Type.String({ description: "Part of the name, id or last four characters." })),
});

/** A key as the operator sees it. */
export const keySchema = Type.Object({
  id: text,
  ...makeViewProperties(KEY_FIELDS),
  last4: text,
  created_at: instant,
  revoked_at: allowNull(instant),
  old_secret_expires_at: allowNull(
    Type.String({
      format: "date-time",
      description: "The time until which the secret before the last rotation works. Null if it doesn't.",
    }),
  ),
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

/** One key with the use of its limits. */
export const keyDetailSchema = Type.Object({ ...keyInUseSchema.properties, limits: limitsSchema });
export type KeyDetailView = View<typeof keyDetailSchema>;

export const createdKeySchema = Type.Object({
  ...keySchema.properties,
  secret: Type.String({ description: "Shown only once, because it isn't stored." }),
});
export type NewKeyView = View<typeof createdKeySchema>;

export function keyView(key: GatewayKey, nowMs: number): KeyView {
  const { oldSecretUntilMs } = key;
  const hasOldSecret = key.revokedAtMs === null && oldSecretUntilMs !== null && nowMs < oldSecretUntilMs;
  return {
    id: key.id,
    ...viewFields(KEY_FIELDS, key),
    last4: key.last4,
    created_at: formatInstant(key.createdAtMs),
    revoked_at: formatInstantOrNull(key.revokedAtMs),
    old_secret_expires_at: formatInstantOrNull(hasOldSecret ? oldSecretUntilMs : null),
    state: findKeyState(key, nowMs),
  };
}

export interface KeyWorld extends ActingWorld {
  /** The time after which a key without an expiry expires. Missing or null for never. */
  readonly keysExpireInMs?: number | null | undefined;
}

/** Creates a key. A limit that isn't given is the configuration's for all keys, or none. */
export async function createKey(world: KeyWorld, fields: Static<typeof newKeySchema>): Promise<NewKeyView> {
  const { store, changes, clock, random, keysExpireInMs = null } = world;
  const nowMs = clock.nowMs();
  const { secret, last4, digest } = makeSecret(world);
  const expires = fields.expires_at === undefined && keysExpireInMs !== null;
  const key = {
    ...KEY_DEFAULTS,
    ...readNew(KEY_FIELDS, fields, nowMs),
    ...(expires ? { expiresAtMs: nowMs + keysExpireInMs } : {}),
    ...{ id: mintId("key", random), last4, createdAtMs: nowMs },
  };
  await requireAccount(store, key.accountId);
  await changes.addKey(key, digest);
  return { ...keyView(key, nowMs), secret };
}

export function makeSecret({ random, pepper }: Pick<AdminWorld, "random" | "pepper">) {
  const secret = mintSecret(random);
  return { secret, last4: secret.slice(-LAST_CHARACTERS_SHOWN), digest: digestSecret(secret, pepper) };
}

/** Returns a page of keys, newest first, including revoked ones. `account_id`, `state` and `q` filter it. */
export async function listKeys({ store, clock }: KeyListParts, query: KeysQuery): Promise<Listed<KeyView>> {
  const nowMs = clock.nowMs();
  const { data, next } = await listKeyPage({ store, clock }, query);
  return { data: data.map((key) => keyView(key, nowMs)), next };
}

type KeyListParts = Pick<AdminWorld, "store" | "clock">;
type KeyChangeParts = Pick<ActingWorld, "store" | "changes" | "clock">;
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
  readonly ledger: Pick<Ledger, "allowances" | "limits" | "accountLimits">;
  readonly dayRules: () => DayRules;
}

/** Like `listKeys`, with each key's remaining allowance, spending, and last use. */
export async function listKeysInUse(parts: KeyParts, query: KeysQuery): Promise<Listed<KeyInUseView>> {
  const { data, next } = await listKeyPage(parts, query);
  return { data: await readKeyUses(parts, data), next };
}

/** Throws the Fault `not_found`. */
export async function getKey(parts: KeyParts, id: string): Promise<KeyDetailView> {
  const key = requireKey(id, await parts.store.key(id));
  const [view] = await readKeyUses(parts, [key]);
  if (view) return { ...view, limits: (await parts.ledger.limits(key)).map(limitView) };
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

/**
 * Changes only the given fields. Null removes a limit. Another account takes the key with its counts. If conversations may no
 * longer be kept, they are deleted.
 */
export async function updateKey(
  { store, changes, clock }: KeyChangeParts,
  id: string,
  fields: Static<typeof keyChangeSchema>,
): Promise<KeyView> {
  const nowMs = clock.nowMs();
  const raises = readRaises(fields.budgets, "budgets");
  const change = readChange(KEY_FIELDS, raises ? { ...fields, budgets: undefined } : fields, nowMs);
  const revision = raises
    ? ({ budgets }: GatewayKey) => ({ ...change, budgets: raiseBudgets(budgets, raises) })
    : change;
  const key = requireKey(
    id,
    await write({ store, changes }, refuseConsoleKey(id), change.accountId, revision),
  );
  if (change.keepsResponses === false) await store.removeResponses(key.accountId, key.id);
  return keyView(key, nowMs);
}

async function write(
  { store, changes }: Pick<KeyChangeParts, "store" | "changes">,
  id: string,
  accountId: string | undefined,
  revision: Revision<GatewayKey, KeyChange>,
): Promise<GatewayKey | null> {
  if (accountId === undefined) return changes.changeKey(id, revision);
  await requireAccount(store, accountId);
  return changes.moveKey(id, { accountId, revision, carry: carryCounts });
}

async function requireAccount(store: Pick<KeyListParts["store"], "account">, id: string): Promise<void> {
  if ((await store.account(id)) === null) throw invalidValue("account_id", "this account doesn't exist");
}

/**
 * Replaces a key's secret. The old one works until the grace has passed, but earlier ones no longer do. Throws the
 * Faults `not_found` and `key_revoked`, and those of bad input.
 */
export async function rotateKey(
  world: ActingWorld,
  id: string,
  fields: Static<typeof rotationSchema>,
): Promise<NewKeyView> {
  const nowMs = world.clock.nowMs();
  const graceMs = readGrace(fields);
  const { secret, ...made } = makeSecret(world);
  const oldSecretUntilMs = graceMs === 0 ? null : nowMs + graceMs;
  const rotated = await world.changes.rotateKey(refuseConsoleKey(id), { ...made, oldSecretUntilMs });
  const key = requireKey(id, rotated);
  if (key.revokedAtMs === null) return { ...keyView(key, nowMs), secret };
  throw new Fault("key_revoked", "This key is revoked, so it can't get another secret. Create a new key.");
}

/** Revokes a key permanently. Repeating it changes nothing. */
export async function revokeKey({ changes, clock }: KeyChangeParts, id: string): Promise<KeyView> {
  const nowMs = clock.nowMs();
  return keyView(requireKey(id, await changes.revokeKey(refuseConsoleKey(id), nowMs)), nowMs);
}

/** Hides the console's own key, which can't be viewed or changed. */
function refuseConsoleKey(id: string): string {
  if (id !== CONSOLE_KEY) return id;
  throw noKey();
}

export function requireKey(id: string, key: GatewayKey | null): GatewayKey {
  if (key !== null && key.id === refuseConsoleKey(id)) return key;
  throw noKey();
}

function noKey(): Fault {
  return new Fault("not_found", "There is no key with that id.");
}
