// Plans the cache marks of a request: none, or for how long a provider is asked to keep it.
import { asArray, asObject } from "../../../core/json/json.ts";
import type { ModelCard } from "../../../core/models/card.ts";
import type { CacheMarkMode, PlannedMarks } from "../../../core/models/words/cache-marks.ts";
import { asksForHours } from "../../../operations/chat/cache-times.ts";
import { estimatePromptTokens } from "../../../operations/chat/estimate.ts";
import type { ChatMessage, ChatRequest } from "../../../operations/chat/form.ts";
import type { MarkSigns } from "../../../operations/codec.ts";

/** Claude caches no shorter prompt (Anthropic Messages API, "Prompt caching"; some models have a higher minimum). */
const PROMPT_TOKENS_MIN = 1024;
/** Fewer characters of plain text never make so many tokens. */
const PLAIN_CHARACTERS_MAX = 1024;

/** Returns null for a request without marks of the gateway's. Those of a client's own are all that it has. */
export function planMarks(
  request: ChatRequest,
  { price }: ModelCard,
  mode: CacheMarkMode,
  readSigns: () => MarkSigns,
): PlannedMarks | null {
  if (mode === "off") return null;
  if (mode === "conversations" && isShort(request)) return null;
  if (hasMarks(request)) return null;
  const time = asksForHours(request) && price?.cacheWrite1h !== undefined ? "1h" : "5m";
  if (mode === "auto") return time;
  // Explicit breakpoints are asked for, and there are none.
  if (asObject(request.prompt_cache_options).mode === "explicit") return null;
  const signs = readSigns();
  if (signs.isLine || signs.isSideCall(request) || !signs.goesOn()) return null;
  return signs.isResting() ? "resting" : time;
}

function isShort(request: ChatRequest): boolean {
  return isPlainlyShort(request) || estimatePromptTokens(request) < PROMPT_TOKENS_MIN;
}

/** True for a short question, as most requests are: no more of it is measured. */
function isPlainlyShort({ messages, tools, response_format: format }: ChatRequest): boolean {
  if (tools !== undefined || format !== undefined) return false;
  let characters = 0;
  for (const { role, content } of messages) {
    if (role === "assistant" || typeof content !== "string") return false;
    characters += content.length;
  }
  return characters < PLAIN_CHARACTERS_MAX;
}

/** True if the client has set a mark of any API. */
function hasMarks({ cache_control: mark, tools, messages }: ChatRequest): boolean {
  const isWithinMarked = ({ content, tool_calls: calls }: ChatMessage) =>
    [...asArray(content), ...asArray(calls)].some(isMarked);
  const isMessageMarked = (one: ChatMessage) => isMarked(one) || isWithinMarked(one);
  return (mark ?? null) !== null || (tools ?? []).some(isMarked) || messages.some(isMessageMarked);
}

function isMarked(value: unknown): boolean {
  const { cache_control: mark, prompt_cache_breakpoint: breakpoint } = asObject(value);
  return (mark ?? breakpoint ?? null) !== null;
}
