// OpenAI's Responses: what Codex, the AI SDK and openai-agents speak, on every chat model.
import type { JsonObject } from "../../core/json.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { refuse } from "./errors.ts";
import { readCounted, readResponsesRequest } from "./read.ts";
import { type ResponseOf, writeResponse } from "./response.ts";
import { findEarlier, makeKept } from "./stored.ts";
import { ResponseWriter } from "./writer.ts";

export const OPENAI_RESPONSES: Surface<ChatForm> = {
  name: "openai-responses",
  family: "responses",
  operation: CHAT,
  idPrefix: "resp_",
  read: readExchange,
  refuse,
  findEarlier,
  counting: {
    isCounting: (path) => path.endsWith("/input_tokens"),
    read: readCounted,
    write: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  },
};

function readExchange(incoming: Incoming): Exchange<ChatForm> {
  const { ask, raw, given, joined, names, session, searches, unreadBytes, dropped, lost } =
    readResponsesRequest(incoming);
  const keeps = incoming.keeping !== null && given.store !== false;
  const stores = incoming.limits.storesUpstream === true;
  const of: ResponseOf = { given, names, seal: incoming.seal, keeps, stores };
  return {
    ...{ ask, raw, session, searches, unreadBytes, dropped, lost },
    isLimitRequired: false,
    ...(keeps ? { keep: (response: JsonObject) => makeKept(joined, response) } : {}),
    whole: (reply, stamp) => writeResponse(reply, stamp, of),
    writer: (stamp) => new ResponseWriter(stamp, of),
  };
}
