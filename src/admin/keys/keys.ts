// The operator's use-cases on gateway keys: create, list, view, change, rotate, revoke.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import {
  type Account,
  findKeyState,
  type GatewayKey,
  KEY_DEFAULTS,
  KEY_STATES,
  refuseClosed,
  showPausers,
} from "../../core/keys/key.ts";
import type { KeyChange, Revision } from "../../core/keys/key-change.ts";
import type { KeyMaking } from "../../core/keys/key-making.ts";
import { PAUSERS, type Scope } from "../../core/people/people.ts";
import type { KeyFilter, SortCosts, Store } from "../../core/store.ts";
import { mintId } from "../../keys/secret.ts";
import { carryCounts } from "../../ledger/key-move.ts";
import type { Access } from "../../people/access.ts";
import { makeViewProperties, readChange, readNew, viewFields } from "../fields.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { raiseBudgets, readRaises } from "../limits/budgets.ts";
import { type ListPage, listPage, listSorted, sortedFields } from "../list.ts";
import { refuseLateExtras } from "../people/sender-rights.ts";
import { allowNull, allowWords, closeObject, instant, text, type View } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import {
  KEY_KINDS,
  type keyChangeSchema,
  type newKeySchema,
  readGrace,
  type rotationSchema,
} from "./key-fields.ts";
import {
  ALL_RIGHTS,
  checkNewKey,
  checkRotation,
  type KeyRights,
  planKeyChange,
  startKey,
} from "./key-rights.ts";
import { makeSecret } from "./new-secret.ts";
import { findHolder, planArrival, planMaking, planRotation } from "./personal-keys.ts";

/** The id of the console playground's built-in key, and the beginning of those that it has in other accounts. */
export const CONSOLE_KEY = "console";

export const keysQuery = closeObject({
  ...sortedFields("keys"),
  account_id: Type.Optional(text),
  member: Type.Optional(Type.String({ description: "The id of the person whose personal key it is." })),
  state: Type.Optional(allowWords(KEY_STATES)),
  q: Type.Optional(Type.String({ description: "Part of the name, id or last four characters." })),
});

/** A key as the operator sees it. */
export const keySchema = Type.Object({
  id: text,
  ...makeViewProperties(KEY_FIELDS),
  kind: allowWords(KEY_KINDS),
  member_id: allowNull(text),
  paused_by: Type.Array(allowWords(PAUSERS), {
    description: "Every reason for which it is paused. Only the same or a higher role lifts one.",
  }),
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
    kind: key.memberId === null ? "service" : "personal",
    member_id: key.memberId,
    paused_by: showPausers(key),
    last4: key.last4,
    created_at: formatInstant(key.createdAtMs),
    revoked_at: formatInstantOrNull(key.revokedAtMs),
    old_secret_expires_at: formatInstantOrNull(hasOldSecret ? oldSecretUntilMs : null),
    state: findKeyState(key, nowMs),
  };
}

export interface KeyWorld extends ActingWorld, Partial<KeyRights> {
  /** The time after which a key without an expiry expires. Missing or null for never. */
  readonly keysExpireInMs?: number | null | undefined;
}

/** Creates a key. A limit that isn't given is the configuration's for all keys, or none. */
export async function createKey(world: KeyWorld, fields: Static<typeof newKeySchema>): Promise<NewKeyView> {
  const { store, changes, clock, random, keysExpireInMs = null } = world;
  const rights = { ...ALL_RIGHTS, ...world };
  const nowMs = clock.nowMs();
  const { secret, last4, digest } = makeSecret(world);
  const expires = fields.expires_at === undefined && keysExpireInMs !== null;
  const read = readNew(KEY_FIELDS, fields, { nowMs, aliasNames: world.aliasNames });
  const scope = rights.access.scope("accounts.read");
  const accountId =
    fields.account_id === undefined ? findSingleAccount(scope, read.accountId) : read.accountId;
  const account = await requireNewPayer(store, accountId, scope);
  const asked = {
    ...KEY_DEFAULTS,
    ...read,
    ...(expires ? { expiresAtMs: nowMs + keysExpireInMs } : {}),
    id: mintId("key", random),
    last4,
    createdAtMs: nowMs,
    accountId,
    memberId: findHolder(rights.access, fields.kind, accountId),
  };
  refuseLateExtras(rights.access, "createKey", accountId, fields.budgets);
  const key = startKey(rights, asked, fields);
  checkNewKey(rights, key, fields, account);
  const making = planMaking(rights, { memberId: key.memberId, account, nowMs });
  await (making ? changes.makeKey(key, digest, making) : changes.addKey(key, digest));
  return { ...keyView(key, nowMs), secret };
}

