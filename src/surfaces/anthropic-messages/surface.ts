// Anthropic's Messages: what Claude Code and the Anthropic SDKs speak, on every chat model.
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { writeMessage } from "./answer.ts";
import { refuse } from "./errors.ts";
import { readCounted, readMessagesRequest } from "./read.ts";
import { MessageWriter } from "./writer.ts";

export const ANTHROPIC_MESSAGES: Surface<ChatForm> = {
  name: "anthropic-messages",
  family: "anthropic",
  operation: CHAT,
  idPrefix: "msg_",
  read: readExchange,
  refuse,
  counting: {
    isCounting: (path) => path.endsWith("/count_tokens"),
    read: readCounted,
    write: (tokens) => ({ input_tokens: tokens }),
  },
};

function readExchange(incoming: Incoming): Exchange<ChatForm> {
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
