// A chat request without the sealed thinking that its provider refuses to take back.
import type { ChatMessage, ChatRequest, PartExtent, ReasoningDetail } from "./form.ts";

/** Returns the request without all thinking of a format; null if it has none, so that something else was refused. */
export function dropThinking(request: ChatRequest, format: string): ChatRequest | null {
  let isChanged = false;
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== "assistant") return message;
    const given = message.reasoning_details ?? [];
    const kept = given.filter((detail) => detail.format !== format);
    if (kept.length === given.length) return message;
    isChanged = true;
    const { parts } = message;
    const left = parts && { parts: countKept(parts, given, format) };
    return { ...message, reasoning_details: kept, ...left };
  });
  return isChanged ? { ...request, messages } : null;
}

function countKept(
  parts: readonly PartExtent[],
  given: readonly ReasoningDetail[],
  format: string,
): readonly PartExtent[] {
  let at = 0;
  return parts.map((part) => {
    const own = given.slice(at, at + (part.details ?? 0));
    at += own.length;
    return own.length === 0 ? part : { ...part, details: own.filter((one) => one.format !== format).length };
  });
}
