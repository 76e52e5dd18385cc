// The limits of a key as they apply: its own, or those that it has by default.
import { NO_LIMITS, type OwnerLimits } from "../limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../limits/limit-table.ts";
import type { QuotaRules } from "../settings.ts";
import type { Account, GatewayKey } from "./key.ts";

/** Returns the limits of a key as they apply. */
export function resolveLimits(
  key: KeyLimitFields & Pick<GatewayKey, "modelLimits">,
  defaults: OwnerLimits,
): OwnerLimits {
  return {
    ...resolveOwn(key, defaults),
    modelLimits: orDefault(key.modelLimits, defaults.modelLimits ?? []),
  };
}

type KeyLimitFields = Pick<GatewayKey, Exclude<keyof OwnerLimits, "modelLimits">>;

function resolveOwn(owner: KeyLimitFields, defaults: OwnerLimits): OwnerLimits {
  return {
    ...mapLimits(MINUTE_LIMITS, "property", ({ property }) => orDefault(owner[property], defaults[property])),
    budgets: orDefault(owner.budgets, defaults.budgets),
  };
}

/** Returns the limits of an account, which has no others by default. */
export function readAccountLimits(account: Pick<Account, keyof KeyLimitFields>): OwnerLimits {
  return resolveOwn(account, NO_LIMITS);
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
