// Other gateways' words for how long a model thinks, said in the chat form's own: OpenRouter's `reasoning` and LiteLLM's
// `thinking`. Servers that document them get them as they are.
import { asNumber, asObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatRequest, ReasoningEffort } from "../../operations/chat/form.ts";
import { EFFORT_DEFAULT, parseEffort, toEffort } from "../../operations/chat/prompt/effort.ts";
import type { Codec, Passing } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";

const FIELDS = ["reasoning", "thinking"] as const;
/** The parts of the fields that are about how long, or say nothing. */
const READ: ReadonlySet<string> = new Set([
  "effort",
  "max_tokens",
  "enabled",
  "summary",
  "type",
  "budget_tokens",
]);

/** Reads OpenRouter's `reasoning`. Undefined if it leaves the effort to the model. */
export function readReasoning(reasoning: unknown): ReasoningEffort | undefined {
  const { effort, max_tokens: budget, enabled } = asObject(reasoning);
  if (enabled === false) return "none";
  const tokens = asNumber(budget);
  return parseEffort(effort) ?? (tokens === undefined ? undefined : readBudget(tokens)) ?? enableAt(enabled);
}

function readBudget(tokens: number): ReasoningEffort {
  return tokens > 0 ? toEffort(tokens) : "none";
}

function enableAt(enabled: unknown): ReasoningEffort | undefined {
  return enabled === true ? EFFORT_DEFAULT : undefined;
}

/** Reads LiteLLM's `thinking`, which is Anthropic's. DeepSeek's, Moonshot's and Z.ai's has no budget. */
function readThinking(thinking: unknown): ReasoningEffort | undefined {
  const { type, budget_tokens: budget } = asObject(thinking);
  if (type === "disabled") return "none";
  if (type !== "enabled") return undefined;
  const tokens = asNumber(budget);
  return tokens === undefined ? EFFORT_DEFAULT : readBudget(tokens);
}

function readField(field: (typeof FIELDS)[number], wish: unknown): ReasoningEffort | undefined {
  return field === "reasoning" ? readReasoning(wish) : readThinking(wish);
}

/** Reads the effort that a request asks for, in whichever words. Undefined if it leaves that to the model. */
export function readWish(request: ChatRequest): ReasoningEffort | undefined {
  if (request.reasoning_effort !== undefined) return request.reasoning_effort;
  const field = FIELDS.find((name) => request[name] !== undefined);
  return field && readField(field, request[field]);
}

/**
 * Fits a request to a card again, with the wish in the chat form's own field, if the first fit has dropped a field that
 * holds one.
 */
export function fitWish(
  codec: Codec<ChatForm>,
  request: ChatRequest,
  card: ModelCard,
  operator: Passing,
  fitted: ChangedAsk<ChatRequest>,
): ChangedAsk<ChatRequest> {
  if (request.reasoning_effort !== undefined) return fitted;
  const field = FIELDS.find((name) => fitted.dropped.includes(name));
  if (field === undefined) return fitted;
  const { [field]: wish, ...rest } = request;
  const effort = readField(field, wish);
  if (effort === undefined) return fitted;
  const said = codec.fit({ ...rest, reasoning_effort: effort }, card, operator);
  const isWhole = Object.keys(asObject(wish)).every((name) => READ.has(name));
  return isWhole ? said : { ask: said.ask, dropped: [...said.dropped, field] };
}
