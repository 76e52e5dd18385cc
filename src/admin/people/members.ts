// The operator's use-cases on people who signed in: list, view, change.
import { type Static, Type } from "@sinclair/typebox";
import type { MemberReach } from "../../core/changes.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import {
  EVERYTHING,
  type Grant,
  MEMBER_STATES,
  type Member,
  ROLES,
  type Scope,
} from "../../core/people/people.ts";
import type { SortCosts } from "../../core/store.ts";
import type { Page } from "../../core/world/page.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { findDoubt } from "../../people/doubt.ts";
import { listGrants } from "../../people/member.ts";
import { addPause, liftPause } from "../../people/pauses.ts";
import { joinGrants } from "../../people/roles.ts";
import { findMemberState, isLetIn } from "../../people/state.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { isUnsorted, type ListPage, listPage, listSorted, sortedFields } from "../list.ts";
import { allowNull, allowWords, boolean, closeObject, instant, text, type View } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import { type GroupNames, readDirectoryGroups } from "./member-groups.ts";
import { beyondSenderEnd, findSenderEnd, refuseSelfChange } from "./sender-rights.ts";

const ACCOUNTS_MAX = 100;
const NAME_CHARACTERS_MAX = 100;

const grantSchema = Type.Object({ role: allowWords(ROLES), account: allowNull(text) });

export const memberSchema = Type.Object({
  id: text,
  name: text,
  email: allowNull(text),
  issuer: text,
  // The highest in any account. Null if the person is let in no more.
  role: allowNull(allowWords(ROLES)),
  // The accounts in which the person has a role. Null for all.
  accounts: allowNull(Type.Array(text)),
  grants: Type.Array(grantSchema),
  // The part of them that an admin gave, besides the rules, and its end.
  own_grants: Type.Array(grantSchema),
  until: allowNull(instant),
  content: boolean,
  disabled: boolean,
  // True if the company's directory has a user for the person.
  provisioned: boolean,
  // With the word that each comes from.
  groups: Type.Array(Type.Object({ name: text, source: allowWords(["claims", "directory"]) })),
  state: allowWords(MEMBER_STATES),
  // Since then, the issuer has said neither yes nor no about the person.
  doubt_since: allowNull(instant),
  created_at: instant,
  // Null before the first sign-in.
  seen_at: allowNull(instant),
  // The end of personal keys, unless the person signs in again. Null while the issuer says that they are there.
  keys_expire_at: allowNull(instant),
  anonymised_at: allowNull(instant),
  // From then on, no file of the store holds anything of who it was.
  erased_at: allowNull(instant),
});
export type MemberView = View<typeof memberSchema>;

export const memberChangeSchema = closeObject({
  role: Type.Optional(allowNull(allowWords(ROLES))),
  accounts: Type.Optional(
    allowNull(
      Type.Array(Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }), {
        minItems: 1,
        maxItems: ACCOUNTS_MAX,
      }),
    ),
  ),
  until: Type.Optional(allowNull(instant)),
  disabled: Type.Optional(boolean),
});
type MemberChange = Static<typeof memberChangeSchema>;

/** The ports of changes to people. */
type ActingParts = MemberParts & Pick<ActingWorld, "act" | "changes">;

export interface MemberParts extends AdminWorld {
  /** Returns how long personal keys outlast the last sign-in, where the issuer can't be asked. Null if people can't sign in. */
  readonly keysExpireMs: () => number | null;
}

export interface ChangingParts extends MemberParts {
  /** True while a directory tells who is active. */
  readonly hasDirectory: () => boolean;
}

export const membersQuery = closeObject(sortedFields("members"));
type MembersQuery = Static<typeof membersQuery>;

/** Returns a page of people, newest first or as the query sorts them. */
export async function listMembers(
  parts: MemberParts,
  query: MembersQuery,
  scope: Scope,
  costs?: SortCosts,
): Promise<ListPage<MemberView>> {
  const { data, next } = await findMembers(parts, query, scope, costs);
  const groups = await readDirectoryGroups(parts, data);
  return { data: data.map((member) => viewMember(parts, member, groups, scope)), next };
}

