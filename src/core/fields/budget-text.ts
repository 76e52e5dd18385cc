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

/** Returns the text that describes a budget, without its warnings and extra amount. */
export function writeBudget({ usd, per, models }: Pick<WireBudget, "usd" | "per" | "models">): string {
  const amount = `${usd}/${per}`;
  return models && models.length > 0 ? `${amount}: ${models.join(" ")}` : amount;
}
