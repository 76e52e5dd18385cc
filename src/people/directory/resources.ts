// Users and groups as SCIM shows them (RFC 7643, sections 4.1 to 4.3).
import type { JsonObject } from "../../core/json/json.ts";
import type { DirectoryGroup, DirectoryUser } from "../../core/people/directory.ts";
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from "./names.ts";

/** A group of a user. */
export interface GroupReference {
  readonly id: string;
  readonly display: string;
}

/** `baseUrl` is the address of the directory's routes, without a slash at its end. */
export function viewUser(
  user: DirectoryUser,
  groups: readonly GroupReference[],
  baseUrl: string,
): JsonObject {
  const name = dropNull({
    formatted: user.formattedName,
    givenName: user.givenName,
    familyName: user.familyName,
  });
  const enterprise = dropNull({
    department: user.department,
    costCenter: user.costCenter,
    employeeNumber: user.employeeNumber,
  });
  const hasEnterprise = Object.keys(enterprise).length > 0;
  return {
    schemas: hasEnterprise ? [USER_SCHEMA, ENTERPRISE_SCHEMA] : [USER_SCHEMA],
    id: user.id,
    ...dropNull({ externalId: user.externalId }),
    userName: user.userName,
    ...dropNull({ displayName: user.displayName }),
    ...(Object.keys(name).length > 0 ? { name } : {}),
    ...(user.emails.length > 0 ? { emails: user.emails.map(viewEmail) } : {}),
    active: user.isActive,
    ...(hasEnterprise ? { [ENTERPRISE_SCHEMA]: enterprise } : {}),
    ...(groups.length > 0
      ? { groups: groups.map(({ id, display }) => ({ ...viewReference(id, "Groups", baseUrl), display })) }
      : {}),
    meta: viewMeta("User", "Users", user, baseUrl),
  };
}

function viewEmail({ value, type, isPrimary }: DirectoryUser["emails"][number]): JsonObject {
  return { value, ...dropNull({ type }), primary: isPrimary };
}

/** `members` are the ids of users, or null if they weren't read. Their names aren't shown: the directory knows them. */
export function viewGroup(
  group: DirectoryGroup,
  members: readonly string[] | null,
  baseUrl: string,
): JsonObject {
  const shown = members?.map((id) => ({ ...viewReference(id, "Users", baseUrl), type: "User" }));
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...dropNull({ externalId: group.externalId }),
    displayName: group.displayName,
    ...(shown === undefined ? {} : { members: shown }),
    meta: viewMeta("Group", "Groups", group, baseUrl),
  };
}

function viewReference(id: string, path: "Users" | "Groups", baseUrl: string): JsonObject {
  return { value: id, $ref: `${baseUrl}/${path}/${id}` };
}

function viewMeta(
  resourceType: string,
  path: string,
  { id, createdAtMs, changedAtMs }: Pick<DirectoryUser, "id" | "createdAtMs" | "changedAtMs">,
  baseUrl: string,
): JsonObject {
  return {
    resourceType,
    created: new Date(createdAtMs).toISOString(),
    lastModified: new Date(changedAtMs).toISOString(),
    location: `${baseUrl}/${path}/${id}`,
  };
}

function dropNull(fields: Readonly<Record<string, string | null>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** `startIndex` counts from 1. */
export function viewList(resources: readonly JsonObject[], total: number, startIndex: number): JsonObject {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
