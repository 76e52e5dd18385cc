// The state of a person, and what it lets them do: the one place that decides it.
import type { KeyTerms, MEMBER_STATES, PeopleCount } from "../core/people/people.ts";
import { findDoubt } from "./doubt.ts";

export type MemberState = (typeof MEMBER_STATES)[number];

/** The fields that decide the state, beside the time. */
type StateFacts = Pick<
  KeyTerms,
  "anonymisedAtMs" | "isDisabled" | "deactivatedAtMs" | "ruleGrants" | "seenAtMs" | "doubt"
>;

/** Returns the hardest state that applies. */
export function findMemberState(facts: StateFacts): MemberState {
  if (facts.anonymisedAtMs !== null) return "anonymised";
  if (facts.isDisabled) return "disabled";
  if (facts.deactivatedAtMs !== undefined) return "deactivated";
  // Nobody without a matching rule gets in, whatever an admin gave besides.
  if (facts.ruleGrants.length === 0) return "left";
  return findDoubt(facts) === null ? "active" : "in_doubt";
}

/** Returns the state of people for whom these facts are the same. */
export function nameState(facts: PeopleCount): MemberState {
  return findMemberState({
    anonymisedAtMs: facts.isAnonymised ? 0 : null,
    isDisabled: facts.isDisabled,
    deactivatedAtMs: facts.isDeactivated ? 0 : undefined,
    ruleGrants: facts.hasRules ? [{ role: "member", accountId: null }] : [],
    seenAtMs: 0,
    doubt: facts.isInDoubt ? { sinceMs: 1, actsUntilMs: 1, keysUntilMs: 1 } : undefined,
  });
}

/** True if the person may sign in, as far as an admin and the directory decide. People who have left come back that way. */
export function canSignIn(facts: StateFacts): boolean {
  const state = findMemberState(facts);
  return state === "active" || state === "in_doubt" || state === "left";
}

/** True if the person is let in at all, in doubt or not. */
export function isLetIn(facts: StateFacts): boolean {
  const state = findMemberState(facts);
  return state === "active" || state === "in_doubt";
}

/** True if sessions, agents' sign-ins and named tokens work at that time: in doubt, they end first. */
export function mayAct(facts: StateFacts, nowMs: number): boolean {
  const doubt = findDoubt(facts);
  return isLetIn(facts) && (doubt === null || nowMs < doubt.actsUntilMs);
}

/** True if personal keys work at that time. */
export function mayHoldKeys(facts: StateFacts, nowMs: number): boolean {
  const doubt = findDoubt(facts);
  return isLetIn(facts) && (doubt === null || nowMs < doubt.keysUntilMs);
}
