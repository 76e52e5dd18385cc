// Compares what a key may with a bound: the most that is allowed, the account's own limits, or the key as it was.

import type { Account, GatewayKey } from "../core/keys/key.ts";
import { type Budget, nameBudget } from "../core/limits/budget.ts";
import { resolveAllowance, resolveLimits } from "../core/limits/key-limits.ts";
import type { KeyMaxima, OwnerLimits } from "../core/limits/limit.ts";
import { isSelector } from "../core/models/selector.ts";
import type { LimitRules, QuotaRules } from "../core/settings.ts";
import { matchesAny } from "../core/text/pattern.ts";
import { containsBlock } from "../core/world/address.ts";

/** Fields of a key that limit it, as they are called on the wire. */
type LimitName = "requests_per_minute" | "tokens_per_minute" | "parallel" | "budgets";
export type BoundName =
  | LimitName
  | "requests_per_day"
  | "spend_limit_usd"
  | "expires_at"
  | "allowed_models"
  | "allowed_addresses";

/**
 * Returns the most that roles below admin may give a key. Where `key_maxima` says nothing, a personal key may have no more
 * than what it has by default: otherwise its member could leave the defaults behind.
 */
export function findMaxima(
  { keyDefaults, keysExpireInMs, keyMaxima }: LimitRules,
  { memberId }: Pick<GatewayKey, "memberId">,
): KeyMaxima {
  if (memberId === null) return keyMaxima;
  return {
    requestsPerMinute: keyMaxima.requestsPerMinute ?? keyDefaults.requestsPerMinute,
    tokensPerMinute: keyMaxima.tokensPerMinute ?? keyDefaults.tokensPerMinute,
    parallel: keyMaxima.parallel ?? keyDefaults.parallel,
    budgets: keyMaxima.budgets.length > 0 ? keyMaxima.budgets : keyDefaults.budgets,
    expireInMs: keyMaxima.expireInMs ?? keysExpireInMs,
  };
}

interface Defaults {
  readonly keyDefaults: OwnerLimits;
  readonly quota: Pick<QuotaRules, "requestsPerDay">;
}

/** Null, which is no limit, is beyond any bound, and nothing is beyond a bound of null. */
export function isBeyond(limit: number | null, bound: number | null): boolean {
  return bound !== null && (limit === null || limit > bound);
}

/** Returns the limits that are beyond a bound. */
export function listBeyond(limits: OwnerLimits, bound: OwnerLimits): readonly LimitName[] {
  const found: LimitName[] = [];
  if (isBeyond(limits.requestsPerMinute, bound.requestsPerMinute)) found.push("requests_per_minute");
  if (isBeyond(limits.tokensPerMinute, bound.tokensPerMinute)) found.push("tokens_per_minute");
  if (isBeyond(limits.parallel, bound.parallel)) found.push("parallel");
  if (bound.budgets.some((budget) => !isCovered(budget, limits.budgets))) found.push("budgets");
  return found;
}

/** True if one of the budgets binds at least as tightly. A budget that only warns bounds nothing. */
function isCovered(bound: Budget, budgets: readonly Budget[]): boolean {
  if (!bound.isHard) return true;
  const own = budgets.find((budget) => nameBudget(budget) === nameBudget(bound));
  return own?.isHard === true && own.nanoUsd + readExtra(own) <= bound.nanoUsd + readExtra(bound);
}

function readExtra({ extra }: Budget): number {
  return extra?.nanoUsd ?? 0;
}

/** Returns the fields by which a changed key may more than before. */
export function listWidened(
  before: GatewayKey,
  after: GatewayKey,
  account: Account,
  { keyDefaults, quota }: Defaults,
): readonly BoundName[] {
  const found: BoundName[] = [
    ...listBeyond(resolveLimits(after, keyDefaults), resolveLimits(before, keyDefaults)),
  ];
  const [allowed, allowedBefore] = [after, before].map((key) => resolveAllowance(key, account, quota));
  const isMore = isBeyond(allowed ?? null, allowedBefore ?? null);
  if (isMore || (before.requestsPerDay === "default" && hasPlacesBeside(after, account, quota)))
    found.push("requests_per_day");
  if (isBeyond(after.spendLimitNanoUsd, before.spendLimitNanoUsd)) found.push("spend_limit_usd");
  if (isBeyond(after.expiresAtMs, before.expiresAtMs)) found.push("expires_at");
  if (!hasNoMoreModels(after.allowedModels, before.allowedModels)) found.push("allowed_models");
  if (!hasNoMoreAddresses(after.allowedAddresses, before.allowedAddresses)) found.push("allowed_addresses");
  return found;
}

/** True if a person's key has free requests of its own, on top of those that it would share with the account. */
export function hasPlacesBeside(
  { memberId, requestsPerDay }: Pick<GatewayKey, "memberId" | "requestsPerDay">,
  account: Pick<Account, "requestsPerDay">,
  quota: Defaults["quota"],
): boolean {
  if (memberId === null || requestsPerDay === "default" || requestsPerDay === 0) return false;
  return resolveAllowance({ requestsPerDay: "default" }, account, quota) !== null;
}

/** A star in a pattern is matched by a star alone, so a matched pattern names no more models than the one it matches. */
function hasNoMoreModels(models: readonly string[] | null, before: readonly string[] | null): boolean {
  if (before === null) return true;
  if (models === null || !models.every((model) => matchesAny(before, model))) return false;
  // A list of selectors alone lets them choose among all models.
  return !models.every(isSelector) || before.every(isSelector);
}

function hasNoMoreAddresses(blocks: readonly string[] | null, before: readonly string[] | null): boolean {
  return before === null || blocks?.every((block) => containsBlock(before, block)) === true;
}
