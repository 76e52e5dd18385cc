// Budgets, limits and spending of LiteLLM's keys and teams.
import { type Budget, makeBudget, nameBudget, type Period } from "../../core/budget.ts";
import { asNumber, asObject, asString } from "../../core/json.ts";
import { LIMIT_MAX } from "../../core/limit.ts";
import type { NanoUsd } from "../../core/money.ts";
import { type ForeignRow, readNumber, readObject, readText, roundUsd } from "../columns.ts";
import type { Spent } from "../plan.ts";
import type { ModelNames } from "./config.ts";

/** LiteLLM's durations, with the window here. */
const PERIODS: readonly (readonly [look: RegExp, per: Period])[] = [
  [/^(1d|24h|daily|day)$/, "day"],
  [/^(7d|1w|weekly|week)$/, "week"],
  [/^(30d|31d|28d|1mo|4w|monthly|month)$/, "month"],
];

/** Returns `total` without a duration, and null for one that has no window here. */
function readPeriod(duration: string | null): Period | null {
  if (duration === null) return "total";
  return PERIODS.find(([look]) => look.test(duration.trim().toLowerCase()))?.[1] ?? null;
}

interface ReadLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly parallel: number | null;
  readonly budgets: readonly Budget[];
  readonly spent: Spent;
  /** The parts that have no place here, with the reasons. */
  readonly left: readonly (readonly [part: string, words: string])[];
}

interface Sketch {
  readonly budgets: Map<string, Budget>;
  readonly spent: Map<string, NanoUsd>;
  readonly left: [string, string][];
}

/** Columns of a row that another may complete, as a key's budget does. */
const SHARED = [
  ...["max_budget", "soft_budget", "budget_duration", "model_max_budget"],
  ...["tpm_limit", "rpm_limit", "tpd_limit", "max_parallel_requests"],
];

/** Returns the row with what only its budget says. */
export function addBudget(row: ForeignRow, budget: ForeignRow | undefined): ForeignRow {
  if (budget === undefined) return row;
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || value === "" || value === "{}" || JSON.stringify(value) === "{}";
  const added = SHARED.filter((column) => isEmpty(row[column])).map((column) => [column, budget[column]]);
  return { ...row, ...Object.fromEntries(added) };
}

export function readLimits(row: ForeignRow, names: ModelNames): ReadLimits {
  const sketch: Sketch = { budgets: new Map(), spent: new Map(), left: [] };
  readWhole(row, sketch);
  for (const [model, budget] of Object.entries(readObject(row, "model_max_budget"))) {
    readPerModel(row, { model, budget }, names, sketch);
  }
  const perDay = readNumber(row, "tpd_limit");
  if (perDay !== null) sketch.left.push(["tpd_limit", "tokens aren't limited by the day: use a budget"]);
  for (const field of ["model_rpm_limit", "model_tpm_limit"]) {
    const isGiven = Object.keys(asObject(readObject(row, "metadata")[field])).length > 0;
    if (isGiven) sketch.left.push([field, "limits of a minute are for all models together"]);
  }
  return {
    requestsPerMinute: readLimit(row, "rpm_limit"),
    tokensPerMinute: readLimit(row, "tpm_limit"),
    parallel: readLimit(row, "max_parallel_requests"),
    ...{ budgets: [...sketch.budgets.values()], spent: sketch.spent, left: sketch.left },
  };
}

function readLimit(row: ForeignRow, column: string): number | null {
  const limit = readNumber(row, column);
  return limit === null ? null : Math.max(0, Math.min(Math.floor(limit), LIMIT_MAX));
}

/** The budget of all models. Of a soft one that stands alone, only the warning is left. */
function readWhole(row: ForeignRow, sketch: Sketch): void {
  const [usd, soft] = [readNumber(row, "max_budget"), readNumber(row, "soft_budget")];
  if (usd === null && soft === null) return;
  const duration = readText(row, "budget_duration");
  const per = readPeriod(duration);
  if (per === null) {
    sketch.left.push(["max_budget", `no window here is as long as '${duration}': set a budget by hand`]);
    return;
  }
  const warn = soft === null ? [] : [usd === null || usd <= 0 ? 1 : Math.min(1, soft / usd)];
  const nanoUsd = roundUsd(usd ?? soft ?? 0);
  const shares = warn.filter((share) => share > 0);
  addOne(sketch, makeBudget({ nanoUsd, per, warn: shares, isHard: usd !== null }), readNumber(row, "spend"));
}

interface PerModel {
  readonly model: string;
  /** USD, or `{ budget_limit, time_period }`. */
  readonly budget: unknown;
}

function readPerModel(row: ForeignRow, { model, budget }: PerModel, names: ModelNames, sketch: Sketch): void {
  const fields = asObject(budget);
  const usd = asNumber(budget) ?? asNumber(fields.budget_limit) ?? asNumber(fields.max_budget);
  const duration = asString(fields.time_period) ?? asString(fields.budget_duration) ?? null;
  const per = readPeriod(duration);
  const models = names.find(model);
  const part = `model_max_budget of ${model}`;
  if (models.length === 0) sketch.left.push([part, "the model isn't in the configuration"]);
  else if (usd === undefined || per === null)
    sketch.left.push([part, `no window here is as long as '${duration}'`]);
  else
    addOne(
      sketch,
      makeBudget({ nanoUsd: roundUsd(usd), per, models }),
      asNumber(readObject(row, "model_spend")[model]),
    );
}

function addOne({ budgets, spent }: Sketch, budget: Budget, spentUsd: number | null | undefined): void {
  const name = nameBudget(budget);
  const before = budgets.get(name);
  // Two names of LiteLLM's may be one model here. The lower bound holds.
  if (before !== undefined && before.nanoUsd <= budget.nanoUsd) return;
  budgets.set(name, budget);
  spent.set(name, roundUsd(spentUsd ?? 0));
}
