// Thinking both ways: reasoning effort as each generation takes it, and thinking blocks as they travel through clients.
import { can, type ModelCard } from "../../core/card.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest, ReasoningDetail, ReasoningEffort } from "../../operations/chat/form.ts";
import type { Block } from "./content.ts";
import type { Traits } from "./models.ts";

/** The `format` of reasoning details that hold Anthropic's signatures (OpenRouter's name for them). */
export const THINKING_FORMAT = "anthropic-claude-v1";

/** The smallest `budget_tokens` that the API takes, and the least that is left for the answer itself. */
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

/** The meaning of a request's reasoning effort. */
export interface Thinking {
  /** Body fields: `thinking`, `output_config`. */
  readonly fields: JsonObject;
  /** Thinking was asked for: forced tool use, a prefill and other temperatures are refused beside it. */
  readonly isOn: boolean;
  /** The effort that the client named was not kept exactly. */
  readonly isChanged: boolean;
}

const UNASKED: Thinking = { fields: {}, isOn: false, isChanged: false };
const LEFT_OUT: Thinking = { ...UNASKED, isChanged: true };

/**
 * True if thinking is turned off where it runs by default, or the model has none: then the blocks of earlier turns must
 * not come back (Anthropic, "Preserved thinking").
 */
export function silencesThinking(request: ChatRequest, traits: Traits): boolean {
  if (traits.thinking === "none") return true;
  return request.reasoning_effort === "none" && (traits.off === "disabled" || traits.off === "between_tools");
}

/**
 * `reasoning_effort` by generation. `outputTokens` is the request's `max_tokens`, of which a budget is a part;
 * `hasUnthoughtCalls` says that the running tool loop began without thinking, where a budget would be refused.
 */
export function planThinking(
  request: ChatRequest,
  card: ModelCard,
  traits: Traits,
  outputTokens: number,
  hasUnthoughtCalls: boolean,
): Thinking {
  const effort = request.reasoning_effort;
  if (effort === undefined) return UNASKED;
  const canThink = traits.thinking !== "none" && can(card, "reasoning");
  if (effort === "none") return canThink ? turnOff(traits) : UNASKED;
  if (!canThink) return LEFT_OUT;
  if (traits.thinking === "adaptive") return makeAdaptive(effort, traits);
  return hasUnthoughtCalls ? LEFT_OUT : makeBudgeted(effort, outputTokens);
}

function turnOff(traits: Traits): Thinking {
  switch (traits.off) {
    case "unasked":
      return UNASKED;
    case "disabled":
    case "between_tools":
      return { ...UNASKED, fields: { thinking: { type: traits.off } } };
    case "never":
      return { ...LEFT_OUT, fields: { output_config: { effort: traits.efforts[0] } } };
  }
}

function makeAdaptive(asked: ReasoningEffort, traits: Traits): Thinking {
  const rank = RANK.indexOf(asked);
  const effort = traits.efforts.findLast((one) => RANK.indexOf(one) <= rank) ?? traits.efforts[0];
  // Without a display the newer models return thinking blocks whose text is empty.
  const thinking = { type: "adaptive", ...(traits.hidesThinking ? { display: "summarized" } : {}) };
  const fields = { thinking, output_config: { effort } };
  return { fields, isOn: true, isChanged: effort !== asked };
}

function makeBudgeted(asked: Exclude<ReasoningEffort, "none">, outputTokens: number): Thinking {
  const most = Math.min(BUDGET_MAX, outputTokens - BUDGET_MIN);
  if (most < BUDGET_MIN) return LEFT_OUT;
  const share = Math.floor(outputTokens * BUDGET_SHARE[asked]);
  const budget = Math.max(BUDGET_MIN, Math.min(most, share));
  const fields = { thinking: { type: "enabled", budget_tokens: budget } };
  return { fields, isOn: true, isChanged: false };
}

/** A thinking block with the place that it had among the blocks of its message. */
export interface PlacedThinking {
  readonly place: number;
  readonly block: Block;
}

/**
 * The thinking blocks of an assistant message, byte for byte as they were given: those of other formats and those
 * without signature (the API refuses them) are left out. Fragments of one block that a client kept apart are joined.
 */
export function makeThinkingBlocks(details: readonly ReasoningDetail[] | undefined): PlacedThinking[] {
  const found: { place: number; open: boolean; block: Block }[] = [];
  for (const [order, detail] of (details ?? []).entries()) {
    if (detail.format !== THINKING_FORMAT) continue;
    const place = detail.index ?? order;
    if (typeof detail.data === "string") {
      found.push({ place, open: false, block: { type: "redacted_thinking", data: detail.data } });
      continue;
    }
    if (detail.type !== "reasoning.text") continue;
    const last = found.at(-1);
    const before = last?.open && last.place === place ? last.block : undefined;
    const thinking = `${before?.thinking ?? ""}${detail.text ?? ""}`;
    const signature = detail.signature ?? "";
    if (before) found.pop();
    found.push({ place, open: signature === "", block: { type: "thinking", thinking, signature } });
  }
  return found.filter(({ open }) => !open);
}

/** The detail of a piece of thinking; `index` is the place of its block in the message. */
export function makeThinkingDetail(index: number, text: string, signature: string): ReasoningDetail {
  return {
    type: "reasoning.text",
    ...(text === "" ? {} : { text }),
    ...(signature === "" ? {} : { signature }),
    format: THINKING_FORMAT,
    index,
  };
}

/** The detail of a block that Anthropic encrypted. */
export function makeRedactedDetail(index: number, data: string): ReasoningDetail {
  return { type: "reasoning.encrypted", data, format: THINKING_FORMAT, index };
}
