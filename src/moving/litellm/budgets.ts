// Budgets, limits and spending of a row of LiteLLM's: a key, a team, or anyone else whose limits bind keys.

import { KEY_FIELDS } from "../../core/fields/key.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asNumber, asObject, asString } from "../../core/json/json.ts";
import { type Budget, makeBudget, nameBudget, type Period } from "../../core/limits/budget.ts";
import { MINUTE_LIMITS, type MinuteLimit, mapLimits } from "../../core/limits/limit-table.ts";
import {
  type ForeignRow,
  isEmptyCell,
  readNumber,
  readObject,
  readText,
  readTime,
  roundUsd,
} from "../columns.ts";
import type { ModelNames } from "./config.ts";
import { joinUses, type Limits } from "./limits.ts";
import { readModelRates, roundLimit } from "./model-rates.ts";
import type { ImportNotes } from "./notes.ts";
import { readPeriod } from "./periods.ts";

const BUDGETS_MAX = KEY_FIELDS.budgets.elementsMax;

interface BudgetReadParts {
  readonly names: ModelNames;
  readonly notes: ImportNotes;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The owner of the limits, if it isn't the one that the notes are about: ` of user bob`. */
  readonly where: string;
  /** True for a key's own row: nothing but a key has limits on some models. */
  readonly isKey: boolean;
}

type BudgetUses = Map<string, { readonly budget: Budget; readonly spentNanoUsd: number }>;

interface BudgetReading extends BudgetReadParts {
  readonly row: ForeignRow;
  readonly uses: BudgetUses;
}

/** Columns of a row that another may complete, as a key's budget does. */
const SHARED = [
  "max_budget",
  "soft_budget",
  "budget_duration",
  "budget_reset_at",
  "model_max_budget",
  "tpm_limit",
  "rpm_limit",
  "tpd_limit",
  "max_parallel_requests",
];
const NUMBERS = ["max_budget", "soft_budget", "tpm_limit", "rpm_limit", "tpd_limit", "max_parallel_requests"];

/** Returns the row with what only its budget says. */
export function addBudget(row: ForeignRow, budget: ForeignRow | undefined): ForeignRow {
  if (budget === undefined) return row;
  const isMissing = (column: string) => isEmptyCell(row[column]) && readNumber(row, column) === null;
  const added = SHARED.filter(isMissing).map((column) => [column, budget[column]]);
  return { ...row, ...Object.fromEntries(added) };
}

export function readLimits(row: ForeignRow, parts: BudgetReadParts): Limits {
  const reading: BudgetReading = { ...parts, row, uses: new Map() };
  const { notes, where, uses } = reading;
  for (const column of NUMBERS) {
    if (!isEmptyCell(row[column]) && readNumber(row, column) === null)
      notes.pause(`${column}${where} isn't a number`);
  }
  readWhole(reading);
  readWindows(reading);
  for (const [model, budget] of Object.entries(readObject(row, "model_max_budget")))
    readPerModel(reading, model, budget);
  if (uses.size > BUDGETS_MAX)
    notes.pause(`it has ${uses.size} budgets${where}, and an owner has up to ${BUDGETS_MAX} here`);
  if (readNumber(row, "tpd_limit") !== null)
    notes.pause(`tpd_limit${where}: tokens aren't limited by the day here`);
  const ofMinute = mapLimits(MINUTE_LIMITS, "property", ({ counts }) => readLimit(row, COLUMNS[counts]));
  return { ...readModelRates(reading, ofMinute), uses };
}

/** By what they count. */
const COLUMNS: Readonly<Record<MinuteLimit["counts"], string>> = {
  requests: "rpm_limit",
  tokens: "tpm_limit",
  parallel: "max_parallel_requests",
};

function readLimit(row: ForeignRow, column: string): number | null {
  const limit = readNumber(row, column);
  return limit === null ? null : roundLimit(limit);
}

