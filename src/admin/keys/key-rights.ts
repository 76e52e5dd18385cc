// The rights of each role over a key: the fields that it sets, up to which bounds, and which pauses it lifts.
import { Fault } from "../../core/faults/fault.ts";
import { applyChange } from "../../core/fields/field.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { type Account, type GatewayKey, KEY_DEFAULTS } from "../../core/keys/key.ts";
import { type KeyChange, type Revision, readRevision } from "../../core/keys/key-change.ts";
import { readAccountLimits, resolveAllowance, resolveLimits } from "../../core/keys/key-limits.ts";
import { boundSet, isBeyond, listBeyond, pickLimits } from "../../core/limits/limit-bounds.ts";
import type { Role } from "../../core/people/people.ts";
import { LIMIT_RULES, type LimitRules, type QuotaRules } from "../../core/settings.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import {
  type BoundName,
  findMaxima,
  hasPlacesBeside,
  listWidened,
  OWN_LIMITS,
} from "../../people/key-bounds.ts";
import { isAbove } from "../../people/roles.ts";
import { changePauses, notPermitted } from "./pauses.ts";
import { checkTools, fillTools, refuseMoreTools } from "./tool-rights.ts";

/** The sender of a change to a key, and the configuration's rules for keys. */
export interface KeyRights {
  readonly access: Access;
  readonly limitRules: LimitRules;
  readonly quota: Pick<QuotaRules, "requestsPerDay">;
  /** The most personal keys of a person that aren't revoked. Null for any number. */
  readonly personalKeysMax: number | null;
  /** The most makings and rotations of a person's keys in an hour. Null for any number. */
  readonly keysPerHour: number | null;
}

/** The command line works on the store itself, so no role bounds it. */
export const ALL_RIGHTS: KeyRights = {
  access: adminAccess(COMMAND_LINE),
  limitRules: LIMIT_RULES,
  quota: { requestsPerDay: null },
  personalKeysMax: null,
  keysPerHour: null,
};

/** The fields of a request, by their names on the wire. */
type KeyInput = Readonly<Record<string, unknown>>;

/** Returns the role in which the sender writes this key: people without a higher one write their own as members. */
function findRole(access: Access, { accountId }: Pick<GatewayKey, "accountId">): Role {
  return access.may("keys.write", accountId) ? (access.roleIn(accountId) ?? "member") : "member";
}

/** Throws the Faults `not_permitted` and `invalid_value` for what of a new key the sender's role doesn't permit. */
export function checkNewKey(
  { access, limitRules, quota }: KeyRights,
  key: GatewayKey,
  given: KeyInput,
  account: Account,
): void {
  access.requireKey(key);
  const role = findRole(access, key);
  if (role === "admin") return;
  checkFields(role, given);
  if (isOwn(access, key) && hasPlacesBeside(key, account, quota)) refuseOwn("requests_per_day");
  if (role === "operator") refuseBalance(account, "make a key");
  checkBounds({ role, given, key, account, limitRules, quota, nowMs: key.createdAtMs });
}

/** Returns a new key with what counts for fields that were left out, and with the reason for which it begins paused. */
export function startKey(
  rights: Omit<KeyRights, "personalKeysMax" | "keysPerHour">,
  key: GatewayKey,
  input: KeyInput,
): GatewayKey {
  const paused = key.isPaused ? changePauses(findRole(rights.access, key), KEY_DEFAULTS, true) : {};
  return { ...completeKey(rights, key, input), ...paused };
}

/** Returns a key with what counts for fields that were left out: for admins nothing else, for others within `key_maxima`. */
export function completeKey(
  { access, limitRules }: Pick<KeyRights, "access" | "limitRules">,
  key: GatewayKey,
  input: KeyInput,
): GatewayKey {
  return findRole(access, key) === "admin" ? key : fillKey(key, input, limitRules);
}

