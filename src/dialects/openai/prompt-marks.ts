// Anthropic's cache marks in a chat-completions request, as OpenRouter takes them (openrouter.ai/docs, "Prompt caching").
import type { JsonObject } from "../../core/json/json.ts";
import type { MarkTime } from "../../core/models/words/cache-marks.ts";
import type { ChatMessage } from "../../operations/chat/form.ts";
import { makeMark } from "../_chat/cache/marks.ts";

/** The number of user turns to mark, as in the Messages API: the last, and the one that the previous request ended with. */
const TURNS_MARKED = 2;

/** Marks the ends of the instructions and of the last two user turns. */
export function markMessages(messages: readonly ChatMessage[], time: MarkTime): readonly ChatMessage[] {
  const places = new Set([findInstructions(messages), ...listTurnEnds(messages).slice(-TURNS_MARKED)]);
  return messages.map((message, at) => (places.has(at) ? markMessage(message, time) : message));
}

/** Marks the last tool. */
export function markTools(tools: readonly JsonObject[], time: MarkTime): readonly JsonObject[] {
  return tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, ...makeMark(time) } : tool));
}

/** Returns the place of the last instructions before the conversation. -1 for none. */
function findInstructions(messages: readonly ChatMessage[]): number {
  const begun = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return (begun < 0 ? messages.length : begun) - 1;
}

/** A turn of the user's may be several messages, such as results of tools. */
function listTurnEnds(messages: readonly ChatMessage[]): readonly number[] {
  const isUser = (message: ChatMessage | undefined) => message?.role === "user" || message?.role === "tool";
  return messages.flatMap((message, at) => (isUser(message) && !isUser(messages[at + 1]) ? [at] : []));
}

/** Only parts can be marked, and no empty text. */
function markMessage(message: ChatMessage, time: MarkTime): ChatMessage {
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : (content ?? []);
  const last = parts.findLastIndex((part) => part.type !== "text" || part.text !== "");
  if (last < 0) return message;
  const marked = parts.map((part, at) => (at === last ? { ...part, ...makeMark(time) } : part));
  return Object.assign({ ...message }, { content: marked });
}
