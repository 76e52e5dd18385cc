// Decides about changes of groups: the group, its members, and the rights of everybody whom it concerns.
import type {
  DirectoryGroup,
  GroupAttributes,
  GroupClaim,
  GroupRows,
  GroupWrite,
  MemberRights,
  MemberSteps,
  Standing,
} from "../../core/people/directory.ts";
import { findRights, hasSameRights } from "./deciding.ts";
import { GROUP_MEMBERS_MAX } from "./group.ts";
import { foldCase } from "./names.ts";
import { DirectoryRefusal } from "./refusal.ts";
import type { DirectoryContext } from "./user-changes.ts";

const GROUPS_MAX = 5000;
const NOBODY: MemberSteps = { isWhole: false, users: new Map() };

/** The change concerns more people than its claim took into account, so that it needs another one. */
export class GroupMoved extends Error {}

/** A change of a group: undefined for what stays. */
export interface GroupChange {
  readonly displayName: string | undefined;
  readonly externalId: string | null | undefined;
  readonly members: MemberSteps;
}

/**
 * Returns the rows that a change depends on. `before` is the group as it was read, or null for a new one. If it begins to
 * decide, or decides about another name, it concerns everybody who has one of its names in the claims.
 */
export function claimGroup(
  id: string,
  { displayName, externalId, members }: GroupChange,
  before: DirectoryGroup | null,
  ruleGroups: readonly string[],
): GroupClaim {
  const names = [displayName, externalId, before?.displayName, before?.externalId];
  const changesNames = before === null || !isSameName(before, { displayName, externalId });
  const isWide = changesNames || !before.isFilled;
  return {
    id,
    displayName: displayName === undefined ? null : foldCase(displayName),
    externalId: externalId ?? null,
    steps: members,
    wideNames: isWide ? [...new Set(names.filter((name) => typeof name === "string"))] : null,
    ruleGroups,
  };
}

function isSameName(
  before: GroupAttributes,
  { displayName = before.displayName, externalId = before.externalId }: Partial<GroupAttributes>,
): boolean {
  return before.displayName === displayName && before.externalId === externalId;
}

export function noGroup(): DirectoryRefusal {
  return new DirectoryRefusal("notFound", "there is no group with this id");
}

export function decideNewGroup(
  context: DirectoryContext,
  id: string,
  { displayName, externalId, members }: GroupAttributes & { readonly members: MemberSteps },
  rows: GroupRows,
): GroupWrite {
  if (rows.isTaken) throw isTaken(displayName);
  if (rows.count >= GROUPS_MAX) {
    throw new DirectoryRefusal("tooMany", `a directory has at most ${GROUPS_MAX} groups`);
  }
  const { nowMs } = context;
  const group = {
    id,
    displayName,
    externalId,
    isFilled: false,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
    deletedAtMs: null,
  };
  return decide(context, rows, group, members);
}

function isTaken(name: string): DirectoryRefusal {
  return new DirectoryRefusal(
    "uniqueness",
    `there is another group with the name '${name}' or this externalId`,
  );
}

/** Null if nothing changes. Throws `GroupMoved` if the claim was made for another state of the group. */
export function decideGroup(
  context: DirectoryContext,
  claim: GroupClaim,
  { displayName, externalId, members }: GroupChange,
  rows: GroupRows,
): GroupWrite | null {
  const before = rows.group;
  if (before === null) throw noGroup();
  const group = {
    ...before,
    displayName: displayName ?? before.displayName,
    externalId: externalId === undefined ? before.externalId : externalId,
    changedAtMs: context.nowMs,
  };
  if (rows.isTaken) throw isTaken(group.displayName);
  if (claim.wideNames === null && !(before.isFilled && isSameName(before, group))) throw new GroupMoved();
  const decided = decide(context, rows, group, members);
  const isSame = isSameName(before, group) && decided.came.length === 0 && decided.went.length === 0;
  return isSame ? null : decided;
}

/** Its members lose what it gave. It decides about older claims still, so that nobody has it again by these. */
export function decideGroupEnd(context: DirectoryContext, rows: GroupRows): GroupWrite {
  if (rows.group === null) throw noGroup();
  const { nowMs } = context;
  const group = { ...rows.group, changedAtMs: nowMs, deletedAtMs: nowMs };
  return decide(context, rows, group, { ...NOBODY, isWhole: true });
}

function decide(
  context: DirectoryContext,
  rows: GroupRows,
  named: DirectoryGroup,
  steps: MemberSteps,
): GroupWrite {
  const coming = [...steps.users].filter(([, isComing]) => isComing).map(([id]) => id);
  const unknown = coming.find((id) => !rows.known.has(id));
  if (unknown !== undefined) {
    throw new DirectoryRefusal("invalidValue", `'members' names '${unknown}', who is no user`);
  }
  const came = coming.filter((id) => !rows.members.has(id));
  const went = [...rows.members].filter(
    (id) => steps.users.get(id) !== true && (steps.isWhole || steps.users.has(id)),
  );
  const size = rows.size + came.length - went.length;
  if (size > GROUP_MEMBERS_MAX) {
    throw new DirectoryRefusal("invalidValue", `a group has at most ${GROUP_MEMBERS_MAX} members`);
  }
  const group = { ...named, isFilled: named.isFilled || size > 0 };
  const rights = reviewAll(context, rows, group, { came: new Set(came), went: new Set(went) });
  const had = new Set(
    rows.standings.flatMap(({ member }) => (member.ruleGrants.length > 0 ? member.id : [])),
  );
  const left = rights.filter(({ id, ruleGrants }) => ruleGrants.length === 0 && had.has(id));
  return { group, came, went, rights, left: left.map(({ id }) => id), nowMs: context.nowMs };
}

interface Movement {
  readonly came: ReadonlySet<string>;
  readonly went: ReadonlySet<string>;
}

/** Returns the rights that change. */
function reviewAll(
  { rules, accountsOf }: DirectoryContext,
  { standings, groups }: GroupRows,
  group: DirectoryGroup,
  { came, went }: Movement,
): readonly MemberRights[] {
  const now = [...groups.filter(({ id }) => id !== group.id), group];
  return standings.flatMap((standing) => {
    const { user, member } = standing;
    if (!user.isActive) return [];
    const groupIds = new Set(standing.groupIds);
    if (came.has(user.id)) groupIds.add(group.id);
    if (went.has(user.id)) groupIds.delete(group.id);
    const moved: Standing = { ...standing, groupIds };
    const rights = findRights(moved, now, rules, accountsOf(member.id));
    return hasSameRights(member, rights) ? [] : [rights];
  });
}
