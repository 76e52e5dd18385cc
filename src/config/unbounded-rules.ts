// Rules of the sign-in by which people use models without a bound of their own.
import { findMemberLimits } from "../core/limits/member-limits.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { LimitRules } from "../core/settings.ts";

const NO_ACCOUNT = { id: "", memberDefaults: null };

/**
 * Returns the positions of the rules whose members have no hard budget, neither by the rule nor by `member_defaults` of
 * each account that it names. Those of the file and the most of a personal key bound everybody.
 */
export function listUnbounded(
  { rules }: Pick<SignInRules, "rules">,
  limitRules: LimitRules,
  boundAccounts: ReadonlySet<string>,
): readonly number[] {
  const { budgets } = findMemberLimits(NO_ACCOUNT, { rules: [], raises: [] }, limitRules, 0);
  if (budgets.some(({ isHard }) => isHard)) return [];
  return rules.flatMap(({ role, accounts, limits }, at) => {
    const isBound =
      role !== "member" ||
      limits?.budgets?.some(({ isHard }) => isHard) === true ||
      accounts?.every((account) => boundAccounts.has(account)) === true;
    return isBound ? [] : [at];
  });
}
