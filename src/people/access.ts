// The rights of the sender of a request to the admin routes.
import { Fault } from "../core/faults/fault.ts";
import {
  type Actor,
  type Grant,
  type NamedToken,
  ROLES,
  type Role,
  type Scope,
} from "../core/people/people.ts";
import { PERMISSIONS, type Permission } from "../core/people/permissions.ts";
import { countGrants, findScope, isAbove, isPermitted, joinGrants, listPermitted } from "./roles.ts";

interface AccessViewer {
  readonly actor: Actor;
  readonly grants: readonly Grant[];
  /** True if prompts and answers of others may be read. */
  readonly readsContent: boolean;
  /** Null for tokens. */
  readonly memberId: string | null;
  /** The sender, or the person who made the token with which it is sent. Null for nobody. */
  readonly personId: string | null;
  /** Null if no grant has an end. */
  readonly ends: GrantEnds | null;
}

/** The end of a person's grants that an admin gave, and the grants that last without these. */
interface GrantEnds {
  readonly lasting: readonly Grant[];
  readonly untilMs: number;
}

/** The part of a key that decides who may see and change it. */
interface OwnedRow {
  readonly accountId: string;
  readonly memberId: string | null;
}

export class Access {
  readonly actor: Actor;
  /** The highest per account. */
  readonly grants: readonly Grant[];
  readonly readsContent: boolean;
  readonly memberId: string | null;
  readonly personId: string | null;
  readonly ends: GrantEnds | null;
  readonly #counted: readonly Grant[];
  /** By permission, once one was asked for. */
  readonly #scopes = new Map<Permission, Scope>();
  /** Those that show prompts and answers. Empty if that is not said of single ones. */
  readonly #showing: readonly Grant[];

  constructor({ actor, grants, readsContent, memberId, personId, ends }: AccessViewer) {
    this.actor = actor;
    this.grants = joinGrants(grants);
    this.readsContent = readsContent;
    this.memberId = memberId;
    this.personId = personId;
    this.ends = ends;
    this.#showing = grants.filter((grant) => grant.readsContent);
    this.#counted = countGrants(grants);
  }

  /** The highest role in any account. Null for nobody's. */
  get role(): Role | null {
    return this.#findHighest(this.grants);
  }

  /** The highest role in this account, or in all accounts if it is null. */
  roleIn(accountId: string | null): Role | null {
    return this.#findHighest(
      this.grants.filter((grant) => grant.accountId === null || grant.accountId === accountId),
    );
  }

  #findHighest(grants: readonly Grant[]): Role | null {
    const roles = grants.map(({ role }) => role);
    return ROLES.findLast((role) => roles.includes(role)) ?? null;
  }

  /** True in this account, or in any if none is given. */
  may(permission: Permission, accountId?: string): boolean {
    return isPermitted(this.#counted, permission, accountId);
  }

  /** Returns the accounts in which the permission is given. Null for all accounts, empty for none. */
  accountsWith(permission: Permission): readonly string[] | null {
    return listPermitted(this.#counted, permission);
  }

  /** Throws the Fault `not_permitted` unless the permission is given, in this account if one is named. */
  require(permission: Permission, accountId?: string): void {
    if (!this.may(permission, accountId)) throw this.#refuse(permission, accountId);
  }

  /** Throws the Fault `not_permitted` unless the sender may write this key: any key, or a personal one of their own. */
  requireKey({ accountId, memberId }: OwnedRow): void {
    const isOwn = memberId !== null && memberId === this.memberId && this.may("own.keys.write", accountId);
    if (!isOwn && !this.may("keys.write", accountId)) throw this.#refuse("keys.write", accountId);
  }

  #refuse(permission: Permission, accountId?: string): Fault {
    const role = accountId === undefined ? this.role : this.roleIn(accountId);
    const yours = role === null ? "You have no role here" : `Your role here is '${role}'`;
    const { words } = PERMISSIONS[permission];
    return new Fault("not_permitted", `${yours}, which may not ${words} (${permission}).`);
  }

  /** Returns the rows that the permission covers. */
  scope(permission: Permission): Scope {
    return this.#scopes.getOrInsertComputed(permission, (asked) =>
      findScope(this.#counted, asked, this.memberId),
    );
  }

  /** True if the sender may read prompts and answers of this key: one's own, or others' if allowed to. */
  mayReadContent({ accountId, memberId }: OwnedRow): boolean {
    const isOwn = memberId !== null && memberId === this.memberId;
    return isOwn || this.#isShownContent(accountId);
  }

  /**
   * A rule of the sign-in shows those of its own accounts alone, a token those of all that it sees. Null stands for all
   * accounts.
   */
  #isShownContent(accountId: string | null): boolean {
    if (this.roleIn(accountId) === "admin") return true;
    if (!this.readsContent || this.#showing.length === 0) return this.readsContent;
    return this.#showing.some((grant) => grant.accountId === null || grant.accountId === accountId);
  }

  /** True if each of the grants is within the sender's own. */
  covers(grants: readonly Grant[]): boolean {
    return grants.every(({ role, accountId }) =>
      this.grants.some(
        (own) => (own.accountId === null || own.accountId === accountId) && !isAbove(role, own.role),
      ),
    );
  }

  /**
   * Returns the end of the sender's permission in these accounts, beyond which nothing may last that is given by it. Null
   * if it has none. In the list, null stands for all accounts.
   */
  findEnd(permission: Permission, accountIds: readonly (string | null)[]): number | null {
    if (this.ends === null) return null;
    const lasting = listPermitted(countGrants(this.ends.lasting), permission);
    const isLasting =
      lasting === null || accountIds.every((accountId) => accountId !== null && lasting.includes(accountId));
    return isLasting ? null : this.ends.untilMs;
  }

  /** True if others' prompts and answers are shown to the sender in the accounts of all these grants. */
  coversContent(grants: readonly Grant[]): boolean {
    return grants.every(({ accountId }) => this.#isShownContent(accountId));
  }
}

/** Returns the access of the admin token, or of the command line, which may do everything. */
export function adminAccess(actor: Actor): Access {
  return new Access({
    actor,
    grants: [{ role: "admin", accountId: null }],
    readsContent: true,
    memberId: null,
    personId: null,
    ends: null,
  });
}

/** Returns the access of a named token, which stands on a person, or on nobody. */
export function tokenAccess(
  { id, name, grants, readsContent }: NamedToken,
  person: Pick<Access, "personId" | "ends"> = { personId: null, ends: null },
): Access {
  const { personId, ends } = person;
  return new Access({
    actor: { kind: "token", id, name },
    grants,
    readsContent,
    memberId: null,
    personId,
    ends,
  });
}

const ADMIN_TOKEN: Actor = { kind: "admin", id: "admin", name: "admin token" };
/** The rights of the admin token, which are the same for each of its requests. */
export const ADMIN_TOKEN_ACCESS = adminAccess(ADMIN_TOKEN);
/** The command line works on the store itself. */
export const COMMAND_LINE: Actor = { kind: "cli", id: "cli", name: "command line" };
