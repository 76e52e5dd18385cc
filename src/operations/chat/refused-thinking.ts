// A chat request without the sealed thinking that its provider refuses to take back.
import type { ChatMessage, ChatRequest } from "./form.ts";

/** Returns the request without all thinking of a format; null if it has none, so that something else was refused. */
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