/** The budget of all models. Of a soft one that stands alone, only the warning is left. */
function readWhole(reading: BudgetReading): void {
  const { row, notes, where } = reading;
  const usd = readNumber(row, "max_budget");
  const soft = readNumber(row, "soft_budget");
  if (usd === null && soft === null) return;
  // Models that cost nothing would go on here.
  if (usd !== null && usd <= 0) notes.pause(`max_budget${where} is 0, which refuses everything there`);
  const per = choosePeriod(reading, "max_budget", readText(row, "budget_duration"));
  if (per === null) return;
  const warn = soft === null ? [] : [usd === null || usd <= 0 ? 1 : Math.min(1, soft / usd)];
  const nanoUsd = roundUsd(usd ?? soft ?? 0);
  const shares = warn.filter((share) => share > 0);
  const budget = makeBudget({ nanoUsd, per, warn: shares, isHard: usd !== null });
  addUse(reading.uses, budget, hasWindowEnded(reading) ? 0 : readNumber(row, "spend"));
}

/** LiteLLM looks for windows that have ended every few minutes, and only then sets what was spent in them to 0. */
function hasWindowEnded({ row, nowMs }: BudgetReading): boolean {
  const resetAtMs = readTime(row, "budget_reset_at");
  return readText(row, "budget_duration") !== null && resetAtMs !== null && resetAtMs <= nowMs;
}

/** Several windows at once. Each counts its spending in memory alone, so what the tables say of the owner's bounds it. */
function readWindows(reading: BudgetReading): void {
  const { row, notes, where, uses } = reading;
  const cell = row.budget_limits;
  if (isEmptyCell(cell)) return;
  const list: unknown = typeof cell === "string" ? parseReceived(cell) : cell;
  const spentUsd = Math.max(readNumber(row, "spend") ?? 0, readNumber(row, "total_spend") ?? 0);
  for (const one of Array.isArray(list) ? list : [list]) {
    const { max_budget: max, budget_duration: duration } = asObject(one);
    const usd = asNumber(max);
    const text = asString(duration);
    if (usd === undefined || text === undefined) {
      notes.pause(`budget_limits${where} isn't a list of amounts and durations`);
      continue;
    }
    const per = choosePeriod(reading, "budget_limits", text);
    if (per === null) continue;
    const isUsed = spentUsd > 0;
    const words = `a budget of ${usd} USD per ${per}`;
    if (isUsed)
      notes.narrow(`budget_limits${where}, ${text}`, `${words}, which counts all that was ever spent`);
    else notes.take(`budget_limits${where}, ${text}`, words);
    addUse(uses, makeBudget({ nanoUsd: roundUsd(usd), per }), Math.min(spentUsd, usd));
  }
}

function readPerModel(reading: BudgetReading, model: string, value: unknown): void {
  const { row, names, notes, where, uses } = reading;
  const fields = asObject(value);
  const usd = asNumber(value) ?? asNumber(fields.budget_limit) ?? asNumber(fields.max_budget);
  const duration = asString(fields.time_period) ?? asString(fields.budget_duration) ?? null;
  const models = names.find(model);
  const part = `model_max_budget of ${model}`;
  if (models.length === 0) {
    notes.leave(`${part}${where}`, "the model isn't in the configuration");
    return;
  }
  if (usd === undefined) notes.pause(`${part}${where} isn't an amount`);
  const per = choosePeriod(reading, part, duration);
  if (usd === undefined || per === null) return;
  addUse(
    uses,
    makeBudget({ nanoUsd: roundUsd(usd), per, models }),
    asNumber(readObject(row, "model_spend")[model]),
  );
}

/** Returns the window, and notes one that is longer than there. Null for a duration that can't be read. */
function choosePeriod({ notes, where }: BudgetReading, part: string, duration: string | null): Period | null {
  const window = readPeriod(duration);
  if (window === null) notes.pause(`${part}${where} is for '${duration}', which isn't a duration`);
  else if (!window.isEqual)
    notes.narrow(`${part}${where}`, `the amount of '${duration}' is per: ${window.per} here`);
  return window?.per ?? null;
}

/** Two names of LiteLLM's may be one model here, and two durations one window. Both bind. */
function addUse(uses: BudgetUses, budget: Budget, spentUsd: number | null | undefined): void {
  const name = nameBudget(budget);
  const use = { budget, spentNanoUsd: roundUsd(spentUsd ?? 0) };
  const before = uses.get(name);
  uses.set(name, before === undefined ? use : joinUses(before, use));
}
