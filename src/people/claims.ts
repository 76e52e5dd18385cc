// Reads an issuer's claims about a person, and applies the operator's rules to them. Pure.

import type { GivenLimits } from "../core/limits/member-limits.ts";
import type { Grant } from "../core/people/people.ts";
import type { SignInRule, SignInRules } from "../core/people/sign-in.ts";
import { removeInvisible } from "../core/text/names.ts";
import { type Claims, type ConfirmedSubject, SignInRefused } from "./issuer.ts";
import { isPermitted, joinGrants } from "./roles.ts";

const TEXT_CHARACTERS_MAX = 200;
const GOOGLE = "accounts.google.com";

export interface Identity {
  readonly name: string;
  /** Null if there is none, or none that counts. */
  readonly email: string | null;
  /** Null if the issuer didn't say, because it gave no ID token this time. */
  readonly groups: readonly string[] | null;
}

/** The sum of the rules that match. */
export interface Admission {
  readonly grants: readonly Grant[];
  readonly readsContent: boolean;
  readonly limits: readonly GivenLimits[];
}

/** Throws a `SignInRefused` if the issuer left out the list of groups because it was too long. */
export function readIdentity(
  { claims, subject, hasIdToken }: ConfirmedSubject,
  rules: SignInRules,
): Identity {
  const groups = readGroups(claims, rules);
  const isUnknown = groups === null && !hasIdToken;
  const email = readEmail(claims, rules);
  return {
    name: readText(claims.name) ?? readText(claims.preferred_username) ?? email ?? subject.slice(0, 40),
    email,
    groups: isUnknown ? null : (groups ?? []),
  };
}

function readText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const line = removeInvisible(value)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return line === "" ? null : line.slice(0, TEXT_CHARACTERS_MAX);
}

/**
 * An address that the issuer calls unverified never counts. One about which it says nothing counts only if the operator
 * trusts the issuer's addresses, as with Microsoft Entra, which never says it.
 */
function readEmail({ email, email_verified: verified }: Claims, { trustsEmail }: SignInRules): string | null {
  if (typeof email !== "string") return null;
  const address = email.trim();
  // A longer one isn't cut: its beginning would be an address of another domain.
  const isAddress = address.length <= TEXT_CHARACTERS_MAX && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(address);
  if (!isAddress) return null;
  return verified === true || (verified === undefined && trustsEmail) ? address : null;
}

/** Null if there is no such claim. Some issuers send a single group as a text. */
function readGroups(claims: Claims, { groupsClaim, rules }: SignInRules): readonly string[] | null {
  const value = Object.hasOwn(claims, groupsClaim) ? claims[groupsClaim] : undefined;
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  const isAsked = rules.some(({ group }) => group !== "*");
  if (isAsked && isCutOff(claims, groupsClaim)) {
    throw new SignInRefused(
      "person",
      "groups_cut_off",
      "You are in so many groups that your company's identity provider left the list out of the sign-in, so your role is unknown. " +
        "An administrator can assign app roles, or limit the groups that are sent to this application.",
    );
  }
  return null;
}

/** Microsoft Entra leaves out more than 200 groups and names a place to fetch them from. */
function isCutOff({ _claim_names: elsewhere, hasgroups }: Claims, groupsClaim: string): boolean {
  const isElsewhere = typeof elsewhere === "object" && elsewhere !== null && groupsClaim in elsewhere;
  return isElsewhere || hasgroups === true || hasgroups === "true";
}

export interface KnownAccounts {
  /** The accounts' ids by the names or ids of the rules. A name that several accounts have means none of them. */
  readonly ids: ReadonlyMap<string, string>;
  /** The id of the account that the person gets if no rule gives one. Null if people get none. */
  readonly personalAccountId: string | null;
}

/** True if a rule's group counts for a person. */
type IsRuleMatching = (rule: Pick<SignInRule, "group" | "role">) => boolean;

export function matchClaims(groups: readonly string[] | null): IsRuleMatching {
  return ({ group }) => group === "*" || (groups ?? []).includes(group);
}

/** Returns the sum of the rules that match, by the claims alone unless a directory decides. Throws a `SignInRefused` if none does. */
export function admitByRules(
  confirmed: ConfirmedSubject,
  identity: Identity,
  rules: SignInRules,
  accounts: KnownAccounts,
  isMatching = matchClaims(identity.groups),
): Admission {
  requireDomain(confirmed.claims, identity, rules);
  const matching = rules.rules.filter(isMatching);
  if (matching.length === 0) throw refuseAll(identity.groups);
  return sumRules(matching, accounts);
}

