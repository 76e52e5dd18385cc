// Reasoning effort, as a name or as a budget of tokens.
import type { ReasoningEffort } from "../form.ts";

const EFFORTS: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The largest thinking budget of each effort; larger budgets are high. */
const BUDGETS = [
  { tokensMax: 2048, effort: "low" },
  { tokensMax: 16_384, effort: "medium" },
] as const;

/** The effort of thinking that is asked for without one, and without a budget (OpenRouter, "Reasoning tokens"). */
export const EFFORT_DEFAULT: ReasoningEffort = "medium";

/** The efforts that a client may ask for. */
export const EFFORT_WORDS: ReadonlySet<unknown> = new Set(EFFORTS);

/** Returns undefined for any other value, so that the model's own default applies. */
export function parseEffort(value: unknown): ReasoningEffort | undefined {
  for (const effort of EFFORTS) if (effort === value) return effort;
  return undefined;
}

export function toEffort(budgetTokens: number): ReasoningEffort {
  return BUDGETS.find(({ tokensMax }) => budgetTokens <= tokensMax)?.effort ?? "high";
}
