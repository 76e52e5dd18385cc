// A request as it is sent: its output limit is what is held for, and thinking keeps room for the answer.
import type { ModelCard } from "../../core/card.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Changed } from "../operation.ts";
import { type ChatRequest, readOutputLimit } from "./form.ts";

/** Thinking leaves at least this many tokens for the answer, and less of it than this is not worth asking for. */
const THINKING_MARGIN_TOKENS = 1024;
/** A required limit above this is a wish: few answers come near it. */
const LIMIT_MEANT_MAX = 4096;

/**
 * The request within the output that is held for on that card; a limit is sent only where it is below what would apply.
 * `held` is that output in tokens, undefined where none was held for. `isLimitRequired`: the client had to name a limit. Claude Code names 32,000 or more for every model: one whose own limit
 * nobody knows would refuse that, so a large one is left to the model.
 */
export function fitToHold(
  request: ChatRequest,
  card: ModelCard,
  held: number | undefined,
  isLimitRequired = false,
): Changed<ChatRequest> {
  const named = readOutputLimit(request);
  const { max_tokens: _old, max_completion_tokens: _now, ...rest } = request;
  const unlimited: ChatRequest = { ...rest, model: request.model, messages: request.messages };
  const isWish = isLimitRequired && named !== undefined && named > LIMIT_MEANT_MAX;
  const isCovered = held === undefined || held >= (named ?? 0);
  if (isWish && isCovered && card.outputTokensMax === null) {
    return { ask: unlimited, dropped: ["max_tokens"] };
  }
  // If only the context bounds the model, so large a limit would leave no room for the prompt.
  const most = named ?? card.outputTokensMax ?? card.contextTokensMax ?? Number.MAX_SAFE_INTEGER;
  if (held === undefined || held >= Math.min(most, card.outputTokensMax ?? most))
    return { ask: request, dropped: [] };
  const limits = ["max_tokens", "max_completion_tokens"].filter((field) => request[field] !== undefined);
  const { fields, dropped } = fitThinking(request, held);
  const ask = { ...unlimited, max_completion_tokens: held, ...fields };
  return { ask, dropped: [...limits, ...dropped] };
}

/** Budgets of thinking, wherever clients put them: Qwen's field, OpenRouter's, Anthropic's. */
function fitThinking(
  request: ChatRequest,
  limit: number,
): { fields: JsonObject; dropped: readonly string[] } {
  const most = limit - THINKING_MARGIN_TOKENS;
  const fields: JsonObject = {};
  if (typeof request.thinking_budget === "number" && request.thinking_budget > most)
    fields.thinking_budget = most;
  for (const [field, budget] of NESTED) {
    const held = request[field];
    if (!isObject(held)) continue;
    const tokens = held[budget];
    if (typeof tokens === "number" && tokens > most) fields[field] = { ...held, [budget]: most };
  }
  const dropped = Object.keys(fields);
  if (dropped.length === 0 || most >= THINKING_MARGIN_TOKENS) return { fields, dropped };
  const without = Object.fromEntries(dropped.map((field) => [field, undefined]));
  return { fields: { ...without, reasoning_effort: "none" }, dropped };
}

const NESTED = [
  ["reasoning", "max_tokens"],
  ["thinking", "budget_tokens"],
] as const;
