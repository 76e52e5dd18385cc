// The limits of a member within an account: over all of the member's personal keys there, those that were revoked too.
import { type Budget, nameBudget } from "./budget.ts";
import type { OwnerLimits } from "./limit.ts";

/** The limits that an account gives each of its members. A rule of the sign-in that says something else comes first. */
export interface MemberDefaults extends OwnerLimits {
  /** Null for all. */
  readonly allowedModels: readonly string[] | null;
  /** The most personal keys of one member in the account. Null for `members.keys` alone. */
  readonly keys: number | null;
}

/** The limits that a rule gives to the members whom it matches. Null where it says nothing. */
export interface RuleLimits {
  readonly allowedModels: readonly string[] | null;
  readonly budgets: readonly Budget[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly parallel: number | null;
}

/** The limits of a rule, for the accounts that it names. */
export interface GivenLimits extends RuleLimits {
  /** Null for all. */
  readonly accountIds: readonly string[] | null;
}

/** A member's own part of what limits them in an account, as the store keeps it. */
export interface MemberTerms {
  /** Those of the rules that matched, for any account. */
  readonly rules: readonly GivenLimits[];
}

/** A member's limits in an account, as they apply now. */
interface MemberLimits extends OwnerLimits {
  /** Null for all. */
  readonly allowedModels: readonly string[] | null;
}

const NO_TERMS: MemberTerms = { rules: [] };

/**
 * Returns the limits of a member in an account: of the rules that say something the widest counts, models by union, of
 * budgets alike the largest. The account's defaults say the rest.
 */
export function findMemberLimits(
  { id, memberDefaults }: { readonly id: string; readonly memberDefaults: MemberDefaults | null },
  { rules }: MemberTerms = NO_TERMS,
): MemberLimits {
  const given = rules.filter(({ accountIds }) => accountIds === null || accountIds.includes(id));
  const widest = (of: "requestsPerMinute" | "tokensPerMinute" | "parallel") => {
    const said = given.map((rule) => rule[of]).filter((limit) => limit !== null);
    return said.length > 0 ? Math.max(...said) : (memberDefaults?.[of] ?? null);
  };
  const models = given.flatMap(({ allowedModels }) => allowedModels ?? []);
  return {
    requestsPerMinute: widest("requestsPerMinute"),
    tokensPerMinute: widest("tokensPerMinute"),
    parallel: widest("parallel"),
    budgets: joinBudgets(
      given.flatMap(({ budgets }) => budgets ?? []),
      memberDefaults?.budgets ?? [],
    ),
    allowedModels: models.length > 0 ? [...new Set(models)] : (memberDefaults?.allowedModels ?? null),
  };
}

function joinBudgets(ofRules: readonly Budget[], byDefault: readonly Budget[]): readonly Budget[] {
  if (ofRules.length === 0) return byDefault;
  const joined = new Map(byDefault.map((budget) => [nameBudget(budget), budget]));
  const largest = new Map<string, Budget>();
  for (const budget of ofRules) {
    const known = largest.get(nameBudget(budget));
    if (known === undefined || isLarger(budget, known)) largest.set(nameBudget(budget), budget);
  }
  for (const [name, budget] of largest) joined.set(name, budget);
  return [...joined.values()];
}

/** One that only warns bounds nothing. */
function isLarger(one: Budget, other: Budget): boolean {
  return one.isHard === other.isHard ? one.nanoUsd > other.nanoUsd : other.isHard;
}
