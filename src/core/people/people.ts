// People and what they may do: roles, grants, who acts from where, and which rows a viewer sees.

import type { MemberTerms } from "../limits/member-limits.ts";
import type { RepeatClaim } from "./repeats.ts";

/** From the least to the most. Within an account, the highest of someone's roles counts. */
export const ROLES = ["member", "viewer", "manager", "billing", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** The reasons for which a key or an account is paused, from the lowest: only the same or a higher role lifts one. */
export const PAUSERS = ["holder", "person", "operator", "admin", "directory", "dispute"] as const;
/** A personal key whose person an admin has disabled is paused by it, so that enabling resumes no other key. */
const DISABLED = "disabled";
export const STORED_PAUSERS = [...PAUSERS, DISABLED] as const;
export type Pauser = (typeof STORED_PAUSERS)[number];

/** A role in an account, or in all accounts. */
export interface Grant {
  readonly role: Role;
  /** Null for all accounts, including those made later. */
  readonly accountId: string | null;
  /** True if a rule of the sign-in shows others' prompts and answers there. */
  readonly readsContent?: true;
}

/** The kinds of senders of a change: a person, a named token, the admin token, a key, the command line, the
 * gateway or the company's directory. */
export const ACTOR_KINDS = ["person", "token", "admin", "key", "cli", "system", "scim"] as const;

export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number];
  readonly id: string;
  /** For people to read. It may be erased later. */
  readonly name: string;
}

/** The sender of a change, and how it reached the gateway. Texts are empty if unknown. */
export interface Act {
  readonly actor: Actor;
  /** The client's IP address. */
  readonly address: string;
  /** The client's `User-Agent`, cut to a bound. */
  readonly agent: string;
  /** `PATCH /admin/v1/keys/{id}`, or the command. */
  readonly route: string;
  readonly requestId: string;
  /** The record that its change leaves, so that a repeat changes nothing. Missing without an Idempotency-Key. */
  readonly claim?: RepeatClaim;
  /** Set if its change may end the support for older programs whose nodes run. */
  readonly stopsOlder?: true;
}

/** The gateway itself, for what it does on its own. */
export const GATEWAY: Act = {
  actor: { kind: "system", id: "gateway", name: "gateway" },
  address: "",
  agent: "",
  route: "",
  requestId: "",
};

/** The states of people, the hardest last. */
export const MEMBER_STATES = ["active", "in_doubt", "left", "deactivated", "disabled", "anonymised"] as const;

/** The rows that a viewer sees: the store narrows its queries to them. */
export interface Scope {
  /** Accounts of which all rows are seen. Null for every account. */
  readonly accountIds: readonly string[] | null;
  /** Besides, the rows of one's own keys in these accounts. Null if there are none. */
  readonly personal: { readonly memberId: string; readonly accountIds: readonly string[] | null } | null;
  /** Accounts of which costs are seen without the markup. Null for every account, missing for none. */
  readonly costs?: readonly string[] | null;
}

export const EVERYTHING: Scope = { accountIds: null, personal: null, costs: null };

/** The time since which the issuer has given no definite word about a person, and what ends if it gives none. */
export interface Doubt {
  /** The end of the first look at the issuer that brought no definite word. */
  readonly sinceMs: number;
  /** The end of sessions, agents' sign-ins and named tokens. */
  readonly actsUntilMs: number;
  /** The end of personal keys. */
  readonly keysUntilMs: number;
}

