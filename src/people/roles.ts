// The rights that roles give a person or a token.
import { type Grant, ROLES, type Role, type Scope } from "../core/people/people.ts";
import { PERMISSIONS, type Permission, type PermissionRow } from "../core/people/permissions.ts";

const isPermission = (name: string): name is Permission => Object.hasOwn(PERMISSIONS, name);
/** In the order of the table. */
export const PERMISSION_NAMES: readonly Permission[] = Object.keys(PERMISSIONS).filter(isPermission);

/** True if the first role is the higher one. */
export function isAbove(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) > ROLES.indexOf(other);
}

/** Returns the highest grant of each account, and of all accounts. A grant that one for all accounts covers is left out. */
export function joinGrants(grants: readonly Grant[]): readonly Grant[] {
  const highest = new Map<string | null, Role>();
  for (const { role, accountId } of grants) {
    const known = highest.get(accountId);
    if (known === undefined || isAbove(role, known)) highest.set(accountId, role);
  }
  const everywhere = highest.get(null);
  return [...highest]
    .filter(
      ([accountId, role]) => accountId === null || everywhere === undefined || isAbove(role, everywhere),
    )
    .map(([accountId, role]) => ({ role, accountId }));
}

/** Returns the grants that count: a higher role in the same account takes nothing of what a member may do with own keys. */
export function countGrants(grants: readonly Grant[]): readonly Grant[] {
  return [...joinGrants(grants), ...grants.filter(({ role }) => role === "member")];
}

function givesPermission({ role, accountId }: Grant, permission: Permission): boolean {
  const { roles, isGlobal = false }: PermissionRow = PERMISSIONS[permission];
  return roles.includes(role) && (accountId === null || !isGlobal);
}

/** True if one of the grants gives the permission in this account, or in any account if it is undefined. */
export function isPermitted(grants: readonly Grant[], permission: Permission, accountId?: string): boolean {
  const within = grants.filter(
    (one) => accountId === undefined || one.accountId === null || one.accountId === accountId,
  );
  return within.some((grant) => givesPermission(grant, permission));
}

/** Returns the accounts in which the grants give the permission. Null for all accounts, empty for none. */
export function listPermitted(grants: readonly Grant[], permission: Permission): readonly string[] | null {
  return listAccounts(grants.filter((grant) => givesPermission(grant, permission)));
}

/**
 * Returns the rows that the permission covers. A member's grant covers only the rows of the member's own keys, which a
 * token can't have.
 */
export function findScope(grants: readonly Grant[], permission: Permission, memberId: string | null): Scope {
  const { isWholeForMembers = false }: PermissionRow = PERMISSIONS[permission];
  const given = grants.filter((grant) => givesPermission(grant, permission));
  const whole = given.filter(({ role }) => isWholeForMembers || role !== "member");
  const own = given.filter(({ role }) => role === "member");
  return {
    accountIds: listAccounts(whole),
    personal: memberId === null || own.length === 0 ? null : { memberId, accountIds: listAccounts(own) },
    costs: listPermitted(grants, "costs.read"),
  };
}

function listAccounts(grants: readonly Grant[]): readonly string[] | null {
  const ids = grants.map(({ accountId }) => accountId);
  return ids.includes(null) ? null : [...new Set(ids.filter((id) => id !== null))];
}
