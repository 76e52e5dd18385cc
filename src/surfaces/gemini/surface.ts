// Gemini's generateContent: what Gemini CLI and Google's SDKs speak, on every chat model.
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { writeAnswer } from "./answer.ts";
import { refuse } from "./errors.ts";
import { readCounted, readGenerate, readPath } from "./read.ts";
import { GenerateWriter } from "./writer.ts";

export const GEMINI: Surface<ChatForm> = {
  name: "gemini",
  family: "gemini",
  operation: CHAT,
  idPrefix: "gen_",
  checkPath: readPath,
  read: readExchange,
  refuse,
  counting: {
    isCounting: (path) => path.endsWith(":countTokens"),
    read: readCounted,
    write: (tokens) => ({ totalTokens: tokens }),
  },
};

function readExchange(incoming: Incoming): Exchange<ChatForm> {
  const { ask, raw, isArray, searches, unreadBytes, dropped, lost } = readGenerate(incoming);
  return {
    ...{ ask, raw, searches, unreadBytes, dropped, lost },
    session: null,
    isLimitRequired: false,
    ...(isArray ? { streamType: "application/json" } : {}),
    whole: (reply, stamp) => writeAnswer(reply, stamp, incoming.seal),
    writer: (stamp) => new GenerateWriter(stamp, incoming.seal, isArray),
  };
}
