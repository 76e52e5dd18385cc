// Shows the state of the company's directory: whether it is set up, its last requests, and which groups and rules meet.
import { Type } from "@sinclair/typebox";
import type { DirectoryGroup } from "../../core/people/directory.ts";
import { listRuleGroups } from "../../people/directory/deciding.ts";
import { allowNull, boolean, count, instant, text, type View } from "../schema.ts";
import type { DirectoryParts } from "./directory.ts";
import type { DirectorySeen } from "./directory-seen.ts";

const GROUPS_SHOWN_MAX = 5000;

const groupSchema = Type.Object({
  id: text,
  name: text,
  external_id: allowNull(text),
  members: count,
  // The rules that name it, by their place in the file, from 1.
  rules: Type.Array(count),
});

export const directorySchema = Type.Object({
  on: boolean,
  // The address that the directory gets. Null while people can't sign in.
  base_url: allowNull(text),
  last_request_at: allowNull(instant),
  last_change_at: allowNull(instant),
  last_error: allowNull(Type.Object({ at: instant, method: text, path: text, status: count, detail: text })),
  users: count,
  active: count,
  groups: Type.Array(groupSchema),
  // Groups of rules that the directory doesn't have.
  unmet: Type.Array(text),
  // Users who aren't known yet at the issuer, since they have never signed in.
  unlinked: count,
});
export type DirectoryView = View<typeof directorySchema>;

const NOTHING = { users: 0, active: 0, unlinked: 0, groups: [] } as const;

export async function viewDirectory(
  parts: DirectoryParts,
  seen: Pick<DirectorySeen, "read">,
): Promise<DirectoryView> {
  const rules = parts.rules();
  const isOn = rules?.directory !== undefined;
  const summary = isOn ? await parts.store.directory.summary(GROUPS_SHOWN_MAX) : NOTHING;
  const named = rules?.rules.map(({ group }) => group) ?? [];
  const groups = summary.groups.map(({ group, members }) => ({
    id: group.id,
    name: group.displayName,
    external_id: group.externalId,
    members,
    rules: named.flatMap((name, at) => (isNamed(group, name) ? [at + 1] : [])),
  }));
  const met = new Set(summary.groups.flatMap(({ group }) => [group.displayName, group.externalId]));
  const { users, active, unlinked } = summary;
  return {
    on: isOn,
    base_url: rules === undefined ? null : `${rules.publicUrl}/scim/v2`,
    ...(await seen.read()),
    users,
    active,
    groups,
    unmet: rules === undefined ? [] : listRuleGroups(rules).filter((name) => isOn && !met.has(name)),
    unlinked,
  };
}

function isNamed({ displayName, externalId }: DirectoryGroup, name: string): boolean {
  return displayName === name || externalId === name;
}
