// Removes sealed thinking from a chat request after its provider refused it.
import type { ChatMessage, ChatRequest } from "../form.ts";

/**
 * Returns the request without thinking of a format, or null if it has none, so the refusal was about something else.
 */
export function dropThinking(request: ChatRequest, format: string): ChatRequest | null {
  let isChanged = false;
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== "assistant") return message;
    const given = message.reasoning_details ?? [];
    const kept = given.filter((detail) => detail.format !== format);
    if (kept.length === given.length) return message;
    isChanged = true;
    let at = 0;
    const parts = message.parts?.map((part) => {
      const own = given.slice(at, at + part.details);
      at += own.length;
      return { ...part, details: own.filter((detail) => detail.format !== format).length };
    });
    return { ...message, reasoning_details: kept, ...(parts && { parts }) };
  });
  return isChanged ? { ...request, messages } : null;
}
