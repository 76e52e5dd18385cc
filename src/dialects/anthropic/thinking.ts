// Thinking in both directions: reasoning effort for each model generation, and thinking blocks that clients send back.

import type { JsonObject } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import type { ChatRequest, ReasoningEffort } from "../../operations/chat/form.ts";
import type { SignedThinking } from "../_chat/thinking.ts";
import type { Block } from "./content.ts";
import type { Effort, Traits } from "./models.ts";

/** The `format` of reasoning details that hold Anthropic's signatures (OpenRouter's name for them). */
export const THINKING_FORMAT = "anthropic-claude-v1";

/** The smallest `budget_tokens` that the API accepts, and the minimum left for the answer. */
const BUDGET_MIN = 1024;
const BUDGET_MAX = 32_000;
const BUDGET_SHARE: Readonly<Record<Exclude<ReasoningEffort, "none">, number>> = {
  minimal: 0,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.9,
};
const RANK: readonly string[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** The plan for a request's reasoning effort. */
export interface Thinking {
  /** Body fields: `thinking`, `output_config`. */
  readonly fields: JsonObject;
  /** True if thinking was requested. Forced tool use, a prefill and other temperatures are then refused. */
  readonly isOn: boolean;
  /** True if the client's effort was not kept exactly. */
  readonly isChanged: boolean;
}

const UNASKED: Thinking = { fields: {}, isOn: false, isChanged: false };
const LEFT_OUT: Thinking = { ...UNASKED, isChanged: true };

/**
 * True if thinking that runs by default is turned off, or the model has none: the blocks of earlier turns must then not
 * come back (Anthropic, "Preserved thinking").
 */
export function mustOmitThinking(request: ChatRequest, traits: Traits): boolean {
  if (traits.thinking === "none") return true;
  return request.reasoning_effort === "none" && (traits.off === "disabled" || traits.off === "between_tools");
}

/**
 * Plans `reasoning_effort` by generation. `outputTokens` is the request's `max_tokens`, which includes a budget.
 * `lacksThinking` returns true if the running tool loop began without thinking, where a budget would be refused.
 */
export function planThinking(
  request: ChatRequest,
  card: ModelCard,
  traits: Traits,
  outputTokens: number,
  lacksThinking: () => boolean,
): Thinking {
  const effort = request.reasoning_effort;
  if (effort === undefined) return UNASKED;
  const canThink = traits.thinking !== "none" && can(card, "reasoning");
  if (effort === "none") return canThink ? turnOff(traits) : UNASKED;
  if (!canThink) return LEFT_OUT;
  if (traits.thinking === "adaptive") return makeAdaptive(effort, traits);
  return lacksThinking() ? LEFT_OUT : makeBudgeted(effort, outputTokens);
}

function turnOff(traits: Traits): Thinking {
  switch (traits.off) {
    case "unasked":
    case "any":
      return UNASKED;
    case "disabled":
    case "between_tools":
      return { ...UNASKED, fields: { thinking: { type: traits.off } } };
    case "never":
      return { ...LEFT_OUT, fields: makeEffort(traits.efforts[0]) };
  }
}

function makeAdaptive(asked: ReasoningEffort, traits: Traits): Thinking {
  const rank = RANK.indexOf(asked);
  const effort = traits.efforts.findLast((one) => RANK.indexOf(one) <= rank) ?? traits.efforts[0];
  // Without `display`, newer models return thinking blocks with empty text.
  const thinking = { type: "adaptive", ...(traits.hidesThinking ? { display: "summarized" } : {}) };
  const fields = { thinking, ...makeEffort(effort) };
  return { fields, isOn: true, isChanged: effort !== asked };
}

function makeEffort(effort: Effort | undefined): JsonObject {
  return effort === undefined ? {} : { output_config: { effort } };
}

function makeBudgeted(asked: Exclude<ReasoningEffort, "none">, outputTokens: number): Thinking {
  const thinking = makeBudget(asked, outputTokens);
  return thinking === null ? LEFT_OUT : { fields: { thinking }, isOn: true, isChanged: false };
}

/** Returns thinking with the budget for an effort. Null if the limit leaves no room for it. */
export function makeBudget(asked: Exclude<ReasoningEffort, "none">, outputTokens: number): JsonObject | null {
  const most = Math.min(BUDGET_MAX, outputTokens - BUDGET_MIN);
  if (most < BUDGET_MIN) return null;
  // With a longer answer the shares of several efforts would all be cut to the same budget.
  const scale = Math.min(outputTokens, BUDGET_MAX / BUDGET_SHARE.max);
  const share = Math.floor(scale * BUDGET_SHARE[asked]);
  return { type: "enabled", budget_tokens: Math.max(BUDGET_MIN, Math.min(most, share)) };
}

export function makeThinkingBlock({ text, signature, data }: SignedThinking): Block {
  return data === "" ? { type: "thinking", thinking: text, signature } : { type: "redacted_thinking", data };
}
