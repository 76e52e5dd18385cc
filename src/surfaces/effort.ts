// Reasoning effort, named or given as a budget of tokens.
import type { ReasoningEffort } from "../operations/chat/form.ts";

const EFFORTS: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Budgets of thinking up to which an effort reaches. */
const BUDGETS = [
  { tokensMax: 2048, effort: "low" },
  { tokensMax: 16_384, effort: "medium" },
] as const;

/** Undefined for anything that is no effort: then the model's own default applies. */
export function parseEffort(value: unknown): ReasoningEffort | undefined {
  return EFFORTS.find((effort) => effort === value);
}

export function toEffort(budgetTokens: number): ReasoningEffort {
  return BUDGETS.find(({ tokensMax }) => budgetTokens <= tokensMax)?.effort ?? "high";
}
