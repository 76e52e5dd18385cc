// The request as sent: limited to the output that is held for, with room for the answer beside thinking.

import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { isLimitMeant } from "../../core/models/output-limit.ts";
import { type ChangedAsk, NONE } from "../form.ts";
import { type ChatRequest, readOutputLimit } from "./form.ts";

/** Thinking must leave this many tokens for the answer, and with fewer than this it isn't worth requesting. */
const THINKING_MARGIN_TOKENS = 1024;
/** A required limit above this is not an expectation: few answers come near it. */
const LIMIT_MEANT_MAX = 4096;

/**
 * Limits the request to the output held for on that card, and sends a limit only if it is below what would apply
 * anyway. `held` is in tokens, undefined if nothing was held. `isLimitRequired`: the API requires a limit. Claude Code
 * names 32,000 or more for every model, which a model with an unknown limit might refuse, so large limits are left to
 * the model.
 */
export function fitToHold(
  request: ChatRequest,
  card: ModelCard,
  held: number | undefined,
  isLimitRequired = false,
): ChangedAsk<ChatRequest> {
  const named = readOutputLimit(request);
  const isWish = isLimitRequired && named !== undefined && named > LIMIT_MEANT_MAX;
  const isCovered = held === undefined || held >= (named ?? 0);
  if (isWish && isCovered && card.outputTokensMax === null) {
    return { ask: leaveOutLimits(request), dropped: ["max_tokens"] };
  }
  // If only the context limits the model, such a large limit would leave no room for the prompt.
  const most = named ?? card.outputTokensMax ?? card.contextTokensMax ?? Number.MAX_SAFE_INTEGER;
  if (held === undefined || held >= Math.min(most, card.outputTokensMax ?? most))
    return fitToModel(request, named, card.outputTokensMax);
  return lowerToHold(request, held);
}

function lowerToHold(request: ChatRequest, held: number): ChangedAsk<ChatRequest> {
  const limits = ["max_tokens", "max_completion_tokens"].filter((field) => request[field] !== undefined);
  const { fields, dropped } = fitThinking(request, held);
  const ask = { ...leaveOutLimits(request), max_completion_tokens: held, ...fields };
  return { ask, dropped: [...limits, ...dropped] };
}

function leaveOutLimits(request: ChatRequest): ChatRequest {
  const { max_tokens: _old, max_completion_tokens: _now, ...rest } = request;
  return { ...rest, model: request.model, messages: request.messages };
}

/**
 * Returns a function that returns the tokens that a model's context must leave for the answer: all of a limit that is
 * meant, else what `fitToHold` sends of it to a model that answers at most `outputMax` (infinite if unknown), or 0 if it
 * sends no limit.
 */
export function makeFindAnswerRoom(named: number, isLimitRequired: boolean): (outputMax: number) => number {
  if (isLimitMeant(named, isLimitRequired)) return () => named;
  const isUnsent = isLimitRequired && named > LIMIT_MEANT_MAX;
  return (outputMax) => (isUnsent && outputMax === Number.POSITIVE_INFINITY ? 0 : Math.min(named, outputMax));
}

/** Each dialect lowers the limit itself to that of the model. A budget within the client's limit may be above that. */
function fitToModel(
  request: ChatRequest,
  named: number | undefined,
  outputMax: number | null,
): ChangedAsk<ChatRequest> {
  if (named === undefined || outputMax === null || named <= outputMax) return { ask: request, dropped: NONE };
  const { fields, dropped } = fitThinking(request, outputMax);
  return dropped.length === 0 ? { ask: request, dropped: NONE } : { ask: { ...request, ...fields }, dropped };
}

/** Lowers the thinking budgets that leave the answer too little of a limit, or switches thinking off. */
function fitThinking(request: ChatRequest, limit: number) {
  const most = limit - THINKING_MARGIN_TOKENS;
  const isAbove = (tokens: unknown) => typeof tokens === "number" && tokens > most;
  const fields: JsonObject = {};
  for (const field of BUDGETS) if (isAbove(request[field])) fields[field] = most;
  for (const [field, budget] of NESTED_BUDGETS) {
    const held = request[field];
    if (isObject(held) && isAbove(held[budget])) fields[field] = { ...held, [budget]: most };
  }
  const dropped = Object.keys(fields);
  if (dropped.length === 0 || most >= THINKING_MARGIN_TOKENS) return { fields, dropped };
  const without = Object.fromEntries(dropped.map((field) => [field, undefined]));
  return { fields: { ...without, reasoning_effort: "none" }, dropped };
}

/** Fields of thinking budgets, in tokens: Qwen's; of llama.cpp, vLLM and LM Studio; NVIDIA's. */
const BUDGETS = [
  "thinking_budget",
  "thinking_budget_tokens",
  "thinking_token_budget",
  "reasoning_budget",
  "max_thinking_tokens",
  "min_thinking_tokens",
] as const;

/** The same within an object: OpenRouter's and DeepInfra's; Anthropic's; Cohere's; of templates such as Seed-OSS's. */
const NESTED_BUDGETS = [
  ["reasoning", "max_tokens"],
  ["thinking", "budget_tokens"],
  ["thinking", "token_budget"],
  ["chat_template_kwargs", "thinking_budget"],
] as const;
