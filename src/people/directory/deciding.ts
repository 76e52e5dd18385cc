// Decides by the company's directory which rules match a person, and which rights they give.
import type {
  DirectoryGroup,
  MemberRights,
  ReviewedMember,
  ReviewedUser,
  Standing,
} from "../../core/people/directory.ts";
import type { Member } from "../../core/people/people.ts";
import type { SignInRule, SignInRules } from "../../core/people/sign-in.ts";
import { type Admission, findDomain, type KnownAccounts, matchClaims, sumRules } from "../claims.ts";
import { SignInRefused } from "../issuer.ts";
import { findAddress } from "./user.ts";

/** A directory's groups as they stand in the rules, and those that a person is in. */
interface DirectoryWord {
  readonly groups: readonly DirectoryGroup[];
  readonly groupIds: ReadonlySet<string>;
}

/** The issuer's last claims. */
interface IssuerWord {
  readonly groups: readonly string[];
  /** The time of the claims. 0 if the person has never signed in. */
  readonly atMs: number;
}

/** Returns the names of all groups in the rules. */
export function listRuleGroups({ rules }: Pick<SignInRules, "rules">): readonly string[] {
  return [...new Set(rules.map(({ group }) => group))].filter((group) => group !== "*");
}

type GroupIndex = ReadonlyMap<string, readonly DirectoryGroup[]>;

/** By the list of groups, which one decision on thousands of people shares. */
const indexes = new WeakMap<readonly DirectoryGroup[], GroupIndex>();

/** Returns the groups by their names and their ids in the directory. */
function indexGroups(groups: readonly DirectoryGroup[]): GroupIndex {
  const named = new Map<string, DirectoryGroup[]>();
  for (const group of groups) {
    for (const name of new Set([group.displayName, group.externalId ?? group.displayName])) {
      named.getOrInsertComputed(name, () => []).push(group);
    }
  }
  return named;
}

/**
 * True if the directory decides about the group: once it had a member. A deleted one decides about claims from before, so
 * that nobody has a role again by old words.
 */
function isDeciding({ isFilled, deletedAtMs }: DirectoryGroup, { atMs }: IssuerWord): boolean {
  return isFilled && (deletedAtMs === null || atMs <= deletedAtMs);
}

/**
 * Returns which rules match a person of the directory: a group that it decides about by its members alone, every other by
 * the claims. For a role above `member` both must say yes.
 */
export function matchDirectory(word: DirectoryWord, claims: IssuerWord) {
  const named = indexes.getOrInsertComputed(word.groups, indexGroups);
  return ({ group, role }: Pick<SignInRule, "group" | "role">): boolean => {
    const isHigh = role !== "member";
    if (group === "*") return !isHigh || claims.atMs > 0;
    const deciding = (named.get(group) ?? []).filter((one) => isDeciding(one, claims));
    if (deciding.length === 0) return claims.groups.includes(group);
    const inside = deciding.filter((one) => one.deletedAtMs === null && word.groupIds.has(one.id));
    if (!isHigh || inside.length === 0) return inside.length > 0;
    const names = inside.flatMap(({ displayName, externalId }) => [displayName, externalId ?? group]);
    return [group, ...names].some((name) => claims.groups.includes(name));
  };
}

const NO_RIGHTS: Admission = { grants: [], readsContent: false, limits: [] };

/** Returns what the rules give to a person of the directory now. Either's no ends it. */
function admitUser(
  { member, user, groupIds }: Standing,
  groups: readonly DirectoryGroup[],
  rules: SignInRules,
  accounts: KnownAccounts,
): Admission {
  if (member.refusedAtMs !== undefined || !isDomainAllowed(user, rules)) return NO_RIGHTS;
  const isMatching = matchDirectory({ groups, groupIds }, findIssuerWord(member));
  return sumIfAny(rules.rules.filter(isMatching), accounts);
}

/** Nobody without a rule has rights. */
function sumIfAny(matching: readonly SignInRule[], accounts: KnownAccounts): Admission {
  try {
    return sumRules(matching, accounts);
  } catch (error) {
    if (error instanceof SignInRefused) return NO_RIGHTS;
    throw error;
  }
}

function findIssuerWord({ groups, seenAtMs }: Pick<Member, "groups" | "seenAtMs">): IssuerWord {
  return { groups, atMs: seenAtMs };
}

export function isDomainAllowed(user: ReviewedUser, { domains }: SignInRules): boolean {
  return domains.length === 0 || domains.includes(findDomain(findAddress(user)));
}

/** Returns the columns that follow from what the rules give. */
function describeRights({ grants, readsContent, limits }: Admission): Omit<MemberRights, "id"> {
  return {
    ruleGrants: grants,
    readsContent,
    ruleLimits: limits.length === 0 ? null : JSON.stringify(limits),
  };
}

/** Returns a person's rights by the directory and the claims. */
export function findRights(
  standing: Standing,
  groups: readonly DirectoryGroup[],
  rules: SignInRules,
  accounts: KnownAccounts,
): MemberRights {
  return { id: standing.member.id, ...describeRights(admitUser(standing, groups, rules, accounts)) };
}

/** Returns a person's rights by the claims alone, once no directory counts any more. */
export function findClaimedRights(
  member: ReviewedMember,
  rules: SignInRules,
  accounts: KnownAccounts,
): MemberRights {
  const hasSaidYes = member.seenAtMs > 0 && member.refusedAtMs === undefined;
  const matching = hasSaidYes ? rules.rules.filter(matchClaims(member.groups)) : [];
  return { id: member.id, ...describeRights(sumIfAny(matching, accounts)) };
}

/** True if both are the same. */
export function hasSameRights(one: Omit<MemberRights, "id">, other: Omit<MemberRights, "id">): boolean {
  const show = ({ ruleGrants, ruleLimits, readsContent }: Omit<MemberRights, "id">) =>
    JSON.stringify([ruleGrants, ruleLimits, readsContent]);
  return show(one) === show(other);
}

/** True if a role above `member` is among them: such a person is never linked by an address. */
export function hasHighRole({ grants }: Pick<Admission, "grants">): boolean {
  return grants.some(({ role }) => role !== "member");
}
