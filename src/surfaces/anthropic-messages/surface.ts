// Anthropic's Messages: what Claude Code and the Anthropic SDKs speak, on every chat model.
import type { ChatReply, ChatRequest } from "../../operations/chat/form.ts";
import type { Part } from "../../operations/chat/run.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { writeMessage } from "./answer.ts";
import { refuse } from "./errors.ts";
import { readCounted, readMessagesRequest } from "./read.ts";
import { MessageWriter } from "./writer.ts";

export const ANTHROPIC_MESSAGES: Surface<ChatRequest, Part, ChatReply> = {
  name: "anthropic-messages",
  family: "anthropic",
  idPrefix: "msg_",
  read: readExchange,
  refuse,
  counting: {
    isCounting: (path) => path.endsWith("/count_tokens"),
    read: readCounted,
    write: (tokens) => ({ input_tokens: tokens }),
  },
};

function readExchange(incoming: Incoming): Exchange<ChatRequest, Part, ChatReply> {
  const { ask, raw, session, searches, unreadBytes, dropped, lost } = readMessagesRequest(incoming);
  return {
    ask,
    raw,
    session,
    searches,
    unreadBytes,
    dropped,
    lost,
    isLimitRequired: true,
    whole: (reply, stamp) => writeMessage(reply, stamp, incoming.seal),
    writer: (stamp) => new MessageWriter(stamp, incoming.seal),
  };
}