/** Returns the sum of these rules. Throws a `SignInRefused` if there are none, or none with an account. */
export function sumRules(
  matching: readonly SignInRule[],
  { ids: accountIds, personalAccountId }: KnownAccounts,
): Admission {
  if (matching.length === 0) throw refuseAll(null);
  const found = matching.map((rule) => ({ rule, ids: findAccounts(rule, accountIds) }));
  const given = personalAccountId === null ? found : givePersonalAccount(found, personalAccountId);
  const grants = mergeGrants(
    given.flatMap(({ rule, ids }) => (ids ?? [null]).map((accountId) => makeGrant(rule, accountId))),
  );
  if (grants.length === 0) {
    const message =
      "Your groups have a role here only in accounts that don't exist, or whose name several have. Tell an administrator.";
    throw new SignInRefused("person", "no_account", message);
  }
  return {
    grants,
    readsContent: grants.some(({ readsContent }) => readsContent),
    limits: given.flatMap(({ rule: { limits }, ids }) =>
      limits === null ? [] : [{ ...limits, accountIds: ids }],
    ),
  };
}

/** Some providers, such as Okta, cut the list off there and don't say so. */
const GROUPS_CUT_AT = 100;

function refuseAll(groups: readonly string[] | null): SignInRefused {
  const signedIn = "You are signed in at your company's identity provider, but none of";
  const message =
    groups?.length === GROUPS_CUT_AT
      ? `${signedIn} the ${GROUPS_CUT_AT} groups that it sent has a role here. It may have cut the list off there: an administrator can limit the groups that are sent to this application.`
      : `${signedIn} your groups has a role here. An administrator can give it one.`;
  return new SignInRefused("person", "no_rule", message);
}

/**
 * Returns the highest roles, and beside them the grants that a higher one doesn't include: those that show prompts and
 * answers, and a member's own keys.
 */
function mergeGrants(grants: readonly Grant[]): readonly Grant[] {
  const members = grants.filter(({ role }) => role === "member");
  const showing = grants.filter(({ readsContent }) => readsContent);
  const kept = [...joinGrants(grants), ...members, ...showing];
  return [...new Map(kept.map((grant) => [`${grant.role} ${grant.accountId}`, grant])).values()];
}

function makeGrant({ role, readsContent }: SignInRule, accountId: string | null): Grant {
  return { role, accountId, ...(readsContent ? { readsContent } : {}) };
}

interface RuleMatch {
  readonly rule: SignInRule;
  /** Null for all accounts. */
  readonly ids: readonly string[] | null;
}

/** Where people get accounts of their own, a rule that makes members without naming accounts gives that one alone. */
function givePersonalAccount(given: readonly RuleMatch[], personalAccountId: string): readonly RuleMatch[] {
  const isOpen = ({ rule, ids }: RuleMatch) => rule.role === "member" && ids === null;
  const others = given.filter((one) => !isOpen(one));
  const hasAccount = others.some(
    ({ rule, ids }) =>
      ids?.length !== 0 && isPermitted([{ role: rule.role, accountId: null }], "own.keys.write"),
  );
  return given.map((one) => (isOpen(one) ? { ...one, ids: hasAccount ? [] : [personalAccountId] } : one));
}

function findAccounts(
  { accounts }: SignInRule,
  accountIds: ReadonlyMap<string, string>,
): readonly string[] | null {
  return accounts === null ? null : accounts.flatMap((name) => accountIds.get(name) ?? []);
}

/** Other letters stay as they are: the small form of the sign for kelvin is an ordinary k. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the domain of an address, in lower case. */
export function findDomain(address: string): string {
  return lowerAscii(address.slice(address.lastIndexOf("@") + 1));
}

function requireDomain({ hd }: Claims, { email }: Identity, { domains, issuer }: SignInRules): void {
  if (domains.length === 0) return;
  const domain = email === null ? undefined : findDomain(email);
  // A Google account may have a verified address of any domain, and keep it after the address changed hands.
  const isGoogle = URL.parse(issuer)?.hostname === GOOGLE;
  const isOwn = !isGoogle || (typeof hd === "string" && domains.includes(lowerAscii(hd)));
  if (domain !== undefined && domains.includes(domain) && isOwn) return;
  const message =
    domain === undefined
      ? "Your company's identity provider sent no e-mail address that it has verified, and only people of certain domains are let in."
      : "People with an e-mail address of your domain are not let in.";
  throw new SignInRefused("person", domain === undefined ? "no_email" : "domain", message);
}
