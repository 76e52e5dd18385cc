// The use of a budget: opened with the sums of its window, replaced when the next one begins.
import type { Budget } from "../../core/limits/budget.ts";
import { readBudgetModels, SPEND_LIMIT } from "../../core/limits/budget.ts";
import type { BudgetUse } from "../../core/limits/limit.ts";
import type { ModelSum } from "../../core/limits/opening.ts";
import { dropAliases, readAliasName } from "../../core/models/alias-entry.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import type { NamedBudget } from "./limit-owners.ts";
import { computeWindow, findNearestStart, type Window, type WindowRules } from "./window.ts";

/** Models that the patterns of a budget were compared with, by the budget's name. */
const compared = new Map<string, Map<string, boolean>>();
const NAMES_MAX = 200;
const MODELS_MAX = 200;

/** True if a budget of this name counts requests for an alias that it names, or else requests to the model. */
export function covers(name: string, model: string, modelAsked: string): boolean {
  return coversModel(name, model) || countsAlias(name, modelAsked);
}

/** Only budgets that name an alias have a comma in their names. */
function countsAlias(name: string, modelAsked: string): boolean {
  if (!name.includes(",")) return false;
  return readBudgetModels(name)?.some((entry) => readAliasName(entry) === modelAsked) === true;
}

/** True if a budget of this name counts requests to the model, whatever was asked for. */
function coversModel(name: string, model: string): boolean {
  if (name === SPEND_LIMIT || !name.includes(" ")) return true;
  let models = compared.get(name);
  if (models === undefined) {
    if (compared.size >= NAMES_MAX) compared.clear();
    models = new Map();
    compared.set(name, models);
  }
  const before = models.get(model);
  if (before !== undefined) return before;
  if (models.size >= MODELS_MAX) models.clear();
  const isCovered = matchesAny(dropAliases(readBudgetModels(name) ?? []), model);
  models.set(model, isCovered);
  return isCovered;
}

/** Returns the use of a budget that is new in its window: what its owner has used there already, but nothing of aliases. */
export function openUse(
  name: string,
  { startMs, endMs }: Window,
  rules: WindowRules,
  sums: readonly ModelSum[],
): BudgetUse {
  const covered = sums.filter(({ model }) => coversModel(name, model));
  return {
    name,
    rules: rules.text,
    startMs,
    endMs,
    spentNanoUsd: covered.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0),
    heldNanoUsd: 0,
    limitNanoUsd: 0,
    warned: [],
    extraUsedNanoUsd: 0,
    extraUntilMs: null,
  };
}

/**
 * Returns the use of the window that runs now: the stored one until it ends, then an unused one. Null if the stored one
 * begins after the next would: it came from a wrong clock, and the budget is opened again.
 */
export function runUse(
  stored: BudgetUse,
  { budget }: NamedBudget,
  nowMs: number,
  rules: WindowRules,
): BudgetUse | null {
  const { endMs } = stored;
  if (endMs === null) return stored;
  const { text } = rules;
  // After a change of zone the window ends where one of the new zone's would.
  const until = stored.rules === text ? endMs : findNearestStart(budget.per, endMs, rules);
  if (stored.startMs <= nowMs && nowMs < until) {
    return stored.rules === text ? stored : { ...stored, rules: text, endMs: until };
  }
  const window = computeWindow(budget.per, nowMs, rules);
  // The clock was set back, or another node's runs ahead: the later window stays, as an allowance's later day does.
  if (nowMs < stored.startMs) return stored.startMs <= (window.endMs ?? 0) ? stored : null;
  const fresh = openUse(stored.name, window, rules, []);
  return { ...fresh, ...carryExtra(stored, budget) };
}

/** An extra amount is given once, so a new window keeps what the earlier ones have used of it. */
function carryExtra(stored: BudgetUse, { nanoUsd, extra }: Budget) {
  if (extra === null) return {};
  const before = usedBefore(stored, extra.untilMs);
  const used = Math.min(Math.max(0, stored.spentNanoUsd - nanoUsd), Math.max(0, extra.nanoUsd - before));
  return { extraUsedNanoUsd: before + used, extraUntilMs: extra.untilMs };
}

function usedBefore({ extraUsedNanoUsd, extraUntilMs }: BudgetUse, untilMs: number): NanoUsd {
  return extraUntilMs === untilMs ? extraUsedNanoUsd : 0;
}

/** The sums of a use that requests change. */
type BudgetSums = Pick<BudgetUse, "heldNanoUsd" | "spentNanoUsd" | "limitNanoUsd">;

/** Every request changes each of its budgets twice. Copying the other fields by a spread would cost several times as much. */
export function changeSums(
  use: BudgetUse,
  { heldNanoUsd, spentNanoUsd, limitNanoUsd }: BudgetSums,
): BudgetUse {
  return {
    name: use.name,
    rules: use.rules,
    startMs: use.startMs,
    endMs: use.endMs,
    spentNanoUsd,
    heldNanoUsd,
    limitNanoUsd,
    warned: use.warned,
    isExceeded: use.isExceeded,
    extraUsedNanoUsd: use.extraUsedNanoUsd,
    extraUntilMs: use.extraUntilMs,
  };
}

/** Returns the limit of the window: the budget's amount and what is left of a running extra amount. */
export function computeLimit({ nanoUsd, extra }: Budget, use: BudgetUse, nowMs: number): NanoUsd {
  if (extra === null || nowMs >= extra.untilMs) return nanoUsd;
  return nanoUsd + Math.max(0, extra.nanoUsd - usedBefore(use, extra.untilMs));
}
