// The cost without the markup, beside the price, for those who may see it.
import { Type } from "@sinclair/typebox";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import { allowNull, usd } from "../schema.ts";

export const providerCostFields = {
  provider_cost_usd: Type.Optional({
    ...usd,
    description:
      "USD, without the markup. For operators, billing and admins. Requests of earlier versions count in it with theirs.",
  }),
};

/** The cost that a provider reported, for those who see its cost. */
export const claimedCostFields = { claimed_cost_usd: Type.Optional(allowNull(usd)) };

/** True if the cost without the markup is seen in this account. Without a scope, everything is. */
export function seesProviderCost(scope: Scope | undefined, accountId: string): boolean {
  if (scope === undefined || scope.costs === null) return true;
  return scope.costs?.includes(accountId) ?? false;
}

/** True if it is seen in all accounts that sums within the scope are over. */
export function seesProviderCosts(scope: Scope | undefined, accountId: string | undefined): boolean {
  if (accountId !== undefined) return seesProviderCost(scope, accountId);
  if (scope === undefined || scope.costs === null) return true;
  if (scope.accountIds === null || scope.personal !== null) return false;
  return scope.accountIds.every((id) => seesProviderCost(scope, id));
}

interface Cost {
  readonly costNanoUsd: NanoUsd;
  readonly markupNanoUsd: NanoUsd;
}

/** Returns the field as it is shown, or none if it isn't seen. */
export function viewProviderCost({ costNanoUsd, markupNanoUsd }: Cost, isSeen: boolean) {
  return isSeen ? { provider_cost_usd: toUsd(costNanoUsd - markupNanoUsd) } : {};
}

/** The same of the cost that the provider reported. */
export function viewClaimedCost(claimedNanoUsd: NanoUsd | null, isSeen: boolean) {
  return isSeen ? { claimed_cost_usd: claimedNanoUsd === null ? null : toUsd(claimedNanoUsd) } : {};
}
