// Budgets: what the requests of a key or an account may cost in a window of time, as an operator sets them.
import { showModels } from "../models/alias-entry.ts";
import type { NanoUsd } from "../money/money.ts";

/** A `total` never starts over. */
export const PERIODS = ["day", "week", "month", "total"] as const;
export type Period = (typeof PERIODS)[number];

/** An addition to a budget, once in all, used after the window's own amount. */
interface Extra {
  readonly nanoUsd: NanoUsd;
  /** Unix milliseconds. The rest expires then. */
  readonly untilMs: number;
}

/** A bound on the price (cost × markup) of every request, free or paid. */
export interface Budget {
  /** 0 lets nothing pass but requests that cost nothing. */
  readonly nanoUsd: NanoUsd;
  readonly per: Period;
  /** Sorted patterns of the models, and entries of the aliases, that share it. Null for all models. */
  readonly models: readonly string[] | null;
  /** Shares of its limit, ascending: an event is written once in a window when a share is used up. */
  readonly warn: readonly number[];
  /** False if it only warns. */
  readonly isHard: boolean;
  readonly extra: Extra | null;
  /** True if it counts from its first request on, and not what its owner spent in that window before. */
  readonly beginsEmpty?: true;
}

interface BudgetParts extends Pick<Budget, "nanoUsd" | "per"> {
  readonly models?: readonly string[] | null | undefined;
  readonly warn?: readonly number[] | undefined;
  readonly isHard?: boolean | undefined;
  readonly extra?: Extra | null;
}

/**
 * Sorts the patterns and the shares to warn at, and drops repeated ones. Patterns are part of the budget's name, so the same
 * ones in another order must make the same budget; warnings are read in ascending order.
 */
export function makeBudget({ models, warn = [], isHard = true, extra = null, ...rest }: BudgetParts): Budget {
  return {
    ...rest,
    models: models ? [...new Set(models)].sort() : null,
    warn: [...new Set(warn)].sort((one, other) => one - other),
    isHard,
    extra,
  };
}

/** The name that a key's `spend_limit_usd` has among its budgets: it binds beside another `total`. */
export const SPEND_LIMIT = "spend_limit";

/**
 * Returns a budget's name within its owner: changing anything else keeps what was used of it. Patterns contain no
 * spaces.
 */
export function nameBudget({ per, models }: Pick<Budget, "per" | "models">): string {
  return models === null ? per : [per, ...models].join(" ");
}

/** Returns the patterns and aliases that a budget of this name covers, as people write them. Null for all models. */
export function showBudgetModels(name: string): readonly string[] | null {
  const models = readBudgetModels(name);
  return models && showModels(models);
}

/** Returns the entries of the models that a budget of this name covers. Null for all models. */
export function readBudgetModels(name: string): readonly string[] | null {
  const [, ...models] = name.split(" ");
  return models.length === 0 ? null : models;
}
