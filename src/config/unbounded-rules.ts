// Rules of the sign-in by which people use models without a bound of their own.
import type { SignInRules } from "../core/people/sign-in.ts";

/**
 * Returns the positions of the rules whose members have no hard budget, neither by the rule nor by `member_defaults` of
 * each account that it names. The budget of a key bounds nobody, since a new key begins it again.
 */
export function listUnbounded(
  { rules }: Pick<SignInRules, "rules">,
  boundAccounts: ReadonlySet<string>,
): readonly number[] {
  return rules.flatMap(({ role, accounts, limits }, at) => {
    const isBound =
      role !== "member" ||
      limits?.budgets?.some(({ isHard }) => isHard) === true ||
      accounts?.every((account) => boundAccounts.has(account)) === true;
    return isBound ? [] : [at];
  });
}
