// The limits of a key as they apply: its own, or those that it has by default.
import type { Account, GatewayKey } from "../keys/key.ts";
import type { QuotaRules } from "../settings.ts";
import type { OwnerLimits } from "./limit.ts";

/** Returns the limits of a key as they apply. */
export function resolveLimits(
  key: Pick<GatewayKey, "requestsPerMinute" | "tokensPerMinute" | "parallel" | "budgets">,
  defaults: OwnerLimits,
): OwnerLimits {
  return {
    requestsPerMinute: orDefault(key.requestsPerMinute, defaults.requestsPerMinute),
    tokensPerMinute: orDefault(key.tokensPerMinute, defaults.tokensPerMinute),
    parallel: orDefault(key.parallel, defaults.parallel),
    budgets: orDefault(key.budgets, defaults.budgets),
  };
}

/** Returns a key's daily allowance as it applies: its own, its account's, or the configuration's. Null for no limit. */
export function resolveAllowance(
  key: Pick<GatewayKey, "requestsPerDay">,
  account: Pick<Account, "requestsPerDay">,
  quota: Pick<QuotaRules, "requestsPerDay">,
): number | null {
  return orDefault(key.requestsPerDay, orDefault(account.requestsPerDay, quota.requestsPerDay));
}

function orDefault<Limit>(own: Limit | "default", byDefault: Limit): Limit {
  return own === "default" ? byDefault : own;
}
