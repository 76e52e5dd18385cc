// OpenAI's Responses API, as Codex, the AI SDK and openai-agents use it, on every chat model.
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { Checker, readFields, refuseLongList } from "../checker.ts";
import { listFields } from "../lost-fields.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { openSummaries } from "./compaction/summary.ts";
import { findTrigger, listKeptMessages, makeSummaryBody } from "./compaction/trigger.ts";
import { CompactionWriter, writeCompaction } from "./compaction/writer.ts";
import { refuse } from "./errors.ts";
import { GatewayToolConversation } from "./gateway-tools/conversation.ts";
import { findServers } from "./gateway-tools/find.ts";
import { openGatewayToolCalls } from "./gateway-tools/history.ts";
import { ModelRequest } from "./gateway-tools/model-request.ts";
import { BODY } from "./lane.ts";
import { joinRequest, makeContext, READ_FIELDS, readAsk, readAsked } from "./read.ts";
import { repeatKeptTexts, writeResponse } from "./response.ts";
import { inputTokensSchema, responsesSchema } from "./schema.ts";
import { findEarlier, joinEarlier, makeKept } from "./stored.ts";
import { RESPONSES_TEXTS } from "./texts.ts";
import { ToolNames } from "./tools.ts";
import { ResponseWriter } from "./writer.ts";

const COUNTED = new Checker(inputTokensSchema);

export const OPENAI_RESPONSES: Surface<ChatForm> = {
  name: "openai-responses",
  family: "responses",
  operation: CHAT,
  idPrefix: "resp_",
  fields: listFields(responsesSchema, READ_FIELDS, BODY),
  read: readExchange,
  refuse,
  findEarlier,
  gatewayTools: {
    find: findServers,
    begin: (incoming, shown) => new GatewayToolConversation(incoming, shown),
    fill: (body, shown) => new ModelRequest(asObject(body), shown).fill(),
  },
  counting: {
    isCounting: (path) => path.endsWith("/input_tokens"),
    read: readCounted,
    write: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  },
};

/** The conversation that it continues counts too. A field that an answer is refused for is refused here as well. */
function readCounted(incoming: Incoming): ChatRequest {
  const { body, limits, seal } = incoming;
  const joined = joinEarlier(COUNTED.check(readFields(body), "input", limits.messagesMax), incoming);
  refuseLongList(joined.input, limits.messagesMax, "input");
  BODY.removeFrom({ ...joined }, false);
  const { input } = openSummaries(openGatewayToolCalls(joined.input), seal);
  return readAsk({ ...joined, input }, new ToolNames(), seal).ask;
}

export function readExchange(incoming: Incoming): Exchange<ChatForm> {
  const { given, joined } = joinRequest(incoming);
  // An earlier response that isn't kept is refused by its name.
  const isStored = incoming.stored !== null || Boolean(joined.previous_response_id);
  const trigger = findTrigger(joined.input, isStored);
  const exchange = readJoined(incoming, given, joined);
  return trigger === null ? exchange : readTriggered(incoming, given, joined, exchange, trigger);
}

/** A request to compact the conversation: as a provider takes it that compacts, or as a model writes a summary for us. */
function readTriggered(
  incoming: Incoming,
  given: JsonObject,
  joined: JsonObject,
  native: Exchange<ChatForm>,
  trigger: number,
): Exchange<ChatForm> {
  const keep = (kept: JsonObject, answer: JsonObject) =>
    makeKept({ ...kept, input: listKeptMessages(kept.input) }, answer);
  const kept = native.keep ? { keep } : {};
  const needed = { path: `input[${trigger}]`, what: "asked" } as const;
  return {
    ...native,
    ...kept,
    isCompaction: true,
    nativeOnly: native.nativeOnly ?? needed,
    compact(model) {
      const body = makeSummaryBody(joined, model);
      const own = readJoined(incoming, body, body);
      const context = makeContext(incoming, given, new ToolNames());
      return {
        ...own,
        ...(native.kept ? { kept: native.kept, keep } : {}),
        isCompaction: true,
        whole: (reply, stamp) => writeCompaction(reply, stamp, context),
        findCut: ({ choices }) => (choices[0]?.finish_reason === "length" ? ["output[0]"] : []),
        writer: (stamp) => new CompactionWriter(stamp, context),
      };
    },
  };
}

/** A function of its own, so that only the exchange of an answer that is kept holds the request. */
function makeKeep(joined: JsonObject): NonNullable<Exchange<ChatForm>["keep"]> {
  return (kept, response) =>
    makeKept(kept, kept === joined ? response : repeatKeptTexts(response, joined, kept));
}

/** `joined` is the request with the whole conversation. */
function readJoined(incoming: Incoming, given: JsonObject, joined: JsonObject): Exchange<ChatForm> {
  const { asked, context } = readAsked(incoming, given, joined);
  return {
    ...asked,
    ...(context.keeps || incoming.isRemembered
      ? { kept: { body: joined, texts: RESPONSES_TEXTS }, keep: makeKeep(joined) }
      : {}),
    whole: (reply, stamp) => writeResponse(reply, stamp, context),
    writer: (stamp) => new ResponseWriter(stamp, context),
  };
}
