// Reasoning in both directions: effort for each model family, and reasoning blocks that clients send back.
import { can, type ModelCard } from "../../core/card.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest, ReasoningDetail } from "../../operations/chat/form.ts";
import type { Block } from "./content.ts";
import { findTraits } from "./models.ts";

/** The `format` of Converse's reasoning details. */
export const REASONING_FORMAT = "bedrock-converse-v1";

export interface Reasoning {
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

/** Makes the detail for a piece of reasoning. `index` is its block's place in the message. */
export function makeReasoningDetail(index: number, text: string, signature: string): ReasoningDetail {
  return {
    type: "reasoning.text",
    ...(text === "" ? {} : { text }),
    ...(signature === "" ? {} : { signature }),
    format: REASONING_FORMAT,
    index,
  };
}

/** Makes the detail for a block that the provider encrypted. */
export function makeRedactedDetail(index: number, data: string): ReasoningDetail {
  return { type: "reasoning.encrypted", data, format: REASONING_FORMAT, index };
}

interface Held {
  text: string;
  signature: string;
  data: string;
}

/**
 * Returns an assistant message's reasoning blocks unchanged. Blocks of other formats are left out, and those without a
 * signature too: models that sign none refuse their own reasoning when it comes back.
 */
export function makeReasoningBlocks(details: readonly ReasoningDetail[] | undefined): Block[] {
  const held = new Map<number, Held>();
  for (const [order, detail] of (details ?? []).entries()) {
    if (detail.format !== REASONING_FORMAT) continue;
    const place = detail.index ?? order;
    const before = held.get(place) ?? { text: "", signature: "", data: "" };
    held.set(place, {
      text: before.text + (detail.text ?? ""),
      signature: before.signature + (detail.signature ?? ""),
      data: before.data + (detail.data ?? ""),
    });
  }
  return [...held].toSorted(([one], [other]) => one - other).flatMap(([, block]) => makeBlock(block));
}

function makeBlock({ text, signature, data }: Held): Block[] {
  if (data !== "") return [{ reasoningContent: { redactedContent: data } }];
  return signature === "" ? [] : [{ reasoningContent: { reasoningText: { text, signature } } }];
}
