// Limits and budgets of one owner at LiteLLM: joined with those of another that bind too, or divided among several keys.
import { type Budget, nameBudget } from "../../core/limits/budget.ts";
import type { MinuteLimits, OwnerLimits } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import type { ModelLimit } from "../../core/limits/model-limit.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { Spending } from "../plan.ts";

interface BudgetSpending {
  readonly budget: Budget;
  readonly spentNanoUsd: NanoUsd;
}

export interface Limits extends MinuteLimits {
  /** By the budget's name. */
  readonly uses: ReadonlyMap<string, BudgetSpending>;
  /** Those of a key itself, which no other key shares. */
  readonly modelLimits: readonly ModelLimit[];
}

export function isUnlimited(limits: Limits): boolean {
  return limits.uses.size === 0 && MINUTE_LIMITS.every(({ property }) => limits[property] === null);
}

/** Returns limits under which nobody can do more than under either. */
export function joinLimits(one: Limits, other: Limits): Limits {
  const uses = new Map(one.uses);
  for (const [name, use] of other.uses) {
    const before = uses.get(name);
    uses.set(name, before === undefined ? use : joinUses(before, use));
  }
  const modelLimits = [...one.modelLimits, ...other.modelLimits];
  return { ...mapRates((rate) => joinRates(one[rate], other[rate])), uses, modelLimits };
}

export function joinRates(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Both bind, so the smaller amount holds, and of it no more is left than of either. */
export function joinUses(one: BudgetSpending, other: BudgetSpending): BudgetSpending {
  // One that only warns must not become a bound.
  if (one.budget.isHard !== other.budget.isHard) return one.budget.isHard ? one : other;
  const { budget } = one.budget.nanoUsd <= other.budget.nanoUsd ? one : other;
  const left = Math.min(countLeft(one), countLeft(other));
  return { budget, spentNanoUsd: Math.max(0, budget.nanoUsd - left) };
}

function countLeft({ budget, spentNanoUsd }: BudgetSpending): NanoUsd {
  return budget.nanoUsd - spentNanoUsd;
}

/** Returns what each of several keys may have of limits that they shared: together never more. */
export function divideLimits(limits: Limits, among: number): Limits {
  const share = (limit: number | null) => (limit === null ? null : Math.floor(limit / among));
  const uses = [...limits.uses.values()].map(({ budget, spentNanoUsd }) => {
    const part = { ...budget, nanoUsd: Math.floor(budget.nanoUsd / among) };
    return [nameBudget(part), { budget: part, spentNanoUsd: Math.ceil(spentNanoUsd / among) }] as const;
  });
  return { ...mapRates((rate) => share(limits[rate])), uses: new Map(uses), modelLimits: [] };
}

/** True if a share of a limit that allowed something allows nothing. */
export function isTooSmall(limits: Limits, share: Limits): boolean {
  return MINUTE_LIMITS.some(({ property }) => share[property] === 0 && limits[property] !== 0);
}

function mapRates(read: (rate: keyof MinuteLimits) => number | null): MinuteLimits {
  return mapLimits(MINUTE_LIMITS, "property", ({ property }) => read(property));
}

/** Returns those that a key or an account has here. */
export function listLimits(limits: Limits): OwnerLimits {
  const { modelLimits } = limits;
  return {
    ...mapRates((rate) => limits[rate]),
    budgets: listBudgets(limits),
    ...(modelLimits.length > 0 ? { modelLimits } : {}),
  };
}

function listBudgets({ uses }: Limits): readonly Budget[] {
  return [...uses.values()].map(({ budget }) => budget);
}

export function listSpent({ uses }: Limits): Spending {
  return new Map([...uses].map(([name, { spentNanoUsd }]) => [name, spentNanoUsd]));
}
