// Reasoning both ways: the effort as each family takes it, and reasoning blocks as they travel through clients.
import { can, type ModelCard } from "../../core/card.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest, ReasoningDetail } from "../../operations/chat/form.ts";
import type { Block } from "./content.ts";
import { findTraits } from "./models.ts";

/** The `format` of reasoning details that Converse gave. */
export const REASONING_FORMAT = "bedrock-converse-v1";

export interface Reasoning {
  /** Fields of `additionalModelRequestFields`. */
  readonly fields: JsonObject;
  /** The model takes neither temperature nor top_p beside it. */
  readonly isDeep: boolean;
  /** The effort that the client named was not kept exactly. */
  readonly isChanged: boolean;
}

const UNASKED: Reasoning = { fields: {}, isDeep: false, isChanged: false };
const LEFT_OUT: Reasoning = { ...UNASKED, isChanged: true };

/** `reasoning_effort` as the model's family takes it: low, medium or high. */
export function planReasoning(request: ChatRequest, card: ModelCard): Reasoning {
  const asked = request.reasoning_effort;
  if (asked === undefined) return UNASKED;
  const { reasoning } = findTraits(card.name);
  const canReason = reasoning !== "none" && can(card, "reasoning");
  // gpt-oss reasons always; the others only if they are asked to.
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

/** The detail of a piece of reasoning; `index` is the place of its block in the message. */
export function makeReasoningDetail(index: number, text: string, signature: string): ReasoningDetail {
  return {
    type: "reasoning.text",
    ...(text === "" ? {} : { text }),
    ...(signature === "" ? {} : { signature }),
    format: REASONING_FORMAT,
    index,
  };
}

/** The detail of a block that the provider encrypted. */
export function makeRedactedDetail(index: number, data: string): ReasoningDetail {
  return { type: "reasoning.encrypted", data, format: REASONING_FORMAT, index };
}

interface Held {
  text: string;
  signature: string;
  data: string;
}

/**
 * The reasoning blocks of an assistant message as they were given. Those of other formats are left out, and those without
 * a signature: models that sign none refuse their own reasoning when it comes back.
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
