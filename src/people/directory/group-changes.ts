// Decides about changes of groups: the group, its members, and the rights of everybody whom it concerns.
import type {
  DirectoryGroup,
  GroupAttributes,
  GroupBeginning,
  GroupClaim,
  GroupPart,
  GroupPartRows,
  GroupPartWrite,
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
/** Parts of an earlier change of the group are left, which come first. */
export class GroupUnfinished extends Error {}

/** The most users whom one transaction moves, which takes it some 10 ms. */
export const USERS_AT_ONCE = 250;

/** A change of a group: undefined for what stays. */
export interface GroupChange {
  readonly displayName: string | undefined;
  readonly externalId: string | null | undefined;
  readonly members: MemberSteps;
}

/**
 * Returns the rows that a change depends on. `before` is the group as it was read, or null for a new one. If it begins to
 * decide about a rule, or decides about another name, it concerns everybody who has one of its names in the claims.
 */
export function claimGroup(
  id: string,
  { displayName, externalId, members }: GroupChange,
  before: DirectoryGroup | null,
  ruleGroups: readonly string[],
): GroupClaim {
  const given = [displayName, externalId, before?.displayName, before?.externalId];
  const names = new Set(given.filter((name) => typeof name === "string"));
  const changesNames = before === null || !isSameName(before, { displayName, externalId });
  const isWide = (changesNames || !before.isFilled) && ruleGroups.some((name) => names.has(name));
  return {
    id,
    displayName: displayName === undefined ? null : foldCase(displayName),
    externalId: externalId ?? null,
    steps: members,
    wideNames: isWide ? [...names] : null,
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
  checkNew({ displayName }, rows);
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

function checkNew(
  { displayName }: Pick<DirectoryGroup, "displayName">,
  { isTaken: isNameTaken, count }: Pick<GroupRows, "isTaken" | "count">,
): void {
  if (isNameTaken) throw isTaken(displayName);
  if (count >= GROUPS_MAX) {
    throw new DirectoryRefusal("tooMany", `a directory has at most ${GROUPS_MAX} groups`);
  }
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
  const before = requireGroup(rows);
  const group = {
    ...before,
    displayName: displayName ?? before.displayName,
    externalId: externalId === undefined ? before.externalId : externalId,
    changedAtMs: findTurn(context, before),
  };
  if (rows.isTaken) throw isTaken(group.displayName);
  const now = claimGroup(claim.id, { ...group, members }, before, claim.ruleGroups);
  if (claim.wideNames === null && now.wideNames !== null) throw new GroupMoved();
  const decided = decide(context, rows, group, members);
  const isSame = isSameName(before, group) && decided.came.length === 0 && decided.went.length === 0;
  return isSame ? null : decided;
}

function requireGroup({ group, isUnfinished }: Pick<GroupRows, "group" | "isUnfinished">): DirectoryGroup {
  if (group === null) throw noGroup();
  if (isUnfinished) throw new GroupUnfinished();
  return group;
}

/** Two changes never have the same time, so that one that is decided on by an older state is noticed. */
function findTurn({ nowMs }: DirectoryContext, { changedAtMs }: DirectoryGroup): number {
  return Math.max(nowMs, changedAtMs + 1);
}

/** Its members lose what it gave. It decides about older claims still, so that nobody has it again by these. */
export function decideGroupEnd(context: DirectoryContext, rows: GroupRows): GroupWrite {
  const before = requireGroup(rows);
  const group = { ...before, changedAtMs: findTurn(context, before), deletedAtMs: context.nowMs };
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
  const now = [...rows.groups.filter(({ id }) => id !== group.id), group];
  const moves = { id: group.id, came: new Set(came), went: new Set(went) };
  return { group, came, went, ...reviewAll(context, { ...rows, groups: now }, moves) };
}

/** Decides about the people of a part, whose group is as the change has left it. */
export function decidePart(
  context: DirectoryContext,
  { groupId: id, came, went }: GroupPart,
  rows: GroupPartRows,
): GroupPartWrite {
  return reviewAll(context, rows, { id, came: new Set(came), went: new Set(went) });
}

/** Returns the start of a change that has too many users for one transaction. `members` are those from before. */
export function splitGroup(
  before: DirectoryGroup | null,
  { group, came, went }: GroupWrite,
  members: ReadonlySet<string>,
  wideNames: GroupClaim["wideNames"],
): GroupBeginning {
  // A group that decides about nothing, neither before nor now, changes nobody's rights by its name.
  const isWide = wideNames !== null && (group.isFilled || before?.isFilled === true);
  const moved = new Set([...came, ...went]);
  const others = isWide ? [...members].filter((id) => !moved.has(id)) : [];
  const moves = [
    ...came.map((id) => ({ id, move: "came" }) as const),
    ...went.map((id) => ({ id, move: "went" }) as const),
    ...others.map((id) => ({ id, move: "others" }) as const),
  ];
  const count = Math.ceil(moves.length / USERS_AT_ONCE);
  const parts = Array.from({ length: count }, (_, at) => {
    const users = moves.slice(at * USERS_AT_ONCE, (at + 1) * USERS_AT_ONCE);
    const pick = (wanted: string) => users.flatMap(({ id, move }) => (move === wanted ? id : []));
    return { came: pick("came"), went: pick("went"), others: pick("others") };
  });
  return { before, group, came, went, parts, names: isWide ? wideNames : [] };
}

/** Throws unless the group is still as it was when the change was decided on. */
export function checkBeginning(
  { before, group }: Pick<GroupBeginning, "before" | "group">,
  rows: Pick<GroupRows, "group" | "isTaken" | "count" | "isUnfinished">,
): void {
  if (before === null) checkNew(group, rows);
  else if (requireGroup(rows).changedAtMs !== before.changedAtMs) throw new GroupMoved();
  else if (rows.isTaken) throw isTaken(group.displayName);
}

interface MemberMovement {
  /** The group's id. */
  readonly id: string;
  readonly came: ReadonlySet<string>;
  readonly went: ReadonlySet<string>;
}

/** Returns the rights that change. */
function reviewAll(
  { rules, accountsOf, nowMs }: DirectoryContext,
  { standings, groups }: GroupPartRows,
  { id, came, went }: MemberMovement,
): GroupPartWrite {
  const rights = standings.flatMap((standing): readonly MemberRights[] => {
    const { user, member } = standing;
    if (!user.isActive) return [];
    const groupIds = new Set(standing.groupIds);
    if (came.has(user.id)) groupIds.add(id);
    if (went.has(user.id)) groupIds.delete(id);
    const moved: Standing = { ...standing, groupIds };
    const found = findRights(moved, groups, rules, accountsOf(member.id));
    return hasSameRights(member, found) ? [] : [found];
  });
  const had = new Set(standings.flatMap(({ member }) => (member.ruleGrants.length > 0 ? member.id : [])));
  const left = rights.filter(({ id, ruleGrants }) => ruleGrants.length === 0 && had.has(id));
  return { rights, left: left.map(({ id }) => id), nowMs };
}
