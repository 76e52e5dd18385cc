// The row of a person who has signed in.
import type { Member } from "../core/people/people.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Vault } from "../core/world/world.ts";
import type { Admission, Identity } from "./claims.ts";
import { refuseDeactivated } from "./directory/signer.ts";
import { findObjectId } from "./directory/word.ts";
import { endOverdue, type Recording } from "./ending.ts";
import { type ConfirmedSubject, SignInRefused, type Tokens } from "./issuer.ts";
import { canSignIn, findMemberState, type MemberState } from "./state.ts";

const REFRESH_USE = "refresh token";

/** Somebody whom the issuer confirmed. */
export interface SignedInPerson {
  readonly tokens: Tokens;
  readonly confirmed: ConfirmedSubject;
  readonly identity: Identity;
}

interface ConfirmedPerson extends SignedInPerson {
  readonly id: string;
  readonly directoryTurn: number | undefined;
  readonly admission: Admission;
}

interface KeepingParts {
  readonly store: { readonly people: Pick<Store["people"], "member"> };
  readonly clock: Pick<Clock, "nowMs">;
  readonly vault: Pick<Vault, "seal">;
}

/** Null if the directory has changed the person since it was read. */
export async function keepMember(
  { store, clock, vault }: KeepingParts,
  { changes }: Recording,
  { issuer }: SignInRules,
  { id, tokens, confirmed, identity, admission, directoryTurn }: ConfirmedPerson,
): Promise<Member | null> {
  const nowMs = clock.nowMs();
  const refreshSealed = tokens.refreshToken === null ? null : sealRefresh(vault, tokens.refreshToken);
  const seen = {
    ...describeMember(identity, admission),
    subject: confirmed.subject,
    objectId: findObjectId(confirmed),
    refreshSealed,
    seenAtMs: nowMs,
    checkedAtMs: nowMs,
  };
  const reach = endOverdue(await store.people.member(id), nowMs);
  const found: { state: MemberState | "moved" } = { state: "moved" };
  const keep = (before: Member | null): Member | null => {
    if (before === null) return { ...makeMember(id, issuer, nowMs), ...seen };
    found.state = before.directoryTurn === directoryTurn ? findMemberState(before) : "moved";
    if (found.state === "moved" || !canSignIn(before)) return null;
    return { ...before, ...seen, leasedUntilMs: 0, doubt: undefined, refusedAtMs: undefined };
  };
  const member = await changes.changeMember(id, keep, reach);
  if (member !== null || found.state === "moved") return member;
  throw refuseState(found.state);
}

export function refuseState(state: MemberState): SignInRefused {
  if (state === "deactivated") return refuseDeactivated();
  const message = "Your access to this gateway was ended by an administrator.";
  return new SignInRefused("person", "disabled", message);
}

/** Returns the columns that follow from what the issuer says and the rules make of it. */
export function describeMember(
  { name, email, groups }: Identity,
  { grants, readsContent, limits }: Admission,
) {
  return {
    name,
    email,
    readsContent,
    ruleGrants: grants,
    groups: groups ?? [],
    ruleLimits: limits.length === 0 ? null : JSON.stringify(limits),
  };
}

function makeMember(id: string, issuer: string, createdAtMs: number) {
  return {
    id,
    issuer,
    createdAtMs,
    ownGrants: [],
    ownUntilMs: null,
    isDisabled: false,
    leasedUntilMs: 0,
    anonymisedAtMs: null,
    warnedAtMs: null,
  };
}

export function sealRefresh(vault: Pick<Vault, "seal">, token: string): string {
  return vault.seal(token, REFRESH_USE);
}

/** Throws if the text was sealed under another master key. */
export function openRefresh(vault: Pick<Vault, "open">, sealed: string): string {
  return vault.open(sealed, REFRESH_USE);
}