/** A field that is left out is never beyond what the role may give. */
function fillKey(key: GatewayKey, input: KeyInput, limitRules: LimitRules): GatewayKey {
  const maxima = findMaxima(limitRules, key);
  const beyond = listBeyond(resolveLimits(key, limitRules.keyDefaults), maxima).filter(
    (name) => input[name] === undefined,
  );
  const latestMs = maxima.expireInMs === null ? null : key.createdAtMs + maxima.expireInMs;
  const isEndless = input.expires_at === undefined && isBeyond(key.expiresAtMs, latestMs);
  const expiresAtMs = isEndless ? latestMs : key.expiresAtMs;
  const allowedTools = input.allowed_tools === undefined ? fillTools(key, limitRules) : key.allowedTools;
  return { ...key, ...pickLimits(maxima, beyond), expiresAtMs, allowedTools };
}

/** A change of a key, before it is known to be permitted. */
interface ChangeRequest {
  readonly given: KeyInput;
  readonly revision: Revision<GatewayKey, KeyChange>;
  /** The key's account, and the one that it moves to. Null if it stays. */
  readonly accounts: { readonly from: Account; readonly to: Account | null };
  readonly nowMs: number;
}

/**
 * Returns the change as the store makes it of the key as it is, once the sender's roles in the accounts are known to permit
 * it.
 */
export function planKeyChange(rights: KeyRights, asked: ChangeRequest): (before: GatewayKey) => KeyChange {
  return (before) => {
    const { isPaused, ...change } = readRevision(asked.revision, before);
    const { access } = rights;
    const ids = [before.accountId, asked.accounts.to?.id ?? before.accountId];
    for (const accountId of ids) access.requireKey({ ...before, accountId });
    const paused = isPaused === undefined ? {} : changePauses(findRole(access, before), before, isPaused);
    if (ids.some((accountId) => findRole(access, { accountId }) !== "admin")) {
      const isResumed = isPaused === false && before.isPaused;
      checkChange(rights, asked, { before, after: applyChange(before, change), isResumed });
    }
    return { ...change, ...paused };
  };
}

interface RightsRevision {
  readonly before: GatewayKey;
  /** As it would be, but for a pause. */
  readonly after: GatewayKey;
  readonly isResumed: boolean;
}

/** Checks a change in both accounts of a move: in neither it may be more than the role there permits. */
function checkChange(
  { access, limitRules, quota }: KeyRights,
  { given, accounts: { from, to }, nowMs }: ChangeRequest,
  { before, after, isResumed }: RightsRevision,
): void {
  if (before.accountId !== from.id) throw new Fault("not_found", "The key was moved to another account.");
  const account = to ?? from;
  const isMoved = account.id !== from.id;
  const widened = listWidened(before, after, account, { ...limitRules, quota });
  const work = nameWork(widened, { isMoved, isResumed });
  for (const place of isMoved ? [from, account] : [from]) {
    const role = findRole(access, { accountId: place.id });
    if (role === "admin") continue;
    checkFields(role, given);
    refuseMoreTools(role, widened);
    if (role === "operator" && work !== null) refuseBalance(place, work);
    checkBounds({ role, given, key: after, account, limitRules, quota, nowMs });
  }
  const own = widened.find((name) => OWN_LIMITS.has(name) && isOwn(access, before));
  if (own !== undefined) refuseOwn(own);
}

/** Returns what an operator may not do in an account with a balance, if the change does it. */
function nameWork(
  [first]: readonly BoundName[],
  { isMoved, isResumed }: { readonly isMoved: boolean; readonly isResumed: boolean },
): string | null {
  if (isMoved) return "move a key";
  if (first !== undefined) return `widen '${first}'`;
  return isResumed ? "resume a key" : null;
}

/** Throws unless the sender may give the key another secret, and, at `nowMs`, that secret would work. */
export function checkRotation(
  { access }: KeyRights,
  key: GatewayKey,
  account: Account,
  nowMs: number | null = null,
): void {
  access.requireKey(key);
  if (findRole(access, key) === "operator") refuseBalance(account, "rotate a key");
  if (nowMs === null || key.expiresAtMs === null || key.revokedAtMs !== null) return;
  if (nowMs < key.expiresAtMs) return;
  const message = "This key has expired, so another secret would not work. Give it a later expires_at first.";
  throw new Fault("key_expired", message);
}

