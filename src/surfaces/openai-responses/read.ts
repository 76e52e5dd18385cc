// Reads a Responses request: its bounds, the whole conversation, and what it asks of a model.
import { Fault } from "../../core/faults/fault.ts";
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatRequest, ResponseFormat } from "../../operations/chat/form.ts";
import { EFFORT_WORDS, parseEffort } from "../../operations/chat/prompt/effort.ts";
import { settleToolChanges } from "../../operations/chat/prompt/tool-changes.ts";
import { findOnlyCode } from "../asked/only-code.ts";
import { Checker, checkModelName, readFields, refuseLongList } from "../checker.ts";
import { listLostFields, listLostWords, type ReadFields, readWhole } from "../lost-fields.ts";
import { explainMissing } from "../misplaced.ts";
import { namePlaces } from "../places.ts";
import { nameSearch } from "../search.ts";
import type { Exchange, Incoming } from "../surface.ts";
import { openSummaries } from "./compaction/summary.ts";
import { openGatewayToolCalls } from "./gateway-tools/history.ts";
import { readInput } from "./input.ts";
import { applyLane, isForced } from "./lane.ts";
import type { ResponseContext } from "./response.ts";
import { responsesSchema } from "./schema.ts";
import { SEARCH_NAMES } from "./searches.ts";
import { joinEarlier } from "./stored.ts";
import { RESPONSES_TEXTS } from "./texts.ts";
import { readTools, ToolNames } from "./tools.ts";

/** Limits the tools that the provider runs, of which a translation only keeps a search. */
const USES = "max_tool_calls";
/**
 * The fields that a translation carries, or that the gateway answers for: it shows thinking and its sealed form unasked,
 * repeats metadata, and stores answers itself.
 */
