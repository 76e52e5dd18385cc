// The rights of the sender of a request to the admin routes.
import { Fault } from "../core/fault.ts";
import { type Actor, type Grant, ROLES, type Role, type Scope } from "../core/people.ts";
import { findScope, isPermitted, joinGrants, type Permission } from "./roles.ts";

interface Viewer {
  readonly actor: Actor;
  readonly grants: readonly Grant[];
  /** True if prompts and answers of others may be read. */
  readonly readsContent: boolean;
  /** Null for tokens. */
  readonly memberId: string | null;
}

export class Access {
  readonly actor: Actor;
  /** The highest per account. */
  readonly grants: readonly Grant[];
  readonly readsContent: boolean;
  readonly memberId: string | null;

  constructor({ actor, grants, readsContent, memberId }: Viewer) {
    this.actor = actor;
    this.grants = joinGrants(grants);
    this.readsContent = readsContent;
    this.memberId = memberId;
  }

  /** The highest role in any account. */
  get role(): Role | null {
    const roles = this.grants.map(({ role }) => role);
    return ROLES.findLast((role) => roles.includes(role)) ?? null;
  }

  /** True in this account, or in any if none is given. */
  may(permission: Permission, accountId?: string): boolean {
    return isPermitted(this.grants, permission, accountId);
  }

  /** Throws the Fault `not_permitted` unless the permission is given, in this account if one is named. */
  require(permission: Permission, accountId?: string): void {
    if (this.may(permission, accountId)) return;
    const role = this.role;
    const yours = role === null ? "no role" : `the role '${role}'`;
    throw new Fault("not_permitted", `You have ${yours} here, which doesn't permit this (${permission}).`);
  }

  /** Returns the rows that the permission covers. */
  scope(permission: Permission): Scope {
    return findScope(this.grants, permission, this.memberId);
  }
}

/** Returns the access of the admin token, which may do everything. */
export function adminAccess(actor: Actor): Access {
  return new Access({
    actor,
    grants: [{ role: "admin", accountId: null }],
    readsContent: true,
    memberId: null,
  });
}

export const ADMIN_TOKEN: Actor = { kind: "admin", id: "admin", name: "admin token" };
