// Results of tools for servers whose tool messages hold text alone.
import {
  type ChatMessage,
  type ContentPart,
  joinText,
  listParts,
  type ToolMessage,
} from "../../operations/chat/form.ts";

/** The beginning of a failed tool's result, for servers that have no field for it. */
const ERROR_PREFIX = "Error: ";

/**
 * The messages with tool results of text alone: pictures and files of a turn's results follow in a message of the user's
 * right behind them, and a result that is an error says so.
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
    const text = joinText(message.content);
    const content = isError ? `${ERROR_PREFIX}${text}` : others.length > 0 ? text : message.content;
    plain.push({ ...result, role: "tool", tool_call_id: message.tool_call_id, content });
  }
  flush();
  return plain;
}

function isRich(message: ChatMessage): message is ToolMessage {
  if (message.role !== "tool") return false;
  return message.is_error !== undefined || listParts(message.content).some(({ type }) => type !== "text");
}
