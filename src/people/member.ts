// People who signed in: their ids, and what they may do now.
import type { Grant, KeyTerms, Member, Session } from "../core/people/people.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import { digestSecret } from "../keys/secret.ts";
import { Access } from "./access.ts";
import { countGrants, isPermitted } from "./roles.ts";
import { mayAct, mayHoldKeys } from "./state.ts";

const ID_DIGITS = 32;

/** Returns the same id for the same person at the same issuer, so that no index on either is needed. */
export function makeMemberId(issuer: string, subject: string, pepper: Uint8Array): string {
  return `mem_${digestSecret(`member ${JSON.stringify([issuer, subject])}`, pepper).slice(0, ID_DIGITS)}`;
}

/** Returns the id of the person with this subject: another one's if the directory knew them before they signed in. */
export async function findMemberId(
  { store, pepper }: { readonly store: Pick<Store, "directory">; readonly pepper: Uint8Array },
  { issuer }: Pick<SignInRules, "issuer">,
  subject: string,
): Promise<string> {
  const id = makeMemberId(issuer, subject, pepper);
  return (await store.directory.aliased(id)) ?? id;
}

/** Returns the grants of the rules, and those that an admin gave until they end. */
export function listGrants(
  { ruleGrants, ownGrants, ownUntilMs }: Pick<Member, "ruleGrants" | "ownGrants" | "ownUntilMs">,
  nowMs: number,
): readonly Grant[] {
  return ownUntilMs !== null && ownUntilMs <= nowMs ? ruleGrants : [...ruleGrants, ...ownGrants];
}

type Rights = Omit<KeyTerms, "rules">;

/** Grants for what ends first in doubt: sessions, agents' sign-ins and named tokens. */
function listActingGrants(member: Rights, nowMs: number): readonly Grant[] {
  return mayAct(member, nowMs) ? listGrants(member, nowMs) : [];
}

/** True if the person may use personal keys in the account at that time. */
export function mayUseKeys(member: Rights, accountId: string, nowMs: number): boolean {
  if (!mayHoldKeys(member, nowMs)) return false;
  return isPermitted(countGrants(listGrants(member, nowMs)), "own.keys.write", accountId);
}

/** True if an agent that the person signed in may have other tokens for that account. */
export function mayRefreshAgents(member: Rights, accountId: string, nowMs: number): boolean {
  return isPermitted(countGrants(listActingGrants(member, nowMs)), "own.keys.write", accountId);
}

/** Returns the rights of a person at that time. */
export function memberAccess(member: Member, nowMs: number): Access {
  const { id, name, readsContent } = member;
  const grants = listActingGrants(member, nowMs);
  const ends = member.ownUntilMs === null ? null : { lasting: member.ruleGrants, untilMs: member.ownUntilMs };
  return new Access({
    actor: { kind: "person", id, name },
    grants,
    readsContent,
    memberId: id,
    personId: id,
    ends,
  });
}

interface PersonParts {
  readonly store: Pick<Store, "people">;
  readonly clock: Pick<Clock, "nowMs">;
}

/**
 * Returns the access of the person whose session it is, as it is now. Null if there is none. Where the issuer gave
 * nothing by which it can be asked again, the person has to go through it again after `members.recheck`.
 */
export async function findPerson(
  { store, clock }: PersonParts,
  { memberId }: Session,
  rules: SignInRules | undefined,
): Promise<Access | null> {
  if (memberId === null || rules === undefined) return null;
  const member = await store.people.member(memberId);
  if (member === null || member.issuer !== rules.issuer) return null;
  const nowMs = clock.nowMs();
  if (member.refreshSealed === null && member.seenAtMs + rules.members.recheckMs <= nowMs) return null;
  const access = memberAccess(member, nowMs);
  return access.role === null ? null : access;
}
