// Tool results for servers whose tool messages hold only text.

import type { ChatMessage, ContentPart, ToolMessage } from "../../operations/chat/form.ts";
import { joinText, listParts, RESULT_GAP } from "../../operations/chat/prompt/content-text.ts";

/** Begins a failed tool's result, for servers without a field for failure. */
const ERROR_PREFIX = "Error: ";

/**
 * Reduces tool results to text. A turn's images and files follow in a user message right after its results, and a
 * failed result is marked in its text.
 */
export function flattenToolResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(isRich)) return messages;
  const plain: ChatMessage[] = [];
  let media: ContentPart[] = [];
  const flush = () => {
    if (media.length > 0) plain.push({ role: "user", content: media });
    media = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      flush();
      plain.push(message);
      continue;
    }
    const { is_error: isError, ...result } = message;
    const others = listParts(message.content).filter(({ type }) => type !== "text");
    if (others.length > 0) {
      media.push({ type: "text", text: `Returned by the call ${message.tool_call_id}:` }, ...others);
    }
    const text = joinText(message.content, RESULT_GAP);
    const content = isError ? `${ERROR_PREFIX}${text}` : others.length > 0 ? text : message.content;
    plain.push({ ...result, role: "tool", tool_call_id: message.tool_call_id, content });
  }
  flush();
  return plain;
}

function isRich(message: ChatMessage): message is ToolMessage {
  if (message.role !== "tool") return false;
  return message.is_error !== undefined || (typeof message.content !== "string" && hasMedia(message));
}

function hasMedia({ content }: ToolMessage): boolean {
  return listParts(content).some(({ type }) => type !== "text");
}