export const READ_FIELDS: ReadFields = {
  ...readWhole("model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "include"),
  ...readWhole("stream", "stream_options", "store", "previous_response_id", "metadata", "truncation"),
  ...readWhole("max_output_tokens", "temperature", "top_p", "top_logprobs"),
  ...readWhole("user", "safety_identifier", "prompt_cache_key", "prompt_cache_options"),
  reasoning: ["effort", "summary", "generate_summary"],
  text: ["format", "verbosity"],
};
/** Fields that are the same in a chat request. */
const SAME = [
  "temperature",
  "top_p",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_options",
] as const;

/** The size of a conversation stored at a provider is only known in tokens, so the hold assumes this length. */
const BYTES_PER_TOKEN = 4;

const RESPONSES = new Checker(responsesSchema);

/** A request, and the same with the whole conversation. */
interface JoinedRequest {
  readonly given: JsonObject;
  readonly joined: JsonObject;
}

export function joinRequest(incoming: Incoming): JoinedRequest {
  const { body, limits } = incoming;
  const given: JsonObject = RESPONSES.check(readFields(body), "input", limits.messagesMax);
  checkModelName(given.model);
  requireInput(given);
  const joined = joinEarlier(given, incoming);
  refuseLongList(joined.input, limits.messagesMax, "input");
  return { given, joined };
}

export function makeContext(
  { keeping, isRemembered, limits, seal }: Incoming,
  given: JsonObject,
  names: ToolNames,
): ResponseContext {
  // Answers repeat all fields but the input, which a long stream would keep alive.
  const { input: _input, ...repeated } = given;
  const keeps = keeping !== null && isRemembered !== true && given.store !== false;
  return { given: repeated, names, seal, keeps, mayStore: limits.storesUpstream === true };
}

/** An exchange without what writes its answer, which needs the context. */
interface ModelQuestion {
  readonly asked: Omit<Exchange<ChatForm>, "kept" | "keep" | "whole" | "writer">;
  readonly context: ResponseContext;
}

export function readAsked(incoming: Incoming, given: JsonObject, joined: JsonObject): ModelQuestion {
  const { headers, limits, seal, stored } = incoming;
  const { input, history } = openSummaries(openGatewayToolCalls(joined.input), seal);
  // Closures share what any of them refers to, so `lane` must not hold the input.
  const { body: passed, ...lane } = applyLane(
    input === joined.input ? joined : { ...joined, input },
    seal,
    limits,
  );
  const names = new ToolNames();
  const { tools, max_tool_calls } = joined;
  const read = readAsk({ ...passed, input, tools, max_tool_calls }, names, seal);
  const context = makeContext(incoming, given, names);
  const asked = {
    ask: read.ask,
    names: { ...NAMES, ...read.names, ...namePlaces(read.ask) },
    raw: {
      family: "responses" as const,
      body: { ...passed, ...listStored(given, incoming) },
      headers: {},
      texts: RESPONSES_TEXTS,
    },
    session:
      headers.get("session-id") ?? headers.get("session_id") ?? asString(given.prompt_cache_key) ?? null,
    searches: lane.searches,
    cachesLong: lane.cachesLong,
    unreadBytes: read.unreadBytes + (stored ? stored.tokens * BYTES_PER_TOKEN : 0),
    dropped: lane.dropped,
    lost: read.lost.filter((field) => !lane.dropped.includes(field)),
    nativeOnly: read.nativeOnly ?? (read.ask.tools ? undefined : findOnlyCode(tools, joined.tool_choice)),
    history,
    isLimitRequired: false,
    isToBeStored: given.store === true,
  };
  return { asked, context };
}

/** Returns the fields that make a provider store the answer or continue from one stored there. */
function listStored({ store }: JsonObject, { limits, stored }: Incoming): JsonObject {
  return {
    store: limits.storesUpstream === true && store === true,
    ...(stored ? { previous_response_id: stored.id } : {}),
  };
}

/** Throws a Fault if a request has no input, or forces a tool call without tools. */
function requireInput({ input, instructions, tools, tool_choice: choice, ...rest }: JsonObject): void {
  const refersElsewhere = ["prompt", "conversation", "previous_response_id"].some((field) => rest[field]);
  if (input === undefined && instructions === undefined && !refersElsewhere) {
    throw explainMissing(missingParameter("input"), rest, responsesSchema.properties);
  }
  if (Array.isArray(input) && input.length === 0 && instructions === undefined && !refersElsewhere) {
    const message = "Invalid 'input': empty array. Expected at least 1 element.";
    throw new Fault("empty_array", message, { param: "input" });
  }
  const hasTools =
    asArray(tools).length > 0 || asArray(input).some((item) => Array.isArray(asObject(item).tools));
  if (hasTools || !isForced(choice)) return;
  const message = "Invalid 'tool_choice': it is only allowed when 'tools' are specified.";
  throw new Fault("invalid_value", message, { param: "tool_choice" });
}

const NAMES = {
  max_completion_tokens: "max_output_tokens",
  reasoning_effort: "reasoning.effort",
  response_format: "text.format",
  verbosity: "text.verbosity",
  logprobs: "include",
  messages: "input",
  "messages.image_url": "input.input_image",
  "messages.file": "input.input_file",
  "messages.input_audio": "input.input_audio",
};

export function readAsk(
  body: JsonObject,
  names: ToolNames,
  seal: Sealer,
): Pick<Exchange<ChatForm>, "ask" | "lost" | "unreadBytes" | "names" | "nativeOnly"> {
  const tools = readTools(body, names);
  const input = readInput(body, names, seal);
  const text = asObject(body.text);
  const settled = settleToolChanges(input.messages, tools.fields.tools, tools.front);
  const ask: ChatRequest = omitUndefined({
    model: asString(body.model) ?? "",
    messages: settled.messages,
    max_completion_tokens: asNumber(body.max_output_tokens),
    stream: body.stream === true ? true : undefined,
    ...tools.fields,
    tools: settled.tools,
    reasoning_effort: parseEffort(asObject(body.reasoning).effort),
    response_format: readFormat(asObject(text.format)),
    verbosity: text.verbosity,
    ...readLogprobs(body),
    ...Object.fromEntries(SAME.map((field) => [field, body[field]])),
  });
  const isRead = tools.searchPath !== null;
  const lost = listLostFields(body, READ_FIELDS).filter((field) => !(isRead && field === USES));
  lost.push(
    ...listLostWords(
      ["truncation", body.truncation, TRUNCATIONS],
      ["reasoning.effort", asObject(body.reasoning).effort, EFFORT_WORDS],
      ["text.format", asObject(text.format).type, FORMATS],
    ),
  );
  const unreadBytes = input.unreadBytes + tools.unreadBytes;
  const searchNames = { ...nameSearch(tools.searchPath, SEARCH_NAMES), "web_search_options.max_uses": USES };
  const nativeOnly = input.nativeOnly ?? tools.demand;
  return { ask, lost: [...lost, ...input.lost, ...tools.lost], unreadBytes, names: searchNames, nativeOnly };
}

const FORMATS: ReadonlySet<unknown> = new Set(["text", "json_object", "json_schema"]);
/** Nothing is cut off a conversation here, which `auto` allows. */
const TRUNCATIONS: ReadonlySet<unknown> = new Set(["disabled"]);

function readLogprobs({ include, top_logprobs: top }: JsonObject): JsonObject {
  if (typeof top === "number" && top > 0) return { logprobs: true, top_logprobs: top };
  return asArray(include).includes("message.output_text.logprobs") ? { logprobs: true } : {};
}

/** The format's fields aren't nested here. The text format is the default. */
function readFormat({ type, name, description, schema, strict }: JsonObject): ResponseFormat | undefined {
  if (type === "json_object") return { type };
  if (type !== "json_schema") return undefined;
  return {
    type,
    json_schema: omitUndefined({
      name: asString(name) ?? "answer",
      description: asString(description),
      schema: isObject(schema) ? schema : undefined,
      strict: typeof strict === "boolean" ? strict : undefined,
    }),
  };
}
