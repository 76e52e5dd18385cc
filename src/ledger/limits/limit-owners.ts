// The owners whose limits a request meets: its key, the person whose key it is, and its account.

import type { Account, GatewayKey } from "../../core/keys/key.ts";
import { resolveLimits } from "../../core/keys/key-limits.ts";
import { type Budget, nameBudget, SPEND_LIMIT } from "../../core/limits/budget.ts";
import type { LimitScope, MinuteLimits, OwnerLimits } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, type MinuteLimit, mapLimits } from "../../core/limits/limit-table.ts";
import { findMemberLimits, type MemberTerms } from "../../core/limits/member-limits.ts";
import type { ModelLimit } from "../../core/limits/model-limit.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { LimitRules } from "../../core/settings.ts";

export interface NamedBudget {
  readonly name: string;
  readonly budget: Budget;
}

export interface LimitOwner extends MinuteLimits {
  readonly scope: LimitScope;
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The key whose requests its budgets count. Null for all keys of the member, or of the account. */
  readonly keyId: string | null;
  /** Missing but for members: the requests of all of their keys in the account are counted, also of revoked ones. */
  readonly memberId?: string;
  readonly budgets: readonly NamedBudget[];
  /** Missing without any. */
  readonly modelLimits?: readonly ModelLimit[];
}

const NONE: readonly LimitOwner[] = [];

/** The sender of a request: its key, and the person whose personal key it is. */
interface LimitedBy {
  /** Null for the account's limits alone, or with a member for that one's. */
  readonly key: GatewayKey | null;
  /** Null for service keys. */
  readonly member: LimitedMember | null;
  readonly account: Account;
  /** Unix milliseconds: some limits are raised until a time. */
  readonly nowMs: number;
}

export interface LimitedMember {
  readonly id: string;
  /** Null if nothing is kept of the person. */
  readonly terms: MemberTerms | null;
}

const NO_TERMS: MemberTerms = { rules: [], raises: [] };

/** Returns the owners with any limit, in the order in which they are asked. Usually none. */
export function listLimitOwners(
  { key, member, account, nowMs }: LimitedBy,
  rules: LimitRules,
): readonly LimitOwner[] {
  const ofKey = key && findKeyOwner(key, rules.keyDefaults);
  const ofMember = member && makeMemberOwner(member, account, rules, nowMs);
  const ofAccount = makeAccountOwner(account);
  if (ofKey === null && ofMember === null && ofAccount === null) return NONE;
  return [ofKey, ofMember, ofAccount].filter((owner) => owner !== null);
}

/** Named by the id: what a refusal says is kept longer than the person's name may be. */
function makeMemberOwner(
  { id, terms }: LimitedMember,
  account: Account,
  rules: LimitRules,
  nowMs: number,
): LimitOwner | null {
  const { budgets, ...minute } = findMemberLimits(account, terms ?? NO_TERMS, rules, nowMs);
  if (!hasMinuteLimit(minute) && budgets.length === 0) return null;
  const of = { accountId: account.id, name: id, keyId: null, memberId: id };
  return { scope: "member", id, ...of, ...minute, budgets: nameAll(budgets) };
}

/** By the key and the defaults: both are replaced, never changed, and every decision asks for it. */
const ofKeys = new WeakMap<GatewayKey, WeakMap<OwnerLimits, { readonly owner: LimitOwner | null }>>();

function findKeyOwner(key: GatewayKey, defaults: OwnerLimits): LimitOwner | null {
  const known = ofKeys.get(key)?.get(defaults);
  return known === undefined ? keepKeyOwner(key, defaults) : known.owner;
}

function keepKeyOwner(key: GatewayKey, defaults: OwnerLimits): LimitOwner | null {
  const byDefaults = ofKeys.getOrInsertComputed(key, () => new WeakMap());
  return byDefaults.getOrInsertComputed(defaults, () => ({ owner: makeKeyOwner(key, defaults) })).owner;
}

function makeKeyOwner(key: GatewayKey, defaults: OwnerLimits): LimitOwner | null {
  const { budgets, modelLimits = [], ...minute } = resolveLimits(key, defaults);
  const { id, name, accountId, spendLimitNanoUsd } = key;
  const ofModels = modelLimits.length > 0 ? { modelLimits } : {};
  if (!hasMinute({ ...minute, ...ofModels }) && budgets.length === 0 && spendLimitNanoUsd === null)
    return null;
  const named = nameAll(budgets);
  const all = spendLimitNanoUsd === null ? named : [...named, makeSpendLimit(spendLimitNanoUsd)];
  return { scope: "key", id, accountId, name, keyId: id, ...minute, ...ofModels, budgets: all };
}

function makeAccountOwner(account: Account): LimitOwner | null {
  const { id, name, budgets } = account;
  const list = budgets === "default" ? [] : budgets;
  if (!hasMinuteLimit(account) && list.length === 0) return null;
  const minute = mapLimits(MINUTE_LIMITS, "property", ({ property }) => account[property]);
  return { scope: "account", id, accountId: id, name, keyId: null, ...minute, budgets: nameAll(list) };
}

/** Lists are replaced, never changed, and every decision asks for their names. */
const named = new WeakMap<readonly Budget[], readonly NamedBudget[]>();

function nameAll(budgets: readonly Budget[]): readonly NamedBudget[] {
  return named.getOrInsertComputed(budgets, () =>
    budgets.map((budget) => ({ name: nameBudget(budget), budget })),
  );
}

function makeSpendLimit(nanoUsd: NanoUsd): NamedBudget {
  const budget = { nanoUsd, per: "total", models: null, warn: [], isHard: true, extra: null } as const;
  return { name: SPEND_LIMIT, budget };
}

/** Takes the limits as `this`, because every decision asks for it, and another function would be an object more. */
function isSet(this: MinuteLimits, { property }: MinuteLimit): boolean {
  return this[property] !== null;
}

/** True if the owner has a limit that counts the last minute, for some models too. */
export function hasMinute(owner: MinuteLimits & Pick<LimitOwner, "modelLimits">): boolean {
  return owner.modelLimits !== undefined || hasMinuteLimit(owner);
}

function hasMinuteLimit(limits: MinuteLimits): boolean {
  return MINUTE_LIMITS.some(isSet, limits);
}
