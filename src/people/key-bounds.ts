// Compares what a key may with a bound: the most that is allowed, or the key as it was.

import { type Account, type GatewayKey, isForSelectors } from "../core/keys/key.ts";
import { resolveAllowance, resolveLimits } from "../core/keys/key-limits.ts";
import type { KeyMaxima, OwnerLimits } from "../core/limits/limit.ts";
import { isBeyond, LIMIT_NAMES, type LimitName, listBeyond } from "../core/limits/limit-bounds.ts";
import { type AllowedTools, findPersonalMost } from "../core/limits/member-limits.ts";
import type { LimitRules, QuotaRules } from "../core/settings.ts";
import { matchesAny } from "../core/text/pattern.ts";
import { isNarrower } from "../core/tools/narrower.ts";
import { resolveKeyTools, type ToolRights } from "../core/tools/rights.ts";
import { containsBlock } from "../core/world/address.ts";

/** Returns the tools that roles below admin may give a key at most, by the same rules as its limits. Null for no bound. */
export function findMostTools(
  { toolRights }: LimitRules,
  { memberId }: Pick<GatewayKey, "memberId">,
): AllowedTools {
  return memberId === null ? toolRights.keyMaximum : (toolRights.keyMaximum ?? toolRights.keyDefault);
}

/** Returns the most that roles below admin may give a key. */
export function findMaxima(rules: LimitRules, { memberId }: Pick<GatewayKey, "memberId">): KeyMaxima {
  const { keyMaxima, keysExpireInMs } = rules;
  if (memberId === null) return keyMaxima;
  return { ...findPersonalMost(rules), expireInMs: keyMaxima.expireInMs ?? keysExpireInMs };
}

interface Defaults {
  readonly keyDefaults: OwnerLimits;
  readonly toolRights: ToolRights;
  readonly quota: Pick<QuotaRules, "requestsPerDay">;
}

interface ChangedKey extends Pick<Defaults, "quota" | "toolRights"> {
  readonly before: GatewayKey;
  readonly after: GatewayKey;
  readonly account: Account;
}

interface KeyBound {
  /** As the field is called on the wire. */
  readonly name: string;
  /** True if it binds the key's holder, who may only lower it. */
  readonly bindsHolder: boolean;
  /** True if the changed key may more than before. */
  readonly isWidened: (change: ChangedKey) => boolean;
}

/** The bounds of a key beside the limits of its minute and its budgets. */
const KEY_BOUNDS = [
  { name: "requests_per_day", bindsHolder: true, isWidened: hasMorePlaces },
  {
    name: "spend_limit_usd",
    bindsHolder: true,
    isWidened: ({ after, before }) => isBeyond(after.spendLimitNanoUsd, before.spendLimitNanoUsd),
  },
  {
    name: "expires_at",
    bindsHolder: false,
    isWidened: ({ after, before }) => isBeyond(after.expiresAtMs, before.expiresAtMs),
  },
  {
    name: "allowed_models",
    bindsHolder: false,
    isWidened: ({ after, before }) => !hasNoMoreModels(after.allowedModels, before.allowedModels),
  },
  {
    name: "allowed_tools",
    bindsHolder: false,
    isWidened: ({ after, before, toolRights }) =>
      !isNarrower(resolveKeyTools(after, toolRights), resolveKeyTools(before, toolRights)),
  },
  {
    name: "allowed_addresses",
    bindsHolder: false,
    isWidened: ({ after, before }) => !hasNoMoreAddresses(after.allowedAddresses, before.allowedAddresses),
  },
] as const satisfies readonly KeyBound[];

/** A field of a key that bounds it. */
export type BoundName = LimitName | (typeof KEY_BOUNDS)[number]["name"];

/** The fields that bind the key's holder. */
export const OWN_LIMITS: ReadonlySet<BoundName> = new Set([
  ...LIMIT_NAMES,
  ...KEY_BOUNDS.flatMap(({ name, bindsHolder }) => (bindsHolder ? [name] : [])),
]);

/** Returns the fields by which a changed key may more than before. */
export function listWidened(
  before: GatewayKey,
  after: GatewayKey,
  account: Account,
  { keyDefaults, toolRights, quota }: Defaults,
): readonly BoundName[] {
  const change = { before, after, account, toolRights, quota };
  return [
    ...listBeyond(resolveLimits(after, keyDefaults), resolveLimits(before, keyDefaults)),
    ...KEY_BOUNDS.flatMap(({ name, isWidened }) => (isWidened(change) ? [name] : [])),
  ];
}

function hasMorePlaces({ before, after, account, quota }: ChangedKey): boolean {
  const allowed = resolveAllowance(after, account, quota);
  if (isBeyond(allowed, resolveAllowance(before, account, quota))) return true;
  return before.requestsPerDay === "default" && hasPlacesBeside(after, account, quota);
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
  return !isForSelectors(models) || isForSelectors(before);
}

function hasNoMoreAddresses(blocks: readonly string[] | null, before: readonly string[] | null): boolean {
  return before === null || blocks?.every((block) => containsBlock(before, block)) === true;
}