/** Somebody with one account needn't name it. */
function findSingleAccount({ accountIds }: Scope, byDefault: string): string {
  const [only, ...others] = accountIds ?? [];
  return only !== undefined && others.length === 0 ? only : byDefault;
}

export type KeyListParts = Pick<AdminWorld, "store" | "clock">;
export type KeysQuery = Static<typeof keysQuery>;
type KeyChangeParts = Pick<ActingWorld, "store" | "changes" | "clock" | "aliasNames">;

/** Returns a page of keys, newest first, including revoked ones. `account_id`, `member`, `state` and `q` filter it. */
export function listKeyPage(
  { store, clock }: KeyListParts,
  query: KeysQuery,
  scope?: Scope,
): Promise<ListPage<GatewayKey>> {
  const filter = readKeyFilter(query, clock.nowMs(), scope);
  const positionOf = ({ createdAtMs: atMs, id }: GatewayKey) => ({ atMs, id });
  return listPage(
    query,
    (page) => store.keys(page, filter),
    positionOf,
    (key) => key,
  );
}

/** The same in the order that the query names. */
export function listSortedKeys(
  { store, clock }: KeyListParts,
  query: KeysQuery,
  costs: SortCosts,
  scope?: Scope,
): Promise<ListPage<GatewayKey>> {
  const filter = readKeyFilter(query, clock.nowMs(), scope);
  return listSorted("keys", query, (page) => store.things.sorted("keys", page, { filter, costs }));
}

function readKeyFilter(query: KeysQuery, nowMs: number, scope: Scope | undefined): KeyFilter {
  return {
    scope,
    accountId: query.account_id,
    memberId: query.member,
    state: query.state,
    nowMs,
    text: query.q?.trim().toLowerCase() || undefined,
    except: CONSOLE_KEY,
  };
}

/**
 * Changes only the given fields. Null removes a limit. Another account takes the key with its counts. If conversations may no
 * longer be kept, they are deleted.
 */
export async function updateKey(
  { store, changes, clock, aliasNames }: KeyChangeParts,
  id: string,
  fields: Static<typeof keyChangeSchema>,
  rights: KeyRights = ALL_RIGHTS,
): Promise<KeyView> {
  const nowMs = clock.nowMs();
  const raises = readRaises(fields.budgets, "budgets");
  const set = raises ? { ...fields, budgets: undefined } : fields;
  const change = readChange(KEY_FIELDS, set, { nowMs, aliasNames });
  const revision = raises
    ? ({ budgets }: GatewayKey) => ({ ...change, budgets: raiseBudgets(budgets, raises) })
    : change;
  const { accountId: from, memberId } = await findKey(store, id, rights.access);
  const to = change.accountId;
  const accounts = {
    from: await requirePayer(store, from),
    to: to === undefined ? null : await requireNewPayer(store, to, rights.access.scope("accounts.read")),
  };
  const arrival = accounts.to && planArrival(rights, { memberId, account: accounts.to, nowMs });
  refuseLateExtras(rights.access, "updateKey", to ?? from, fields.budgets);
  const plan = planKeyChange(rights, { given: fields, revision, accounts, nowMs });
  const key = requireKey(id, await writeKey(changes, id, { accountId: to, making: arrival }, plan));
  if (change.keepsResponses === false) await removeResponses(store, key, from);
  return keyView(key, nowMs);
}

