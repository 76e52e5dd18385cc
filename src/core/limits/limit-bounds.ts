// Compares limits with those that bound them, such as the most that is allowed, the account's own, or the limits from before.
import { omitUndefined } from "../json/json.ts";
import { type Budget, nameBudget } from "./budget.ts";
import { MINUTE_KINDS, type MinuteKind, type OwnerLimits } from "./limit.ts";
import { MINUTE_LIMITS, mapLimits } from "./limit-table.ts";
import { isModelLimitKept } from "./model-limit.ts";

/** A field that sets a limit, as it is called on the wire. */
export type LimitName = MinuteKind | "budgets" | "model_limits";
export const LIMIT_NAMES: readonly LimitName[] = [...MINUTE_KINDS, "budgets", "model_limits"];

/** Null, which is no limit, is beyond any bound, and nothing is beyond a bound of null. */
export function isBeyond(limit: number | null, bound: number | null): boolean {
  return bound !== null && (limit === null || limit > bound);
}

/** Returns the limits that are beyond a bound. */
export function listBeyond(limits: OwnerLimits, bound: OwnerLimits): readonly LimitName[] {
  const found: LimitName[] = MINUTE_LIMITS.filter(({ property }) =>
    isBeyond(limits[property], bound[property]),
  ).map(({ name }) => name);
  if (bound.budgets.some((budget) => !isCovered(budget, limits.budgets))) found.push("budgets");
  const own = limits.modelLimits ?? [];
  if (bound.modelLimits?.some((limit) => !isModelLimitKept(limit, own))) found.push("model_limits");
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

/** Returns the limits of these names alone. */
export function pickLimits(limits: OwnerLimits, names: readonly LimitName[]): Partial<OwnerLimits> {
  const ofMinute = mapLimits(MINUTE_LIMITS, "property", ({ name, property }) =>
    names.includes(name) ? limits[property] : undefined,
  );
  return omitUndefined({
    ...ofMinute,
    budgets: names.includes("budgets") ? limits.budgets : undefined,
    modelLimits: names.includes("model_limits") ? limits.modelLimits : undefined,
  });
}

/** Returns the bounds of the limits that are set, without those of all others. */
export function boundSet(bound: OwnerLimits, limits: OwnerLimits): OwnerLimits {
  const names = new Set(limits.budgets.map(nameBudget));
  return {
    ...mapLimits(MINUTE_LIMITS, "property", ({ property }) =>
      limits[property] === null ? null : bound[property],
    ),
    budgets: bound.budgets.filter((budget) => names.has(nameBudget(budget))),
  };
}

/** Returns the limits of the first that has them, and else those of the second. An empty list is no limit either. */
export function fallBack(first: OwnerLimits, second: OwnerLimits): OwnerLimits {
  return {
    ...mapLimits(MINUTE_LIMITS, "property", ({ property }) => first[property] ?? second[property]),
    budgets: first.budgets.length > 0 ? first.budgets : second.budgets,
    modelLimits: (first.modelLimits?.length ?? 0) > 0 ? first.modelLimits : second.modelLimits,
  };
}
