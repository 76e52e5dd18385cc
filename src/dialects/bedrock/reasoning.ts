// Reasoning in both directions: effort for each model family, and reasoning blocks that clients send back.

import type { JsonObject } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { SignedThinking } from "../_chat/thinking.ts";
import type { Block } from "./content.ts";
import { findTraits } from "./models.ts";

/** The `format` of Converse's reasoning details. */
export const REASONING_FORMAT = "bedrock-converse-v1";

interface Reasoning {
  /** Fields of `additionalModelRequestFields`. */
  readonly fields: JsonObject;
  /** True if the model then accepts neither temperature nor top_p. */
  readonly isDeep: boolean;
  /** True if the client's effort was not kept exactly. */
  readonly isChanged: boolean;
}

const UNASKED: Reasoning = { fields: {}, isDeep: false, isChanged: false };
const LEFT_OUT: Reasoning = { ...UNASKED, isChanged: true };

/** Plans `reasoning_effort` for the model's family: low, medium or high. */
export function planReasoning(request: ChatRequest, card: ModelCard): Reasoning {
  const asked = request.reasoning_effort;
  if (asked === undefined) return UNASKED;
  const { reasoning } = findTraits(card.name);
  const canReason = reasoning !== "none" && can(card, "reasoning");
  // gpt-oss always reasons, the others only on request.
  if (asked === "none") return canReason && reasoning === "effort" ? LEFT_OUT : UNASKED;
  if (!canReason) return LEFT_OUT;
  const effort = asked === "minimal" ? "low" : asked === "xhigh" || asked === "max" ? "high" : asked;
  const isChanged = effort !== asked;
  switch (reasoning) {
    case "nova":
      return {
        fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } },
        isDeep: effort === "high",
        isChanged,
      };
    case "effort":
      return { fields: { reasoning_effort: effort }, isDeep: false, isChanged };
    case "config":
      return { fields: { reasoning_config: effort }, isDeep: false, isChanged };
  }
}

export function makeReasoningBlock({ text, signature, data }: SignedThinking): Block {
  return {
    reasoningContent: data === "" ? { reasoningText: { text, signature } } : { redactedContent: data },
  };
}
