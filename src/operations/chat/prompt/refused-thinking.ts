// Removes sealed thinking from a chat request after its provider refused it.
import { REFUSED_THINKING } from "../../../core/models/thinking/removed-reasoning.ts";
import type { ChatMessage, ChatRequest } from "../form.ts";

/**
 * Returns the request without thinking of a format, or null if it has none, so the refusal was about something else.
 */
export function dropThinking(request: ChatRequest, format: string): ChatRequest | null {
  let count = 0;
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== "assistant") return message;
    const given = message.reasoning_details ?? [];
    const kept = given.filter((detail) => detail.format !== format);
    if (kept.length === given.length) return message;
    count++;
    let at = 0;
    const parts = message.parts?.map((part) => {
      const own = given.slice(at, at + part.details);
      at += own.length;
      return { ...part, details: own.filter((detail) => detail.format !== format).length };
    });
    return { ...message, reasoning_details: kept, ...(parts && { parts }) };
  });
  return count === 0 ? null : { ...request, messages, [REFUSED_THINKING]: count };
}
