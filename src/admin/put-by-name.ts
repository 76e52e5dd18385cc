// The operator's use-cases on keys and accounts by name: made, or brought to this state, however often they are repeated.
import type { Static } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { ACCOUNT_FIELDS } from "../core/fields/account.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import { ACCOUNT_DEFAULTS, type Account, findKeyState, type GatewayKey, KEY_DEFAULTS } from "../core/key.ts";
import type { PutRecord } from "../core/key-change.ts";
import { invalidValue } from "../core/schema-fault.ts";
import type { Vault } from "../core/world.ts";
import { mintId } from "../keys/secret.ts";
import { type AccountView, type accountChangeSchema, accountView, newAccountSchema } from "./accounts.ts";
import { keepExtras } from "./budgets.ts";
import { readNew } from "./fields.ts";
import { readIdempotencyKey, readInput, readName } from "./input.ts";
import { type keyChangeSchema, newKeySchema } from "./key-fields.ts";
import { type KeyView, type KeyWorld, keyView, makeSecret, type NewKeyView } from "./keys.ts";
import type { ActingWorld } from "./world.ts";

export interface PutWorld extends KeyWorld {
  readonly vault: Vault;
}

/** `isMade` is true also for a repeat of the request that made it. */
interface Made<View> {
  readonly isMade: boolean;
  readonly view: View;
}

/**
 * Makes an account, or sets every field of the one with this name: those that aren't given get their default, and extra
 * amounts stay. Throws the Faults `name_ambiguous` and those of bad input.
 */
export async function putAccount(
  { changes, clock, random }: Pick<ActingWorld, "changes" | "clock" | "random">,
  name: string,
  fields: Static<typeof accountChangeSchema>,
): Promise<Made<AccountView>> {
  checkName(fields.name, name);
  const nowMs = clock.nowMs();
  const asked = readNew(ACCOUNT_FIELDS, readInput(newAccountSchema, { ...fields, name }), nowMs);
  const fresh = { ...ACCOUNT_DEFAULTS, ...asked, id: mintId("acct", random), createdAtMs: nowMs };
  const account = await changes.putAccount({
    fresh,
    choose: (found) => chooseOne(found, describeAccounts(name)),
    revise: ({ budgets }) => ({ ...asked, budgets: keepExtras(budgets, asked.budgets) }),
  });
  return { isMade: account.id === fresh.id, view: accountView(account) };
}

function describeAccounts(name: string): string {
  return `accounts named '${name}'`;
}

/** The name stands in the path. A body may repeat it. */
function checkName(given: string | undefined, name: string): void {
  if (given === undefined || given.trim() === name.trim()) return;
  throw invalidValue("name", "it differs from the name in the path");
}

function chooseOne<Row>(found: readonly Row[], what: string): Row | null {
  const [row = null, another] = found;
  if (another === undefined) return row;
  throw new Fault("name_ambiguous", `There are several ${what}. Use an id, or rename all but one.`);
}

/** Where a PUT of a key points: an account, by its name or id, and the key's name. */
interface KeyPlace {
  readonly account: string;
  readonly name: string;
}

/**
 * The same for a key of an account. It stays paused, and a revoked key of the name stays revoked: it doesn't count. With an
 * Idempotency-Key, a repeat within ten minutes changes nothing and shows the same secret. Throws `name_ambiguous`,
 * `idempotency_mismatch` and the Faults of bad input.
 */
