// The lists of a directory's users and groups, narrowed by a filter, with who is in which.
import type { DirectoryGroup, DirectoryUser, GroupFilter, UserFilter } from "../../core/people/directory.ts";
import { type Condition, parseFilter } from "../../people/directory/filter.ts";
import { foldCase } from "../../people/directory/names.ts";
import { DirectoryRefusal } from "../../people/directory/refusal.ts";
import type { GroupReference } from "../../people/directory/resources.ts";
import type { DirectoryParts } from "./directory.ts";

export interface ListQuery {
  readonly filter: string | null;
  /** Counts from 1. */
  readonly startIndex: number;
  readonly count: number;
}

interface ListResult<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

export function listUsers(
  { store }: Pick<DirectoryParts, "store">,
  query: ListQuery,
): Promise<ListResult<DirectoryUser>> {
  return store.directory.users(readUserFilter(query.filter), toPage(query));
}

export function listGroups(
  { store }: Pick<DirectoryParts, "store">,
  query: ListQuery,
): Promise<ListResult<DirectoryGroup>> {
  return store.directory.groups(readGroupFilter(query.filter), toPage(query));
}

function toPage({ startIndex, count }: ListQuery) {
  return { offset: startIndex - 1, limit: count };
}

/** The ids of the members of each of these groups. */
export async function readMembers(
  { store }: Pick<DirectoryParts, "store">,
  groups: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await store.directory.memberships({ groups });
  const byGroup = Map.groupBy(found, ({ groupId }) => groupId);
  return new Map([...byGroup].map(([id, own]) => [id, own.map(({ userId }) => userId)]));
}

/** The groups of each of these users. */
export async function readGroups(
  { store }: Pick<DirectoryParts, "store">,
  users: readonly string[],
): Promise<ReadonlyMap<string, readonly GroupReference[]>> {
  const found = await store.directory.memberships({ users });
  const byUser = Map.groupBy(found, ({ userId }) => userId);
  return new Map(
    [...byUser].map(([id, own]) => [id, own.map(({ groupId, display }) => ({ id: groupId, display }))]),
  );
}

function readConditions(filter: string | null): readonly Condition[] {
  return filter === null ? [] : parseFilter(filter);
}

function readUserFilter(filter: string | null): UserFilter {
  return readConditions(filter).map(narrowUsers).reduce(join, {});
}

function narrowUsers(condition: Condition): UserFilter {
  switch (condition.by) {
    case "id":
    case "externalId":
      return { [condition.by]: condition.text };
    case "userName":
    case "displayName":
      return { [condition.by]: foldCase(condition.text) };
    case "active":
      return { isActive: condition.isActive };
    case "email": {
      const { text, type } = condition;
      return { email: { value: foldCase(text), type: type === null ? null : foldCase(type) } };
    }
    case "members":
      throw unknownAttribute("members", "users");
  }
}

function readGroupFilter(filter: string | null): GroupFilter {
  return readConditions(filter).map(narrowGroups).reduce(join, {});
}

function narrowGroups(condition: Condition): GroupFilter {
  switch (condition.by) {
    case "id":
    case "externalId":
      return { [condition.by]: condition.text };
    case "displayName":
      return { displayName: foldCase(condition.text) };
    case "members":
      return { member: condition.text };
    default:
      throw unknownAttribute(condition.by, "groups");
  }
}

/** Two comparisons of the same attribute are not told apart in a store's filter. */
function join<Filter extends object>(narrowed: Filter, added: Filter): Filter {
  const twice = Object.keys(added).find((name) => name in narrowed);
  if (twice === undefined) return { ...narrowed, ...added };
  throw new DirectoryRefusal("invalidFilter", `'${twice}' is compared twice`);
}

function unknownAttribute(name: string, of: string): DirectoryRefusal {
  return new DirectoryRefusal("invalidFilter", `${of} can't be searched by '${name}'`);
}
