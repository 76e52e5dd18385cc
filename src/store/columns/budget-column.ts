// Budgets as stored in a column: JSON.

import { asArray, asNumber, asObject, isObject, parseJson } from "../../core/json/json.ts";
import { type Budget, PERIODS } from "../../core/limits/budget.ts";

type BudgetValue = readonly Budget[] | "default";

/** By their text. Engines without a cache of rows read a key for each of its requests. */
const known = new Map<string, BudgetValue>();
const KNOWN_MAX = 1000;

/** "default" stands for the configured budgets. */
export function parseBudgets(json: string): BudgetValue {
  const before = known.get(json);
  if (before !== undefined) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const list = parseJson(json);
  const budgets = list === "default" ? list : Object.freeze(asArray(list).map(readFrozen));
  known.set(json, budgets);
  return budgets;
}

/** All who read the text have the same object, so nobody may change it. */
function readFrozen(stored: unknown): Budget {
  const budget = readBudget(stored);
  for (const part of [budget.models, budget.warn, budget.extra]) Object.freeze(part);
  return Object.freeze(budget);
}

export function readBudget(stored: unknown): Budget {
  const budget = asObject(stored);
  const per = PERIODS.find((one) => one === budget.per);
  const nanoUsd = asNumber(budget.nanoUsd);
  if (per === undefined || nanoUsd === undefined)
    throw new Error("The store's column budgets holds an invalid value.");
  return {
    nanoUsd,
    per,
    models: Array.isArray(budget.models) ? budget.models.filter((one) => typeof one === "string") : null,
    warn: asArray(budget.warn).filter((one) => typeof one === "number"),
    isHard: budget.isHard !== false,
    extra: readExtra(budget.extra),
  };
}

function readExtra(stored: unknown): Budget["extra"] {
  if (!isObject(stored)) return null;
  const { nanoUsd, untilMs } = stored;
  return typeof nanoUsd === "number" && typeof untilMs === "number" ? { nanoUsd, untilMs } : null;
}