export async function putKey(
  world: PutWorld,
  place: KeyPlace,
  fields: Static<typeof keyChangeSchema>,
  idempotencyKey: string | null,
): Promise<Made<KeyView | NewKeyView>> {
  const { store, changes, clock, random, keysExpireInMs = null } = world;
  const nowMs = clock.nowMs();
  checkName(fields.name, place.name);
  const { id: accountId } = await findAccount(store, place.account);
  checkAccount(fields, place, accountId);
  const given = readInput(newKeySchema, { ...fields, name: place.name, account_id: accountId });
  const asked = readNew(KEY_FIELDS, given, nowMs);
  /** A default expiry counts from the key's creation, so that repeats don't move it. */
  const findExpiry = (createdAtMs: number) =>
    fields.expires_at === undefined && keysExpireInMs !== null
      ? createdAtMs + keysExpireInMs
      : asked.expiresAtMs;
  const { secret, last4, digest } = makeSecret(world);
  const times = { createdAtMs: nowMs, expiresAtMs: findExpiry(nowMs) };
  const fresh: GatewayKey = { ...KEY_DEFAULTS, ...asked, id: mintId("key", random), last4, ...times };
  const { key, earlier } = await changes.putKey({
    ...{ fresh, digest },
    choose: (found) => chooseLive(found, nowMs, place),
    revise: (before) => ({
      ...asked,
      expiresAtMs: findExpiry(before.createdAtMs),
      isPaused: before.isPaused || asked.isPaused,
      budgets: keepExtras(before.budgets, asked.budgets),
    }),
    record: idempotencyKey === null ? null : makeRecord(world, fresh, { given, idempotencyKey, secret }),
  });
  if (key.keepsResponses === false) await store.removeResponses(key.accountId, key.id);
  const view = keyView(key, nowMs);
  if (earlier !== null) return repeat(world, key, view, { earlier, given });
  return key.id === fresh.id ? { isMade: true, view: { ...view, secret } } : { isMade: false, view };
}

/** An account with that id, or else of that name. Throws the Faults `not_found` and `name_ambiguous`. */
async function findAccount(store: PutWorld["store"], named: string): Promise<Account> {
  const account =
    (await store.account(named)) ??
    chooseOne(await store.accountsNamed(readName(named, "account")), describeAccounts(named));
  if (account !== null) return account;
  throw new Fault("not_found", "There is no account with that name or id.");
}

function checkAccount(
  { account_id: given }: Static<typeof keyChangeSchema>,
  { account }: KeyPlace,
  accountId: string,
): void {
  if (given === undefined || given === accountId || given === account) return;
  throw invalidValue("account_id", "it differs from the account in the path");
}

/** If there are several keys, the one that hasn't expired is meant. */
function chooseLive(found: readonly GatewayKey[], nowMs: number, { name }: KeyPlace): GatewayKey | null {
  const live = found.filter((key) => findKeyState(key, nowMs) !== "expired");
  return chooseOne(live.length === 1 ? live : found, `keys named '${name}' in this account`);
}

interface Asked {
  readonly given: object;
  readonly idempotencyKey: string;
  readonly secret: string;
}

function makeRecord(
  { vault }: PutWorld,
  { id: keyId, accountId, name, createdAtMs: atMs }: GatewayKey,
  { given, idempotencyKey, secret }: Asked,
): PutRecord {
  const key = readIdempotencyKey(idempotencyKey, "Idempotency-Key");
  return {
    ...{ accountId, keyId, atMs },
    id: vault.digest(JSON.stringify(["put key", name, key])),
    bodyDigest: digestBody(vault, given),
    sealed: vault.seal(secret, nameUse(keyId)),
  };
}

/** The order of its fields is not part of a body. */
function digestBody(vault: Pick<Vault, "digest">, given: object): string {
  const fields = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1));
  return vault.digest(JSON.stringify(["put key", fields]));
}

function nameUse(keyId: string): string {
  return `secret of ${keyId}`;
}

/** Shows the secret as long as it is the key's. */
function repeat(
  { vault }: PutWorld,
  key: GatewayKey,
  view: KeyView,
  { earlier, given }: { readonly earlier: PutRecord; readonly given: object },
): Made<KeyView | NewKeyView> {
  if (earlier.bodyDigest !== digestBody(vault, given)) {
    const message = "This Idempotency-Key was already used with a different body.";
    throw new Fault("idempotency_mismatch", message, { param: "Idempotency-Key" });
  }
  const { sealed, keyId } = earlier;
  const isShown = sealed !== null && key.rotations === 0 && key.revokedAtMs === null;
  return isShown
    ? { isMade: true, view: { ...view, secret: vault.open(sealed, nameUse(keyId)) } }
    : { isMade: false, view };
}
