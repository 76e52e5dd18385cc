// The cache mark of a request as a whole, which other gateways take at its top: the end of the conversation is marked.
import { isObject } from "../../../core/json/json.ts";
import type { ChatRequest } from "../../../operations/chat/form.ts";

/**
 * Returns the request with the mark on its newest message, unless that has one. The same request if it has no mark. A model
 * that keeps no prompt for an hour gets the mark without its time; for one without a cache, the mark stays where it is.
 */
export function markNewest(request: ChatRequest, cache = { prompt: true, hours: true }): ChatRequest {
  const { cache_control: given, ...rest } = request;
  if (!isObject(given) || !cache.prompt) return request;
  const mark = cache.hours ? given : { type: given.type };
  const at = request.messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  const messages = request.messages.map((message, index) =>
    index === at && message.cache_control === undefined ? { ...message, cache_control: mark } : message,
  );
  return { ...rest, messages };
}
