// The time for which a chat request asks its provider to cache the prompt: writing for longer costs more.
import { asArray, asObject } from "../../core/json/json.ts";
import type { ChatMessage, ChatRequest } from "./form.ts";

/** Anthropic's hour and OpenAI's twelve hours. Both providers keep a prompt for some minutes unless asked. */
type CacheTime = "1h" | "12h";

/** True if a field of OpenAI's asks to keep the prompt for hours (OpenAI, "Prompt caching"). */
export function asksForHours({
  prompt_cache_retention: kept,
  prompt_cache_options: options,
}: ChatRequest): boolean {
  return isHours(kept) || isHours(asObject(options).ttl);
}

function isHours(value: unknown): boolean {
  return value === "12h" || value === "24h";
}

/** True if the request, or a cache mark anywhere in it, asks for that time. */
export function asksToCache(request: ChatRequest, time: CacheTime): boolean {
  const { cache_control: mark, prompt_cache_options: options, tools, messages } = request;
  const isMeant = (value: unknown) => asObject(value).ttl === time;
  const isMarked = (one: unknown) => {
    const { cache_control: own, prompt_cache_breakpoint: breakpoint } = asObject(one);
    return isMeant(own) || isMeant(breakpoint);
  };
  const isWithinMarked = ({ content, tool_calls: calls }: ChatMessage) =>
    [...asArray(content), ...asArray(calls)].some(isMarked);
  const isMessageMarked = (one: ChatMessage) => isMarked(one) || isWithinMarked(one);
  return isMeant(mark) || isMeant(options) || (tools ?? []).some(isMarked) || messages.some(isMessageMarked);
}
