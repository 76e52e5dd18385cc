// A table of permissions, each with the roles that have it.
import { type Grant, ROLES, type Role, type Scope } from "../core/people.ts";

const READERS = ["viewer", "manager", "billing", "operator", "admin"] as const satisfies readonly Role[];
const EVERYONE = ROLES;

interface PermissionRow {
  readonly roles: readonly Role[];
  readonly isGlobal?: boolean;
}

/**
 * Every admin route needs one of these. A permission counts in the account of the grant that gives it; those with
 * `isGlobal` concern no single account, so only a grant for all accounts gives them.
 */
const PERMISSIONS = {
  /** Accounts with their balances and limits. Members see those that they belong to. */
  "accounts.read": { roles: EVERYONE },
  /** Keys, requests and sums. Members see what belongs to their own keys. */
  "keys.read": { roles: EVERYONE },
  "requests.read": { roles: EVERYONE },
  "usage.read": { roles: EVERYONE },
  /** The models that are served, and the aliases. */
  "models.read": { roles: EVERYONE },
  "journal.read": { roles: READERS },
  "audit.read": { roles: ["manager", "operator", "admin"] },
  /** The configuration, the providers and what the selectors learned. */
  "settings.read": { roles: READERS, isGlobal: true },
  "accounts.create": { roles: ["operator", "admin"], isGlobal: true },
  "accounts.limit": { roles: ["operator", "admin"] },
  "accounts.close": { roles: ["billing", "admin"] },
  "money.move": { roles: ["billing", "admin"] },
  "keys.write": { roles: ["manager", "operator", "admin"] },
  /** Personal keys of one's own. */
  "own.keys.write": { roles: EVERYONE },
  "providers.write": { roles: ["operator", "admin"], isGlobal: true },
  "aliases.write": { roles: ["operator", "admin"], isGlobal: true },
  /** Teaching the selectors calls models at the operator's cost. */
  "learning.write": { roles: ["operator", "admin"], isGlobal: true },
  "playground.use": { roles: ["admin"], isGlobal: true },
  "tokens.write": { roles: ["admin"], isGlobal: true },
  "members.read": { roles: ["manager", "admin"] },
  "members.write": { roles: ["admin"], isGlobal: true },
} as const satisfies Readonly<Record<string, PermissionRow>>;
export type Permission = keyof typeof PERMISSIONS;

/** Returns the higher of two roles. */
function isAbove(role: Role, other: Role): boolean {
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

/**
 * Returns the rows that the permission covers. A member's grant covers only the rows of the member's own keys, which a
 * token can't have.
 */
export function findScope(grants: readonly Grant[], permission: Permission, memberId: string | null): Scope {
  const given = grants.filter((grant) => givesPermission(grant, permission));
  const whole = given.filter(({ role }) => role !== "member");
  const own = given.filter(({ role }) => role === "member");
  return {
    accountIds: listAccounts(whole),
    own: memberId === null || own.length === 0 ? null : { memberId, accountIds: listAccounts(own) },
  };
}

function listAccounts(grants: readonly Grant[]): readonly string[] | null {
  const ids = grants.map(({ accountId }) => accountId);
  return ids.includes(null) ? null : ids.filter((id) => id !== null);
}
