// The use-cases of a directory's groups. A change that concerns few people is one transaction. One that concerns many is
// begun in a transaction that stores the rest as parts: each of them is a transaction of its own, so that nobody else waits
// for all of it, and any node finishes what another has begun.
import type { JsonObject } from "../../core/json/json.ts";
import type {
  DirectoryGroup,
  GroupClaim,
  GroupPart,
  GroupRows,
  GroupWrite,
  MemberSteps,
} from "../../core/people/directory.ts";
import { mintId } from "../../keys/secret.ts";
import { listRuleGroups } from "../../people/directory/deciding.ts";
import { planGroup, readGroup } from "../../people/directory/group.ts";
import {
  checkBeginning,
  claimGroup,
  decideGroup,
  decideGroupEnd,
  decideNewGroup,
  decidePart,
  type GroupChange,
  GroupMoved,
  GroupUnfinished,
  noGroup,
  splitGroup,
  USERS_AT_ONCE,
} from "../../people/directory/group-changes.ts";
import { readOperations } from "../../people/directory/operations.ts";
import type { DirectoryContext } from "../../people/directory/user-changes.ts";
import {
  type ActingDirectory,
  type DirectoryParts,
  keepAccounts,
  makeContext,
  requireDirectory,
} from "./directory.ts";

const TRIES_MAX = 20;
const PAGE_USERS = 1000;

/** Throws the refusal `notFound`. */
export async function findGroup(
  { store }: Pick<DirectoryParts, "store">,
  id: string,
): Promise<DirectoryGroup> {
  const { rows } = await store.directory.groups({ id }, { offset: 0, limit: 1 });
  const [group] = rows;
  if (group !== undefined) return group;
  throw noGroup();
}

export async function createGroup(parts: ActingDirectory, body: JsonObject): Promise<DirectoryGroup> {
  const rules = requireDirectory(parts);
  const attributes = readGroup(body);
  const context = await makeContext(parts, rules);
  const id = mintId("grp", parts.random);
  const claim = claimGroup(id, attributes, null, listRuleGroups(rules));
  const write = await writeGroup(parts, context, {
    claim,
    before: null,
    decide: (rows) => decideNewGroup(context, id, attributes, rows),
  });
  if (write === null) throw new Error("A new group was not written.");
  return write.group;
}

export function replaceGroup(parts: ActingDirectory, id: string, body: JsonObject): Promise<DirectoryGroup> {
  return changeGroup(parts, id, readGroup(body));
}

export function patchGroup(parts: ActingDirectory, id: string, body: JsonObject): Promise<DirectoryGroup> {
  return changeGroup(parts, id, planGroup(readOperations(body)));
}

async function changeGroup(parts: ActingDirectory, id: string, change: GroupChange): Promise<DirectoryGroup> {
  const rules = requireDirectory(parts);
  const context = await makeContext(parts, rules);
  return retry(parts, context, id, async () => {
    const before = await findGroup(parts, id);
    const claim = claimGroup(id, change, before, listRuleGroups(rules));
    const decide = (rows: GroupRows) => decideGroup(context, claim, change, rows);
    return (await writeGroup(parts, context, { claim, before, decide }))?.group ?? before;
  });
}

const ALL_GO: MemberSteps = { isWhole: true, users: new Map() };

export async function deleteGroup(parts: ActingDirectory, id: string): Promise<void> {
  const rules = requireDirectory(parts);
  const context = await makeContext(parts, rules);
  const change = { displayName: undefined, externalId: undefined, members: ALL_GO };
  await retry(parts, context, id, async () => {
    const before = await findGroup(parts, id);
    const claim = claimGroup(id, change, before, listRuleGroups(rules));
    await writeGroup(parts, context, { claim, before, decide: (rows) => decideGroupEnd(context, rows) });
  });
}

/** Tries again if the group has changed meanwhile, and once an earlier change of it is finished. */
async function retry<Result>(
  parts: ActingDirectory,
  context: DirectoryContext,
  groupId: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof GroupMoved || error instanceof GroupUnfinished;
      if (!isPassing || tries === TRIES_MAX) throw error;
      if (error instanceof GroupUnfinished) await finishGroups(parts, context, groupId);
    }
  }
}

interface GroupWriting {
  readonly claim: GroupClaim;
  /** Null for a new group. */
  readonly before: DirectoryGroup | null;
  readonly decide: (rows: GroupRows) => GroupWrite | null;
}