function findMembers(
  { store }: MemberParts,
  query: MembersQuery,
  scope: Scope,
  costs: SortCosts | undefined,
): Promise<ListPage<Member>> {
  if (!isUnsorted(query))
    return listSorted("members", query, (page) =>
      store.things.sorted("members", page, { filter: { scope }, costs }),
    );
  const positionOf = ({ createdAtMs: atMs, id }: Member) => ({ atMs, id });
  const find = (page: Page) => store.people.members(page, scope);
  return listPage(query, find, positionOf, (member) => member);
}

/** Returns one person as the list shows them. */
export async function showMember(parts: MemberParts, member: Member, scope?: Scope): Promise<MemberView> {
  return viewMember(parts, member, await readDirectoryGroups(parts, [member]), scope);
}

/** Changes what an admin gives besides the rules, or shuts the person out at once, with their keys. */
export async function changeMember(
  parts: ActingParts & Pick<ChangingParts, "hasDirectory">,
  id: string,
  given: MemberChange,
  access = adminAccess(COMMAND_LINE),
): Promise<MemberView> {
  const { store, changes, clock } = parts;
  refuseSelfChange(access, id);
  const before = requireMember(await store.people.member(id));
  if (before.anonymisedAtMs !== null) {
    throw invalidValue("id", "this person was anonymised, and has no access any more");
  }
  if (given.disabled === false && before.deactivatedAtMs !== undefined && parts.hasDirectory()) {
    const message =
      "The company's directory says that this person isn't active: only the directory can say that they are again.";
    throw new Fault("deactivated_by_directory", message, { param: "disabled" });
  }
  const change = await readMemberChange(parts, before, given);
  checkEnd(access, { ...before, ...change }, given);
  const changed = requireMember(
    await changes.changeMember(
      id,
      (now) => (now === null ? null : { ...now, ...change }),
      findReach(given, clock.nowMs()),
    ),
  );
  return showMember(parts, changed);
}

/** The state alone already refuses the keys. Their pause shows it, and enabling lifts no other pause. */
function findReach({ disabled }: MemberChange, nowMs: number): MemberReach | undefined {
  if (disabled === undefined) return undefined;
  if (disabled) return { accessEndMs: nowMs, changeKey: (key) => ({ ...key, ...addPause("disabled", key) }) };
  return {
    changeKey: (key) => (key.pausedBy.includes("disabled") ? { ...key, ...liftPause("disabled", key) } : key),
  };
}

async function readMemberChange(
  { store, clock }: MemberParts,
  before: Member,
  { role, accounts, until, disabled }: MemberChange,
): Promise<Partial<Member>> {
  const ownUntilMs = readUntil(before, { role, until }, clock.nowMs());
  if (role === undefined && accounts !== undefined && before.ownGrants.length === 0) {
    throw invalidValue("accounts", "it needs a role, since none was given to this person so far");
  }
  const ownGrants =
    role === undefined && accounts === undefined
      ? undefined
      : await makeGrants(store, before, role, accounts);
  return {
    ...(ownGrants === undefined ? {} : { ownGrants }),
    ...(ownUntilMs === undefined ? {} : { ownUntilMs }),
    ...(disabled === undefined ? {} : { isDisabled: disabled }),
    // Once no directory says it any more, an admin does.
    ...(disabled === false ? { deactivatedAtMs: undefined } : {}),
  };
}

/** A role that is given by one with an end doesn't outlast it. */
function checkEnd(
  access: Access,
  { ownGrants, ownUntilMs }: Member,
  { role, accounts, until }: MemberChange,
): void {
  const isGiven = role !== undefined || accounts !== undefined || until !== undefined;
  const endMs = findSenderEnd(access, "changeMember", [null]);
  if (!isGiven || endMs === null || ownGrants.length === 0) return;
  if (ownUntilMs === null || ownUntilMs > endMs) throw beyondSenderEnd("until", endMs);
}

