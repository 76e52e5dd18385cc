// Decides about changes of users: which person a user is, the person's rights, and whether their access ends.

import type { GatewayKey } from "../../core/keys/key.ts";
import type {
  DirectoryUser,
  UserAttributes,
  UserClaim,
  UserRows,
  UserWrite,
} from "../../core/people/directory.ts";
import type { Member } from "../../core/people/people.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import { digestSecret } from "../../keys/secret.ts";
import type { KnownAccounts } from "../claims.ts";
import { makeMemberId } from "../member.ts";
import { addPause, liftPause } from "../pauses.ts";
import { findRights } from "./deciding.ts";
import { foldCase } from "./names.ts";
import { DirectoryRefusal } from "./refusal.ts";
import { findAddress, findDisplayName, isSameUser } from "./user.ts";

const USERS_MAX = 100_000;
const ID_DIGITS = 32;
/** The time of the next look at the issuer for people who have never signed in, about whom it can't be asked. */
const NEVER_MS = 8_640_000_000_000_000;

/** The facts on which decisions depend besides the rows. */
export interface DirectoryContext {
  readonly rules: SignInRules;
  readonly pepper: Uint8Array;
  readonly nowMs: number;
  /** Returns the accounts that the rules may give a person. */
  readonly accountsOf: (memberId: string) => KnownAccounts;
}

/** Returns the id that leads to the person whom the directory knows by this id. */
function makeDirectoryAlias({ issuer }: SignInRules, externalId: string, pepper: Uint8Array): string {
  return `dir_${digestSecret(`directory ${JSON.stringify([issuer, externalId])}`, pepper).slice(0, ID_DIGITS)}`;
}

/** Returns what a user may be found by. `attributes` are those that it will have, or null if its names stay. */
export function claimUser(
  { rules, pepper }: Pick<DirectoryContext, "rules" | "pepper">,
  id: string,
  attributes: UserAttributes | null,
  ruleGroups: readonly string[],
): UserClaim {
  const externalId = attributes?.externalId ?? null;
  const known =
    externalId === null
      ? []
      : [makeMemberId(rules.issuer, externalId, pepper), makeDirectoryAlias(rules, externalId, pepper)];
  return {
    id,
    names: attributes && { userName: foldCase(attributes.userName), externalId },
    people: {
      ids: known,
      objectId: externalId,
      emails: rules.directory?.linksByEmail === true ? listAddresses(attributes) : [],
    },
    ruleGroups,
    isNew: false,
  };
}

/** In lower case, as addresses of people are compared. */
function listAddresses(attributes: UserAttributes | null): readonly string[] {
  if (attributes === null) return [];
  return [attributes.userName, ...attributes.emails.map(({ value }) => value)].map((one) =>
    one.toLowerCase(),
  );
}