/** A person who signed in by OIDC at least once. */
export interface Member {
  /** `mem_…`, made from the issuer and the subject, which are the identity. The e-mail address never is. */
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Null if the issuer gave none. */
  readonly email: string | null;
  /** From the rules that matched at the last look at the issuer's claims. */
  readonly ruleGrants: readonly Grant[];
  /** Set by an admin, besides those of the rules. */
  readonly ownGrants: readonly Grant[];
  /** The end of the grants set by an admin. Null for none. */
  readonly ownUntilMs: number | null;
  /** True if a rule lets the person see prompts and answers of others, in the accounts of the grants that say so. */
  readonly readsContent: boolean;
  readonly isDisabled: boolean;
  readonly createdAtMs: number;
  /** The last time that the issuer confirmed the person. */
  readonly seenAtMs: number;
  /** The issuer's refresh token, encrypted. Null if it gave none. */
  readonly refreshSealed: string | null;
  /** Those that the issuer named last. */
  readonly groups: readonly string[];
  /** The limits of the rules that matched, as JSON. Null if there are none. */
  readonly ruleLimits: string | null;
  /** The last warning that keys are about to end. Null if there was none. */
  readonly warnedAtMs: number | null;
  /** The last recheck that was begun, and the time until which one node has it to itself. */
  readonly checkedAtMs: number;
  readonly leasedUntilMs: number;
  readonly anonymisedAtMs: number | null;
  /** The time from which on nothing of the person stands in the store's files. Missing before. */
  readonly erasedAtMs?: number | undefined;
  /** The time at which the company's directory said that the person isn't active. Missing while it doesn't say so. */
  readonly deactivatedAtMs?: number | undefined;
  /** Missing if the issuer's last word was definite. One from before `seenAtMs` is over. */
  readonly doubt?: Doubt | undefined;
  /** The person's id in the issuer's directory, which some issuers name besides the subject. */
  readonly objectId?: string | undefined;
  /** Since then, the issuer says that the person isn't there. Missing if its last word was yes. */
  readonly refusedAtMs?: number | undefined;
  /** Grows with each change by the directory. Missing for people who aren't in it. */
  readonly directoryTurn?: number | undefined;
}

/** The part of a member that limits their keys: their grants, and the limits of the rules that matched. */
export interface KeyTerms
  extends Pick<MemberTerms, "rules">,
    Pick<
      Member,
      | "ruleGrants"
      | "ownGrants"
      | "ownUntilMs"
      | "isDisabled"
      | "deactivatedAtMs"
      | "anonymisedAtMs"
      | "seenAtMs"
      | "doubt"
    > {}

/** A named token of the admin routes. Only a keyed digest of its secret is stored. */
export interface NamedToken {
  /** `tok_…` */
  readonly id: string;
  readonly name: string;
  readonly last4: string;
  readonly grants: readonly Grant[];
  /** True if it may read prompts and answers. */
  readonly readsContent: boolean;
  /** The actor who made it. It works as long as the person or token that made it may do all that it may. */
  readonly makerKind: Actor["kind"];
  readonly makerId: string;
  /** For people to read. */
  readonly contact: string | null;
  /** Until then, the contact upholds a token from before contacts were words alone. Missing for all others. */
  readonly contactUntilMs?: number | undefined;
  /** Missing for tokens of the admin routes. One of the directory's is good for nothing else. */
  readonly kind?: "scim" | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A console session. The holder of the secret with this digest acts as the person or token that signed in, until it expires. */
export interface Session {
  readonly digest: string;
  /** The digest of the token that was used, the admin token or a named one. If it ends, so does the session. */
  readonly tokenDigest: string;
  readonly expiresAtMs: number;
  /** The named token that was used. Null for the admin token and for people. */
  readonly tokenId: string | null;
  /** The person who signed in by OIDC. Null for tokens. */
  readonly memberId: string | null;
  /** The issuer's own id of the person's session, for its logout. */
  readonly issuerSession: string | null;
  /** The address that began it, and the browser. Null if an older version did. */
  readonly address: string | null;
  readonly agent: string | null;
}

/** The link of a quick start that signs in to the console once. Only a keyed digest of its secret is stored. */
export interface ConsoleLink {
  readonly digest: string;
  readonly expiresAtMs: number;
}

/** The owner of sessions: a person, a named token, or else the admin token with this digest. */
export type SessionOwner = Pick<Session, "memberId" | "tokenId" | "tokenDigest">;

/** By account. One without any is left out. */
interface AccountCounts {
  readonly keys: ReadonlyMap<string, number>;
  readonly people: ReadonlyMap<string, number>;
}

/** The people for whom these facts are the same. */
export interface PeopleCount {
  readonly isAnonymised: boolean;
  readonly isDisabled: boolean;
  readonly isDeactivated: boolean;
  readonly hasRules: boolean;
  readonly isInDoubt: boolean;
  readonly people: number;
}

/** The store's methods on people, tokens and sessions. Each is one transaction, as in `Store`. */
export interface PeopleStore {
  /** Finds a token by the digest of its secret, whether it still works or not. */
  tokenByDigest(digest: string): Promise<NamedToken | null>;
  token(id: string): Promise<NamedToken | null>;
  /** All that were ever made, newest first, up to this many. */
  tokens(most: number): Promise<readonly NamedToken[]>;
  /** The accounts that have one of these ids or names. */
  accountsNamed(names: readonly string[]): Promise<readonly { readonly id: string; readonly name: string }[]>;
  member(id: string, scope?: Scope): Promise<Member | null>;
  /** Null if there is nobody. */
  memberTerms(id: string): Promise<KeyTerms | null>;
  /** Newest first, up to this many, after the position. */
  members(
    page: { readonly limit: number; readonly after: { atMs: number; id: string } | null },
    scope?: Scope,
  ): Promise<readonly Member[]>;
  /** Counts what each of these accounts has of keys that aren't revoked, and of people with a grant that names it. */
  countByAccount(accountIds: readonly string[], nowMs: number): Promise<AccountCounts>;
  /** Counts people by the facts from which their state follows. */
  countPeople(): Promise<readonly PeopleCount[]>;
  /**
   * Returns people whose last check began at `checkedMs` or before, those that wait longest first, up to this many. People
   * without access and those whom a node is just checking are left out.
   */
  dueMembers(checkedMs: number, nowMs: number, most: number): Promise<readonly Member[]>;
  /**
   * Puts everybody in doubt about whom the issuer would have been asked by now, unless they are already, and sets the ends
   * of all who are. Returns how many these are.
   */
  doubtDueMembers(issuer: string, checkedMs: number, doubt: Doubt): Promise<number>;
  /** Returns people whose role given by an admin has ended, up to this many. */
  endedRoles(nowMs: number, most: number): Promise<readonly Member[]>;
  /**
   * Erases the person's name, e-mail and addresses beside the ids that stay: in the audit, also in entries that wait, in
   * agents, in the contacts of tokens, and in the log of requests and refusals. Their personal keys must have other names
   * before, and the member's row is changed by `changeMember`. It may be repeated.
   */
  erase(person: Pick<Member, "id" | "email">): Promise<void>;
  /** Overwrites what `erase` and changes of people freed. Returns true once nothing of it is left in the store's files. */
  dropErased(): Promise<boolean>;
  /** Returns people who were made anonymous and aren't marked as erased, those who still have an address first, up to this many. */
  unerased(most: number): Promise<readonly Member[]>;