/** Deletes what a key has kept in its account, and in the one from which it may have come. */
export async function removeResponses(
  store: Pick<KeyChangeParts["store"], "responses">,
  { id, accountId }: Pick<GatewayKey, "id" | "accountId">,
  from: string,
): Promise<void> {
  for (const account of new Set([from, accountId])) await store.responses.removeAll(account, id);
}

/** Changes a key, and moves it if it gets an account. */
export async function writeKey(
  changes: KeyChangeParts["changes"],
  id: string,
  {
    accountId,
    making = null,
  }: { readonly accountId: string | undefined; readonly making?: KeyMaking | null },
  revision: Revision<GatewayKey, KeyChange>,
): Promise<GatewayKey | null> {
  if (accountId === undefined) return changes.changeKey(id, revision);
  return changes.moveKey(id, { accountId, revision, carry: carryCounts, making });
}

/** Returns the account of a key. Throws the Fault of a wrong `account_id`, also if the scope doesn't cover it. */
async function requirePayer(store: Pick<Store, "account">, id: string, scope?: Scope): Promise<Account> {
  const account = await store.account(id, scope);
  if (account !== null) return account;
  throw invalidValue("account_id", "this account doesn't exist");
}

/** The same for a key that it is to have from now on. Throws also the Fault `account_closed`. */
export async function requireNewPayer(
  store: Pick<Store, "account">,
  id: string,
  scope?: Scope,
): Promise<Account> {
  const account = await requirePayer(store, id, scope);
  const closed = refuseClosed(account);
  if (closed !== null) throw closed;
  return account;
}

/** Returns a key that the sender sees. Throws the Fault `not_found`. */
async function findKey(store: Pick<Store, "key">, id: string, access: Access): Promise<GatewayKey> {
  return requireKey(id, await store.key(id, access.scope("keys.read")));
}

/**
 * Replaces a key's secret. The old one works until the grace has passed, but earlier ones no longer do. Throws the
 * Faults `not_found`, `not_permitted`, `key_revoked` and `key_expired`, and those of bad input.
 */
export async function rotateKey(
  world: ActingWorld,
  id: string,
  fields: Static<typeof rotationSchema>,
  rights: KeyRights = ALL_RIGHTS,
): Promise<NewKeyView> {
  const { store, clock } = world;
  const nowMs = clock.nowMs();
  const graceMs = readGrace(fields);
  const before = await findKey(store, id, rights.access);
  const account = await store.account(before.accountId);
  if (account === null) throw noKey();
  checkRotation(rights, before, account, nowMs);
  const { secret, ...made } = makeSecret(world);
  const oldSecretUntilMs = graceMs === 0 ? null : nowMs + graceMs;
  const { memberId } = before;
  const making = memberId === null ? null : planRotation(rights, { memberId, account, nowMs });
  const key = requireKey(id, await world.changes.rotateKey(id, { ...made, oldSecretUntilMs, making }));
  if (key.revokedAtMs === null) return { ...keyView(key, nowMs), secret };
  throw new Fault("key_revoked", "This key is revoked, so it can't get another secret. Create a new key.");
}

/** Revokes a key permanently. Repeating it changes nothing. */
export async function revokeKey(
  { store, changes, clock }: KeyChangeParts,
  id: string,
  { access }: Pick<KeyRights, "access"> = ALL_RIGHTS,
): Promise<KeyView> {
  const nowMs = clock.nowMs();
  access.requireKey(await findKey(store, id, access));
  return keyView(requireKey(id, await changes.revokeKey(id, nowMs)), nowMs);
}

/** Hides the console's own keys, which can't be viewed or changed. */
function refuseConsoleKey(id: string): string {
  if (!id.startsWith(CONSOLE_KEY)) return id;
  throw noKey();
}

export function requireKey(id: string, key: GatewayKey | null): GatewayKey {
  if (key !== null && key.id === refuseConsoleKey(id)) return key;
  throw noKey();
}

export function noKey(): Fault {
  return new Fault("not_found", "There is no key with that id.");
}
