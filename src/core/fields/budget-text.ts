// Budgets as people write them: `50/month`, `5/day: OpenAI#* Anthropic#*`.
import { PERIODS, type Period } from "../limits/budget.ts";
import type { WireBudget } from "./field.ts";

const SHAPE = /^\$?(\d+(?:\.\d+)?)\s*\/\s*([a-z]+)\s*(?::\s*(.+))?$/i;

/** Returns the budget that a text describes, or null. */
export function parseBudget(text: string): Pick<WireBudget, "usd" | "per" | "models"> | null {
  const [, usd, period = "", patterns] = SHAPE.exec(text.trim()) ?? [];
  const per = PERIODS.find((one): one is Period => one === period.toLowerCase());
  if (usd === undefined || per === undefined) return null;
  const models = patterns?.trim().split(/\s+/) ?? [];
  return { usd: Number(usd), per, ...(models.length > 0 ? { models } : {}) };
}

/** The windows of a budget, as a form offers them. */
export const PERIOD_OPTIONS = PERIODS.map((value) => ({
  value,
  label: value === "total" ? "in total" : `per ${value}`,
}));

/** Returns the window of this name, or the one that was there before. */
export function readPeriod(name: string, before: Period): Period {
  return PERIODS.find((one) => one === name) ?? before;
}