/** Null if nothing changes. */
async function writeGroup(
  parts: ActingDirectory,
  context: DirectoryContext,
  writing: GroupWriting,
): Promise<GroupWrite | null> {
  const { claim, decide } = writing;
  if (await isLarge(parts, claim)) return writeInParts(parts, context, writing);
  const write = await parts.changes.changeGroup(claim, decide);
  if (write !== null) await keepGroupAccounts(parts, context, write);
  return write;
}

async function isLarge(
  { store }: Pick<DirectoryParts, "store">,
  { id, steps, wideNames }: GroupClaim,
): Promise<boolean> {
  if (steps.users.size > USERS_AT_ONCE) return true;
  if (!steps.isWhole && wideNames === null) return false;
  const { members, users } = await store.directory.measureGroup(id);
  return (wideNames === null ? members : users) > USERS_AT_ONCE;
}

async function writeInParts(
  parts: ActingDirectory,
  context: DirectoryContext,
  { claim, before, decide }: GroupWriting,
): Promise<GroupWrite | null> {
  const members = await listMembers(parts, claim);
  const known = await findKnown(parts, claim);
  const unread = { standings: [], groups: [], isTaken: false, count: 0, isUnfinished: false };
  const write = decide({ group: before, members, size: members.size, known, ...unread });
  if (write === null) return null;
  const beginning = splitGroup(before, write, members, claim.wideNames);
  await parts.changes.beginGroup(claim, beginning, (rows) => checkBeginning(beginning, rows));
  await finishGroups(parts, context, claim.id);
  return write;
}

async function findKnown(
  { store }: Pick<DirectoryParts, "store">,
  { steps }: GroupClaim,
): Promise<ReadonlySet<string>> {
  const coming = [...steps.users].flatMap(([id, isComing]) => (isComing ? id : []));
  const known = new Set<string>();
  for (let at = 0; at < coming.length; at += PAGE_USERS) {
    for (const id of await store.directory.knownUsers(coming.slice(at, at + PAGE_USERS))) known.add(id);
  }
  return known;
}

async function listMembers(
  { store }: Pick<DirectoryParts, "store">,
  { id: group }: GroupClaim,
): Promise<ReadonlySet<string>> {
  const members = new Set<string>();
  let after: string | null = "";
  while (after !== null) {
    const page = await store.directory.groupUsers({ group }, { after, limit: PAGE_USERS });
    for (const id of page.ids) members.add(id);
    after = page.next;
  }
  return members;
}

type GroupFinishingParts = Pick<ActingDirectory, "store" | "changes" | "clock">;

/** Does what is left of changes of a group, or of all groups. Several nodes may do it at once. */
export async function finishGroups(
  parts: GroupFinishingParts,
  context: DirectoryContext,
  groupId: string | null,
): Promise<void> {
  const ruleGroups = listRuleGroups(context.rules);
  for (;;) {
    const part = await parts.store.directory.nextGroupPart(groupId);
    if (part === null) return;
    const { doing, end } = await findUsers(parts, part);
    const write = await parts.changes.stepGroup(doing, end, ruleGroups, (rows) =>
      decidePart(context, doing, rows),
    );
    if (write !== null) await keepGroupAccounts(parts, context, write);
  }
}

interface GroupStep {
  /** With the users whom it concerns. */
  readonly doing: GroupPart;
  /** The last user who was looked at, if there are more. */
  readonly end: string | null;
}

/** Finds the next users of a part that goes through all of them by what they claim. */
async function findUsers({ store }: Pick<GroupFinishingParts, "store">, part: GroupPart): Promise<GroupStep> {
  const { names } = part;
  if (names.length === 0) return { doing: part, end: null };
  let { after } = part;
  for (;;) {
    const { ids, next } = await store.directory.groupUsers({ names }, { after, limit: PAGE_USERS });
    const others = ids.slice(0, USERS_AT_ONCE);
    if (others.length < ids.length) return { doing: { ...part, others }, end: others.at(-1) ?? null };
    if (ids.length > 0 || next === null) return { doing: { ...part, others }, end: next };
    after = next;
  }
}

function keepGroupAccounts(
  parts: GroupFinishingParts,
  context: DirectoryContext,
  { rights }: Pick<GroupWrite, "rights">,
): Promise<void> {
  return context.rules.members.createsAccount ? keepAccounts(parts, context, rights) : Promise.resolve();
}