/** Throws unless the sender may forget what was used of the key's budgets. */
export function checkReset({ access }: Pick<KeyRights, "access">, key: GatewayKey, account: Account): void {
  access.require("keys.write", key.accountId);
  const role = findRole(access, key);
  if (role === "operator") refuseBalance(account, "reset budgets");
  if (role !== "admin" && isOwn(access, key))
    throw notPermitted("id", "the budgets of this key bind yourself");
}

function isOwn(access: Access, { memberId }: Pick<GatewayKey, "memberId">): boolean {
  return memberId !== null && memberId === access.personId;
}

function refuseOwn(name: BoundName): never {
  const message =
    name === "requests_per_day"
      ? "your own keys share the account's daily allowance, and have no places beside it"
      : `'${name}' binds yourself: you may lower it, and ask for more`;
  throw notPermitted(name, message);
}

function checkFields(role: Role, input: KeyInput): void {
  for (const [name, { role: lowest }] of Object.entries(KEY_FIELDS)) {
    if (input[name] === undefined || !isAbove(lowest, role)) continue;
    throw notPermitted(
      name,
      `'${name}' is set by the role '${lowest}' and higher ones, and yours here is '${role}'`,
    );
  }
}

/** Operators move no money: what they could spend through a key is somebody's balance. */
function refuseBalance({ balanceNanoUsd, heldNanoUsd }: Account, what: string): void {
  if (balanceNanoUsd === 0 && heldNanoUsd === 0) return;
  const message = `You have the role 'operator' here, which may not ${what} in an account with a balance. Ask an admin or the account's manager.`;
  throw new Fault("not_permitted", message);
}

interface ChangeCheck extends Omit<KeyRights, "access" | "personalKeysMax" | "keysPerHour"> {
  readonly role: Role;
  readonly given: KeyInput;
  /** As it would be. */
  readonly key: GatewayKey;
  readonly account: Account;
  readonly nowMs: number;
}

/** Only fields of the request are looked at: what others set before may stay. */
function checkBounds({ role, given, key, account, limitRules, quota, nowMs }: ChangeCheck): void {
  const maxima = findMaxima(limitRules, key);
  const by = key.memberId === null ? "'key_maxima' allows" : "'key_maxima' or else 'key_defaults' allows";
  const limits = resolveLimits(key, limitRules.keyDefaults);
  const beyond = listBeyond(limits, maxima).find((name) => given[name] !== undefined);
  if (beyond !== undefined) throw invalidValue(beyond, `it is more than ${by}; null is no limit at all`);
  const latestMs = maxima.expireInMs === null ? null : nowMs + maxima.expireInMs;
  if (given.expires_at !== undefined && isBeyond(key.expiresAtMs, latestMs)) {
    throw invalidValue("expires_at", `it is later than ${by}; null is no end at all`);
  }
  if (given.allowed_tools !== undefined) checkTools({ role, key, account, limitRules });
  if (role !== "manager") return;
  const ofAccount = listAboveAccount(key, account, { limitRules, quota }).find(
    (name) => given[name] !== undefined,
  );
  if (ofAccount !== undefined) throw invalidValue(ofAccount, "it is more than the account's own");
}

/** Returns the limits that are above the account's own. A key without one is bound by the account's all the same. */
function listAboveAccount(
  key: GatewayKey,
  account: Account,
  { limitRules, quota }: Pick<KeyRights, "limitRules" | "quota">,
): readonly BoundName[] {
  const limits = resolveLimits(key, limitRules.keyDefaults);
  const bound = boundSet(readAccountLimits(account), limits);
  const allowed = resolveAllowance(key, account, quota);
  const most = resolveAllowance({ requestsPerDay: "default" }, account, quota);
  return [...listBeyond(limits, bound), ...(isBeyond(allowed, most) ? (["requests_per_day"] as const) : [])];
}