export function decideNewUser(
  context: DirectoryContext,
  claim: UserClaim,
  attributes: UserAttributes,
  rows: UserRows,
): UserWrite {
  if (rows.isTaken) throw isTaken(attributes);
  if (rows.users >= USERS_MAX) {
    throw new DirectoryRefusal("tooMany", `a directory has at most ${USERS_MAX} users`);
  }
  const { nowMs } = context;
  const known = findKnown(context, claim, rows, attributes);
  const member = known ?? makeMember(context, claim.id);
  const user = {
    ...attributes,
    id: claim.id,
    memberId: member.id,
    isLinked: member.seenAtMs > 0,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  return write(context, rows, { user, member, replaces: null });
}

function isTaken({ userName }: UserAttributes): DirectoryRefusal {
  return new DirectoryRefusal(
    "uniqueness",
    `there is another user with the userName '${userName}' or with this externalId`,
  );
}

/** Null if nothing changes. */
export function decideUser(
  context: DirectoryContext,
  claim: UserClaim,
  change: (before: UserAttributes) => UserAttributes,
  rows: UserRows,
): UserWrite | null {
  const before = requireUser(rows);
  const own = requireMember(rows, before);
  const attributes = change(before);
  if (isSameUser(before, attributes)) return null;
  if (rows.isTaken) throw isTaken(attributes);
  const known = before.isLinked ? null : findKnown(context, claim, rows, attributes);
  const member = known ?? own;
  const isLinked = before.isLinked || member.seenAtMs > 0;
  const user = { ...before, ...attributes, memberId: member.id, isLinked, changedAtMs: context.nowMs };
  return write(context, rows, { user, member, replaces: known === null ? null : own.id });
}

function requireUser({ user }: UserRows): DirectoryUser {
  if (user !== null) return user;
  throw noUser();
}

export function noUser(): DirectoryRefusal {
  return new DirectoryRefusal("notFound", "there is no user with this id");
}

function requireMember({ members }: UserRows, { memberId }: DirectoryUser): Member {
  const member = members.find(({ id }) => id === memberId);
  if (member !== undefined) return member;
  throw noUser();
}

/** The user is gone, and the person has left: they are let in again by the claims alone, or as a new user. */
export function decideUserEnd({ nowMs }: Pick<DirectoryContext, "nowMs">, rows: UserRows): UserWrite {
  const user = requireUser(rows);
  const ended = {
    ruleGrants: [],
    ruleLimits: null,
    readsContent: false,
    refreshSealed: null,
    doubt: undefined,
    deactivatedAtMs: undefined,
    directoryTurn: undefined,
  };
  return {
    user: { ...user, changedAtMs: nowMs },
    isDeleted: true,
    member: { ...requireMember(rows, user), ...ended },
    endsAccess: true,
    keys: rows.keys.map((key) => ({ ...key, revokedAtMs: nowMs })),
    replaces: null,
    aliases: [],
  };
}

/** Somebody signs in who is this user, from now on and for good. */
export function linkUser(
  context: DirectoryContext,
  rows: UserRows,
  { memberId, subjectId }: { readonly memberId: string; readonly subjectId: string },
): UserWrite {
  const before = requireUser(rows);
  const own = requireMember(rows, before);
  const member = rows.members.find(({ id }) => id === memberId) ?? own;
  const user = { ...before, memberId: member.id, isLinked: true };
  const linked = write(context, rows, { user, member, replaces: member === own ? null : own.id });
  const aliases = member.id === subjectId ? linked.aliases : [...linked.aliases, subjectId];
  return { ...linked, aliases };
}

interface Linking {
  readonly user: DirectoryUser;
  /** As they were before. */
  readonly member: Member;
  readonly replaces: string | null;
}

/** Returns what is written of a user and the person who it is. */
function write(context: DirectoryContext, rows: UserRows, { user, member, replaces }: Linking): UserWrite {
  const { rules, pepper, nowMs, accountsOf } = context;
  const isShut = rows.members.some(({ id, isDisabled }) => id === replaces && isDisabled);
  const deactivatedAtMs = user.isActive ? undefined : (member.deactivatedAtMs ?? nowMs);
  const directoryTurn = Math.max(nowMs, (member.directoryTurn ?? 0) + 1);
  const placed = {
    ...member,
    ...(member.seenAtMs > 0 ? {} : { name: findDisplayName(user), email: findEmail(user) }),
    isDisabled: member.isDisabled || isShut,
    deactivatedAtMs,
    directoryTurn,
  };
  const standing = { member: placed, user, groupIds: rows.groupIds };
  const rights = findRights(standing, rows.groups, rules, accountsOf(member.id));
  const granted = user.isActive ? rights : { ...rights, ruleGrants: [] };
  const after = { ...placed, ...granted };
  const { externalId } = user;
  return {
    user,
    isDeleted: false,
    member: after,
    endsAccess: after.ruleGrants.length === 0,
    keys: pauseKeys(rows.keys, user.isActive),
    replaces,
    aliases: externalId === null ? [] : [makeDirectoryAlias(rules, externalId, pepper)],
  };
}

/** Returns the keys that are paused or go on with the user. A pause by anybody else stays. */
function pauseKeys(keys: readonly GatewayKey[], isActive: boolean): readonly GatewayKey[] {
  const change = isActive ? liftPause : addPause;
  return keys
    .filter(({ pausedBy }) => pausedBy.includes("directory") === isActive)
    .map((key) => ({ ...key, ...change("directory", key) }));
}

function findEmail(user: UserAttributes): string | null {
  const address = findAddress(user);
  return address.includes("@") ? address : null;
}

/**
 * Returns the person whom a user is, among those who have no user yet: by the id, which the issuer names as well, or by an
 * address that only one has. Null for nobody who is known.
 */
function findKnown(
  { rules }: DirectoryContext,
  { people }: UserClaim,
  { members, provisioned, user }: UserRows,
  attributes: UserAttributes,
): Member | null {
  const free = members.filter(
    ({ id, issuer, anonymisedAtMs }) =>
      id !== user?.memberId && !provisioned.has(id) && issuer === rules.issuer && anonymisedAtMs === null,
  );
  const isMailed = ({ email }: Member) => email !== null && people.emails.includes(email.toLowerCase());
  const isSure = (one: Member) =>
    people.ids.includes(one.id) || (attributes.externalId !== null && one.objectId === attributes.externalId);
  const sure = free.find(isSure) ?? free.find((one) => !isMailed(one));
  if (sure !== undefined) return sure;
  const [mailed, another] = free.filter(isMailed);
  if (mailed === undefined || another !== undefined) return null;
  const isHigh = mailed.ruleGrants.some(({ role }) => role !== "member");
  return isHigh || isOver(mailed) ? null : mailed;
}

/** True if the person has left. They don't come back by an address, which somebody else may have now. */
function isOver({ ruleGrants, refusedAtMs, refreshSealed }: Member): boolean {
  return refusedAtMs !== undefined || (ruleGrants.length === 0 && refreshSealed === null);
}

/** A person who has never signed in. */
function makeMember({ rules, pepper, nowMs }: DirectoryContext, userId: string): Member {
  return {
    id: makeMemberId(`directory of ${rules.issuer}`, userId, pepper),
    issuer: rules.issuer,
    subject: "",
    name: "",
    email: null,
    ruleGrants: [],
    ownGrants: [],
    ownUntilMs: null,
    readsContent: false,
    isDisabled: false,
    createdAtMs: nowMs,
    seenAtMs: 0,
    refreshSealed: null,
    groups: [],
    ruleLimits: null,
    warnedAtMs: null,
    checkedAtMs: NEVER_MS,
    leasedUntilMs: 0,
    anonymisedAtMs: null,
  };
}
