// Puts changes by the company's directory on record, and makes the events that they cause.
import type { AuditFacts, AuditFields } from "../../core/audit/audit-log.ts";
import type { RowChange } from "../../core/changes.ts";
import { makeEvent, type OutboxEvent } from "../../core/events/events.ts";
import type { DirectoryGroup, DirectoryUser } from "../../core/people/directory.ts";

type UserChange = Extract<RowChange, { kind: "directory_user" }>;
type AuditedGroupChange = Extract<RowChange, { kind: "directory_group" }>;

/** The most ids of users that one entry names. */
const IDS_SHOWN_MAX = 100;

function viewUser(user: DirectoryUser): AuditFields {
  const { userName, externalId, displayName, formattedName, givenName, familyName, emails, isActive } = user;
  return {
    user_name: userName,
    external_id: externalId,
    display_name: displayName,
    name: [formattedName, givenName, familyName].filter((one) => one !== null).join(" "),
    emails: emails.map(({ value }) => value),
    active: isActive,
    department: user.department,
    cost_center: user.costCenter,
    employee_number: user.employeeNumber,
  };
}

/** Null if no attribute shows: a user was linked to a person, for instance. */
export function describeUser({ before, after }: UserChange): AuditFacts | null {
  const user = after ?? before;
  if (user === null) return null;
  const target = { type: "member", id: user.memberId, name: user.displayName ?? user.userName } as const;
  if (before === null) return { action: "member.provisioned", target, after: viewUser(user) };
  if (after === null) return { action: "member.deprovisioned", target };
  const shown = compareFields(viewUser(before), viewUser(after));
  if (shown === null) return null;
  if (before.isActive === after.isActive) return { action: "member.changed", target, ...shown };
  return { action: after.isActive ? "member.activated" : "member.deactivated", target, ...shown };
}

function compareFields(before: AuditFields, after: AuditFields) {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return null;
  const pick = (fields: AuditFields) => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { before: pick(before), after: pick(after) };
}

function viewGroup({ displayName, externalId }: DirectoryGroup): AuditFields {
  return { display_name: displayName, external_id: externalId };
}

export function describeGroup({ before, after, came, went }: AuditedGroupChange): AuditFacts | null {
  const group = after ?? before;
  if (group === null) return null;
  const target = { type: "group", id: group.id, name: group.displayName } as const;
  const moved = {
    ...(came.length > 0 ? { came: came.slice(0, IDS_SHOWN_MAX), came_in_all: came.length } : {}),
    ...(went.length > 0 ? { went: went.slice(0, IDS_SHOWN_MAX), went_in_all: went.length } : {}),
  };
  if (before === null) return { action: "group.created", target, after: { ...viewGroup(group), ...moved } };
  if (after === null) return { action: "group.deleted", target, before: viewGroup(group) };
  const shown = compareFields(viewGroup(before), viewGroup(after));
  return {
    action: "group.changed",
    target,
    before: shown?.before ?? {},
    after: { ...shown?.after, ...moved },
  };
}

/** Returns the events of a change: the people who left by it. Ends of single users have events of their own. */
export function listDirectoryEvents(change: RowChange, atMs: number): readonly OutboxEvent[] {
  if (change.kind !== "directory_group" && change.kind !== "people_left") return [];
  return change.left.map((member_id) =>
    makeEvent("member.left", member_id, { accountId: "", atMs, data: { member_id, reason: "no_rule" } }),
  );
}
