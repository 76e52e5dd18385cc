// Brings accounts and keys, known by their ids, to the state that a file gives them, as a PUT does by name.
import { Fault } from "../../core/faults/fault.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { ACCOUNT_DEFAULTS, type Account, type GatewayKey, KEY_DEFAULTS } from "../../core/keys/key.ts";
import type { AccountChange, KeyChange } from "../../core/keys/key-change.ts";
import { type FieldInput, type Reading, readNew, readState } from "../fields.ts";
import { keepExtras } from "../limits/budgets.ts";
import type { ActingWorld } from "../world.ts";
import { type KeyWorld, removeResponses, requireKey, requireNewPayer, writeKey } from "./keys.ts";
import { changePauses } from "./pauses.ts";
import { findExpiry } from "./put-by-name.ts";

type AccountState = FieldInput<typeof ACCOUNT_FIELDS>;
/** Its account is an id. */
type KeyFieldState = FieldInput<typeof KEY_FIELDS>;

/** The time of reading a state, the names that it may use, and the time after which keys without an expiry end. */
interface StateReading extends Reading, Pick<KeyWorld, "keysExpireInMs"> {}

/** Nothing that is paused is resumed here, and a pause gets no second reason. */
function keepPause(before: Pick<Account, "isPaused" | "pausedBy">, isPaused: boolean) {
  if (isPaused && !before.isPaused) return changePauses("admin", before, true);
  return { isPaused: before.isPaused, pausedBy: before.pausedBy };
}

/** Returns the new account of a state. Throws the Faults of bad input. */
export function makeAccount(given: AccountState, id: string, reading: StateReading): Account {
  const asked = readNew(ACCOUNT_FIELDS, given, reading);
  const paused = keepPause(ACCOUNT_DEFAULTS, asked.isPaused);
  return { ...ACCOUNT_DEFAULTS, ...asked, ...paused, id, createdAtMs: reading.nowMs };
}

/** Returns how an account is brought to a state: extra amounts of its budgets stay. Throws the Faults of bad input. */
export function reviseAccount(given: AccountState, reading: StateReading) {
  return (before: Account): AccountChange => {
    const asked = readState(ACCOUNT_FIELDS, given, before, reading);
    const budgets = keepExtras(before.budgets, asked.budgets);
    return { ...asked, budgets, ...keepPause(before, asked.isPaused) };
  };
}

/** Returns the new key of a state. Throws the Faults of bad input. */
export function makeKey(
  given: KeyFieldState,
  { id, last4 }: Pick<GatewayKey, "id" | "last4">,
  reading: StateReading,
): GatewayKey {
  const { nowMs, keysExpireInMs } = reading;
  const asked = readNew(KEY_FIELDS, given, reading);
  const made = { ...KEY_DEFAULTS, ...asked, id, last4, createdAtMs: nowMs };
  const expiresAtMs = findExpiry({ keysExpireInMs }, readExpires(given), made);
  return { ...made, ...keepPause(KEY_DEFAULTS, asked.isPaused), expiresAtMs };
}

/** The same for a key. */
export function reviseKey(given: KeyFieldState, reading: StateReading) {
  const { keysExpireInMs } = reading;
  return (before: GatewayKey): KeyChange => {
    const asked = readState(KEY_FIELDS, given, before, reading);
    const expiry = { createdAtMs: before.createdAtMs, expiresAtMs: asked.expiresAtMs };
    return {
      ...asked,
      expiresAtMs: findExpiry({ keysExpireInMs }, readExpires(given), expiry),
      budgets: keepExtras(before.budgets, asked.budgets),
      ...keepPause(before, asked.isPaused),
    };
  };
}

function readExpires({ expires_at }: KeyFieldState): { readonly expires_at?: string | null } {
  return typeof expires_at === "string" || expires_at === null ? { expires_at } : {};
}

/** Another one of the name may be there, if it was there before. */
interface Adding {
  readonly isKnown: (id: string) => boolean;
}

function refuseOthers(found: readonly { readonly id: string; readonly name: string }[], { isKnown }: Adding) {
  const other = found.find(({ id }) => !isKnown(id));
  if (other === undefined) return null;
  const message = `'${other.name}' was made by somebody else at the same time. Repeat the command.`;
  throw new Fault("name_ambiguous", message);
}

/** Adds an account. Throws the Fault `name_ambiguous` if somebody else has just made one of that name. */
export async function addAccount({ changes }: ActingWorld, fresh: Account, adding: Adding): Promise<void> {
  await changes.putAccount({ fresh, choose: (found) => refuseOthers(found, adding), revise: () => ({}) });
}

/** The same for a key. */
export async function addKey(
  { store, changes }: ActingWorld,
  { fresh, digest }: { readonly fresh: GatewayKey; readonly digest: string },
  adding: Adding,
): Promise<void> {
  await requireNewPayer(store, fresh.accountId);
  const choose = (found: readonly GatewayKey[]) => refuseOthers(found, adding);
  await changes.putKey({ fresh, digest, choose, revise: () => ({}) });
}

/** Throws the Fault `not_found`, and those of bad input. */
export async function bringAccount(
  { changes, clock, aliasNames }: ActingWorld,
  id: string,
  given: AccountState,
): Promise<void> {
  const revise = reviseAccount(given, { nowMs: clock.nowMs(), aliasNames });
  const account = await changes.changeAccount(id, revise);
  if (account === null) throw new Fault("not_found", "There is no account with that id.");
}

/** The same for a key, which another account takes with its counts. */
export async function bringKey(world: KeyWorld, id: string, given: KeyFieldState): Promise<void> {
  const { store, changes, clock, keysExpireInMs, aliasNames } = world;
  const { accountId } = requireKey(id, await store.key(id));
  const to = typeof given.account_id === "string" && given.account_id !== accountId ? given.account_id : null;
  if (to !== null) await requireNewPayer(store, to);
  const revise = reviseKey(given, { nowMs: clock.nowMs(), keysExpireInMs, aliasNames });
  const revision = (before: GatewayKey) => {
    if (before.accountId === accountId) return revise(before);
    throw new Fault(
      "not_found",
      "The key was moved to another account at the same time. Repeat the command.",
    );
  };
  const key = requireKey(id, await writeKey(changes, id, { accountId: to ?? undefined }, revision));
  if (!key.keepsResponses) await removeResponses(store, key, accountId);
}