  /** Stores a session and deletes expired ones. */
  addSession(session: Session, nowMs: number): Promise<void>;
  session(digest: string): Promise<Session | null>;
  endSession(digest: string): Promise<void>;
  /** The sessions of an owner that haven't ended, newest first, up to this many. */
  sessionsOf(owner: SessionOwner, nowMs: number, most: number): Promise<readonly Session[]>;
  /** Returns whether the person has a session, and made a token that is neither revoked nor expired. */
  holdings(memberId: string, nowMs: number): Promise<Holdings>;

  /** Stores the link in place of the one before, as there is one at most. Null only ends that one. */
  keepLink(link: ConsoleLink | null): Promise<void>;
  /** Deletes the link with this digest. Returns true for the one caller, over all nodes, who did, if it hadn't expired. */
  takeLink(digest: string, nowMs: number): Promise<boolean>;

  /** Returns true the first time that this is called with a digest, over all nodes, and false until `untilMs`. */
  useOnce(digest: string, untilMs: number, nowMs: number): Promise<boolean>;
  /**
   * Uses a digest and ends the sessions that its token names, both or neither. Returns how many ended, or null if the
   * digest was used before.
   */
  endSessionsOnce(use: SingleUse, named: NamedSessions): Promise<number | null>;
}

/** The things that a person works with beside keys. */
interface Holdings {
  readonly hasSession: boolean;
  readonly hasToken: boolean;
}

/** The use of a digest at a time, which nobody can repeat until another. */
interface SingleUse {
  readonly digest: string;
  readonly untilMs: number;
  readonly nowMs: number;
}

/** The sessions that an issuer's logout names: those of a person, of a session of the issuer, or of both. */
export interface NamedSessions {
  readonly memberId: string | null;
  /** With a person, sessions whose session at the issuer isn't known are meant as well. */
  readonly issuerSession: string | null;
}
