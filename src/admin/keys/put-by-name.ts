// The operator's use-cases on keys and accounts by name: made, or brought to this state, however often they are repeated.
import type { Static } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import {
  ACCOUNT_DEFAULTS,
  type Account,
  findKeyState,
  type GatewayKey,
  KEY_DEFAULTS,
  refuseClosed,
} from "../../core/keys/key.ts";
import type { KeyChange } from "../../core/keys/key-change.ts";
import type { Scope } from "../../core/people/people.ts";
import { mintId } from "../../keys/secret.ts";
import { adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { readNew, viewFields } from "../fields.ts";
import { readInput, readName } from "../input.ts";
import { keepExtras } from "../limits/budgets.ts";
import { type AccountView, accountChangeSchema, accountView } from "../money/accounts.ts";
import { refuseLateExtras } from "../people/sender-rights.ts";
import type { ActingWorld } from "../world.ts";
import { type keyChangeSchema, newKeySchema } from "./key-fields.ts";
import {
  ALL_RIGHTS,
  checkNewKey,
  completeKey,
  type KeyRights,
  planKeyChange,
  startKey,
} from "./key-rights.ts";
import { type KeyView, type KeyWorld, keyView, type NewKeyView } from "./keys.ts";
import { makeSecret } from "./new-secret.ts";
import { changePauses } from "./pauses.ts";
import { findHolder, planMaking } from "./personal-keys.ts";

/** `isMade` is true also for a repeat of the request that made it. */
interface PutResult<View> {
  readonly isMade: boolean;
  readonly view: View;
}

/**
 * Makes an account, or sets every field of the one with this name: those that aren't given get their default, and extra
 * amounts stay, and so does a pause. Throws the Faults `name_ambiguous` and those of bad input.
 */
export async function putAccount(
  { changes, clock, random, aliasNames }: Pick<ActingWorld, "changes" | "clock" | "random" | "aliasNames">,
  name: string,
  fields: Static<typeof accountChangeSchema>,
  access = adminAccess(COMMAND_LINE),
): Promise<PutResult<AccountView>> {
  checkName(fields.name, name);
  const nowMs = clock.nowMs();
  refuseLateExtras(access, "putAccount", null, fields.budgets);
  const asked = readNew(ACCOUNT_FIELDS, readInput(accountChangeSchema, { ...fields, name }), {
    nowMs,
    aliasNames,
  });
  const pause = (before: Pick<Account, "isPaused" | "pausedBy">) =>
    asked.isPaused
      ? changePauses(access.role ?? "member", before, true)
      : { isPaused: before.isPaused, pausedBy: before.pausedBy };
  const made = { ...ACCOUNT_DEFAULTS, ...asked, id: mintId("acct", random), createdAtMs: nowMs };
  const fresh = { ...made, ...pause(ACCOUNT_DEFAULTS) };
  const account = await changes.putAccount({
    fresh,
    choose: (found) => chooseOne(found, describeAccounts(name)),
    revise: (before) => ({
      ...asked,
      ...pause(before),
      budgets: keepExtras(before.budgets, asked.budgets),
    }),
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
 * The same for a key of an account. It stays paused, and a revoked key of the name stays revoked: it doesn't count. Keys that
 * the sender doesn't see don't count either. Throws `name_ambiguous`, `not_permitted` and the Faults of bad input.
 */
export async function putKey(
  world: KeyWorld,
  place: KeyPlace,
  fields: Static<typeof keyChangeSchema>,
): Promise<PutResult<KeyView | NewKeyView>> {
  const { store, changes, clock, random } = world;
  const rights: KeyRights = { ...ALL_RIGHTS, ...world };
  const nowMs = clock.nowMs();
  checkName(fields.name, place.name);
  const account = await findAccount(store, place.account, rights.access.scope("accounts.read"));
  checkAccount(fields, place, account.id);
  refuseLateExtras(rights.access, "putKey", account.id, fields.budgets);
  const input = readInput(newKeySchema, { ...fields, name: place.name, account_id: account.id });
  const asked = readNew(KEY_FIELDS, input, { nowMs, aliasNames: world.aliasNames });
  const { secret, last4, digest } = makeSecret(world);
  /** Everything that a PUT sets, also what it leaves out. */
  const complete = (key: GatewayKey): GatewayKey =>
    completeKey(
      rights,
      { ...key, ...asked, expiresAtMs: findExpiry(world, fields, { ...key, ...asked }) },
      fields,
    );
  const memberId = findHolder(rights.access, undefined, account.id);
  const made = { ...KEY_DEFAULTS, ...asked, id: mintId("key", random), last4, createdAtMs: nowMs, memberId };
  const fresh = startKey(rights, { ...made, expiresAtMs: findExpiry(world, fields, made) }, fields);
  const key = await changes.putKey({
    fresh,
    digest,
    scope: rights.access.scope("keys.read"),
    choose: (found) => {
      const chosen = chooseLive(found, nowMs, place);
      if (chosen === null) checkNewKey(rights, fresh, fields, account);
      return chosen;
    },
    revise: (before) => revisePut(rights, { before, after: complete(before), account, nowMs }),
    making: planMaking(rights, { memberId, account, nowMs }),
  });
  if (key.keepsResponses === false) await store.responses.removeAll(key.accountId, key.id);
  const view = keyView(key, nowMs);
  return key.id === fresh.id ? { isMade: true, view: { ...view, secret } } : { isMade: false, view };
}

/** A default expiry counts from the key's creation, so that repeats don't move it. */
export function findExpiry(
  { keysExpireInMs = null }: Pick<KeyWorld, "keysExpireInMs">,
  { expires_at: given }: Pick<Static<typeof keyChangeSchema>, "expires_at">,
  { createdAtMs, expiresAtMs }: Pick<GatewayKey, "createdAtMs" | "expiresAtMs">,
): number | null {
  return given === undefined && keysExpireInMs !== null ? createdAtMs + keysExpireInMs : expiresAtMs;
}

interface KeyRevision {
  readonly before: GatewayKey;
  readonly after: GatewayKey;
  readonly account: Account;
  readonly nowMs: number;
}

/** A field that goes back to its default is set as much as one that is given. */
function revisePut(rights: KeyRights, { before, after, account, nowMs }: KeyRevision): KeyChange {
  const budgets = keepExtras(before.budgets, after.budgets);
  const isPaused = after.isPaused && !before.isPaused ? true : undefined;
  const wanted: GatewayKey = { ...after, budgets, isPaused: before.isPaused || after.isPaused };
  const shown = Object.entries(viewFields(KEY_FIELDS, before));
  const known = new Map(shown.map(([name, value]) => [name, JSON.stringify(value)]));
  const given = Object.entries(viewFields(KEY_FIELDS, wanted)).filter(
    ([name, value]) => known.get(name) !== JSON.stringify(value),
  );
  const plan = planKeyChange(rights, {
    given: Object.fromEntries(given),
    revision: { ...wanted, isPaused },
    accounts: { from: account, to: null },
    nowMs,
  });
  return plan(before);
}

/** An account with that id, or else of that name, of those in the scope. Throws the Faults `not_found`, `name_ambiguous` and `account_closed`. */
async function findAccount(store: KeyWorld["store"], named: string, scope: Scope): Promise<Account> {
  const account =
    (await store.account(named, scope)) ??
    chooseOne(await store.accountsNamed(readName(named, "account"), scope), describeAccounts(named));
  if (account === null) throw new Fault("not_found", "There is no account with that name or id.");
  const closed = refuseClosed(account);
  if (closed !== null) throw closed;
  return account;
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