/** A role that is given without an end has none, whatever end an earlier one had. Undefined if the end stays as it is. */
function readUntil(
  { ownGrants }: Member,
  { role, until }: Pick<MemberChange, "role" | "until">,
  nowMs: number,
): number | null | undefined {
  if (until === undefined) return role === undefined ? undefined : null;
  if (until === null) return null;
  if (role === null) throw invalidValue("until", "a role that is taken back has no end");
  if (role === undefined && ownGrants.length === 0)
    throw invalidValue("until", "it needs a role, since none was given to this person so far");
  const untilMs = Date.parse(until);
  if (!(untilMs > nowMs)) throw invalidValue("until", "expected a time in the future");
  return untilMs;
}

async function makeGrants(
  store: AdminWorld["store"],
  { ownGrants }: Member,
  role: MemberChange["role"],
  accounts: MemberChange["accounts"],
): Promise<readonly Grant[]> {
  const given = role === undefined ? (ownGrants[0]?.role ?? null) : role;
  if (given === null) return [];
  if (accounts === undefined && role !== undefined && ownGrants.length > 0) {
    return ownGrants.map(({ accountId }) => ({ role: given, accountId }));
  }
  if (accounts === undefined || accounts === null) return [{ role: given, accountId: null }];
  const grants: Grant[] = [];
  for (const accountId of new Set(accounts)) {
    if ((await store.account(accountId)) === null) {
      throw invalidValue("accounts", "there is no account with one of these ids");
    }
    grants.push({ role: given, accountId });
  }
  return grants;
}

function requireMember(member: Member | null): Member {
  if (member !== null) return member;
  throw noMember();
}

export function noMember(): Fault {
  return new Fault("not_found", "There is no person with that id.");
}

/** Leaves out the grants in accounts that the viewer doesn't see. */
function viewMember(
  { clock, keysExpireMs }: MemberParts,
  member: Member,
  directoryGroups: GroupNames,
  { accountIds }: Scope = EVERYTHING,
): MemberView {
  const isSeen = ({ accountId }: Grant) =>
    accountId === null || accountIds === null || accountIds.includes(accountId);
  const grants = joinGrants(listGrants(member, clock.nowMs())).filter(isSeen);
  const accounts = grants.map(({ accountId }) => accountId);
  return {
    id: member.id,
    name: member.name,
    email: member.email,
    issuer: member.issuer,
    role: isLetIn(member)
      ? (ROLES.findLast((role) => grants.some((grant) => grant.role === role)) ?? null)
      : null,
    accounts: accounts.includes(null) ? null : accounts.filter((id) => id !== null),
    grants: grants.map(viewGrant),
    own_grants: member.ownGrants.filter(isSeen).map(viewGrant),
    until: formatInstantOrNull(member.ownUntilMs),
    content: member.readsContent,
    disabled: member.isDisabled,
    provisioned: member.directoryTurn !== undefined,
    groups: [
      ...(directoryGroups.get(member.id) ?? []).map((name) => ({ name, source: "directory" as const })),
      ...member.groups.map((name) => ({ name, source: "claims" as const })),
    ],
    state: findMemberState(member),
    doubt_since: formatInstantOrNull(findDoubt(member)?.sinceMs ?? null),
    created_at: formatInstant(member.createdAtMs),
    seen_at: member.seenAtMs === 0 ? null : formatInstant(member.seenAtMs),
    keys_expire_at: formatInstantOrNull(findKeysEnd(member, keysExpireMs())),
    anonymised_at: formatInstantOrNull(member.anonymisedAtMs),
    erased_at: formatInstantOrNull(member.erasedAtMs ?? null),
  };
}

function viewGrant({ role, accountId }: Grant) {
  return { role, account: accountId };
}

function findKeysEnd(member: Member, expireMs: number | null): number | null {
  const { refreshSealed, seenAtMs, anonymisedAtMs } = member;
  if (anonymisedAtMs !== null) return null;
  const doubt = findDoubt(member);
  if (doubt !== null) return doubt.keysUntilMs;
  const isCounting = refreshSealed === null && expireMs !== null && seenAtMs !== 0;
  return isCounting ? seenAtMs + expireMs : null;
}
