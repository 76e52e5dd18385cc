// Removes the thinking of turns that a hook would change: its maker may have signed it.
import type { IsDropped } from "../../../core/text/texts.ts";
import { mapList } from "../../text-json.ts";
import type { AssistantMessage, ChatReply, ChatRequest } from "../form.ts";
import { mapTexts } from "../texts.ts";

/** Returns the request without the thinking of turns that have such a thought, or the same request if none has. */
export function dropThoughts(ask: ChatRequest, isDropped: IsDropped): ChatRequest {
  const messages = mapList(ask.messages, (one) =>
    one.role === "assistant" ? dropWithin(ask, one, isDropped) : one,
  );
  return messages === ask.messages ? ask : { ...ask, messages };
}

/** The same for an answer. */
export function dropReplyThoughts(reply: ChatReply, isDropped: IsDropped): ChatReply {
  const ask = { model: "", messages: [] };
  const choices = mapList(reply.choices, (choice) => {
    const message = dropWithin(ask, choice.message, isDropped);
    return message === choice.message ? choice : { ...choice, message };
  });
  return choices === reply.choices ? reply : { ...reply, choices };
}

function dropWithin<Message extends AssistantMessage>(
  ask: ChatRequest,
  message: Message,
  isDropped: IsDropped,
): Message {
  if (!message.reasoning_content && !message.reasoning_details) return message;
  let isMet = false;
  mapTexts({ ...ask, messages: [message], tools: undefined }, (text, { kind }) => {
    isMet ||= kind === "thinking" && isDropped(text);
    return text;
  });
  if (!isMet) return message;
  const parts = message.parts
    ?.filter(({ kind }) => kind !== "thinking")
    .map((part) => ({ ...part, details: 0 }));
  return { ...message, reasoning_content: undefined, reasoning_details: undefined, parts };
}
