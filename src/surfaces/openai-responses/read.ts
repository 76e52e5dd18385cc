// A Responses request as a chat request, checked.
import type { RawRequest } from "../../core/dialect.ts";
import { Fault } from "../../core/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { missingParameter } from "../../core/schema-fault.ts";
import type { Sealer } from "../../core/world.ts";
import type { ChatRequest, ResponseFormat } from "../../operations/chat/form.ts";
import { Checker, checkModelName, readFields, refuseLongList } from "../checker.ts";
import { parseEffort } from "../effort.ts";
import type { Incoming } from "../surface.ts";
import { readInput } from "./input.ts";
import { applyLane, isForced } from "./lane.ts";
import { inputTokensSchema, responsesSchema } from "./schema.ts";
import { joinEarlier } from "./stored.ts";
import { readTools, ToolNames } from "./tools.ts";

/** Fields that only a server of this family understands: the native lane carries them, a translation loses them. */
const NATIVE_FIELDS: readonly string[] = [
  "context_management",
  "max_tool_calls",
  "prompt_cache_options",
  "prompt_cache_retention",
];
/** Fields that say the same in a chat request. */
const SAME = ["temperature", "top_p", "user", "safety_identifier", "prompt_cache_key"] as const;

/** A conversation that a provider stores is known by its tokens alone, and is held as so much text. */
const BYTES_PER_TOKEN = 4;

export interface ResponsesRequest {
  readonly ask: ChatRequest;
  readonly raw: RawRequest;
  /** The body as the client sent it, for the fields that an answer repeats. */
  readonly given: JsonObject;
  /** The body with the whole conversation as its input. */
  readonly joined: JsonObject;
  readonly names: ToolNames;
  readonly session: string | null;
  readonly searches: number;
  readonly unreadBytes: number;
  /** Named whatever the lane. */
  readonly dropped: readonly string[];
  /** Named where the request is translated. */
  readonly lost: readonly string[];
}

const RESPONSES = new Checker(responsesSchema);
const COUNTED = new Checker(inputTokensSchema);

export function readResponsesRequest(incoming: Incoming): ResponsesRequest {
  const { body, headers, limits, seal, stored } = incoming;
  const given: JsonObject = RESPONSES.check(readFields(body), "input", limits.messagesMax);
  checkModelName(given.model);
  refuseNothing(given);
  const joined = joinEarlier(given, incoming);
  refuseLongList(joined.input, limits.messagesMax, "input");
  const lane = applyLane(joined, seal, limits.remoteTools === true);
  const names = new ToolNames();
  const raw = { ...lane.body, ...listStored(given, incoming) };
  const { input, tools, max_tool_calls } = joined;
  const read = readAsk({ ...lane.body, input, tools, max_tool_calls }, names, seal);
  return {
    ...{ ask: read.ask, given, joined, names, searches: lane.searches },
    unreadBytes: read.unreadBytes + (stored ? stored.tokens * BYTES_PER_TOKEN : 0),
    raw: { family: "responses", body: raw, headers: {} },
    session:
      headers.get("session-id") ?? headers.get("session_id") ?? asString(given.prompt_cache_key) ?? null,
    dropped: lane.dropped,
    lost: read.lost.filter((field) => !lane.dropped.includes(field)),
  };
}

/** Returns the fields by which an answer is stored at its provider, and those by which a request goes on from one there. */
function listStored({ store }: JsonObject, { limits, stored }: Incoming): JsonObject {
  return {
    store: limits.storesUpstream === true && store === true,
    ...(stored ? { previous_response_id: stored.id } : {}),
  };
}

/** Throws the Fault of a request that says nothing, or forces a call of a tool that it doesn't bring. */
function refuseNothing({ input, instructions, tools, tool_choice: choice, ...rest }: JsonObject): void {
  const refersElsewhere = ["prompt", "conversation", "previous_response_id"].some((field) => rest[field]);
  if (input === undefined && instructions === undefined && !refersElsewhere) {
    throw missingParameter("input");
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

/** The request of which only the tokens are counted. */
export function readCounted({ body, limits, seal }: Incoming): ChatRequest {
  return readAsk(COUNTED.check(readFields(body), "input", limits.messagesMax), new ToolNames(), seal).ask;
}

function readAsk(
  body: JsonObject,
  names: ToolNames,
  seal: Sealer,
): { readonly ask: ChatRequest; readonly lost: readonly string[]; readonly unreadBytes: number } {
  const tools = readTools(body, names);
  const input = readInput(body, names, seal);
  const effort = parseEffort(asObject(body.reasoning).effort);
  const format = readFormat(asObject(asObject(body.text).format));
  const verbosity = asObject(body.text).verbosity;
  const ask: ChatRequest = {
    model: asString(body.model) ?? "",
    messages: input.messages,
    ...(typeof body.max_output_tokens === "number" ? { max_completion_tokens: body.max_output_tokens } : {}),
    ...(body.stream === true ? { stream: true } : {}),
    ...tools.fields,
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...readLogprobs(body),
    ...pickSame(body),
  };
  const lost = NATIVE_FIELDS.filter((field) => body[field] !== undefined);
  if (body.truncation === "auto") lost.push("truncation");
  const unreadBytes = input.unreadBytes + tools.unreadBytes;
  return { ask, lost: [...lost, ...input.lost, ...tools.lost], unreadBytes };
}

function pickSame(body: JsonObject): JsonObject {
  return Object.fromEntries(
    SAME.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])),
  );
}

function readLogprobs({ include, top_logprobs: top }: JsonObject): JsonObject {
  if (typeof top === "number" && top > 0) return { logprobs: true, top_logprobs: top };
  return asArray(include).includes("message.output_text.logprobs") ? { logprobs: true } : {};
}

/** The format lies flat here. Asking for text is asking for nothing special. */
function readFormat({ type, name, description, schema, strict }: JsonObject): ResponseFormat | undefined {
  if (type === "json_object") return { type };
  if (type !== "json_schema") return undefined;
  return {
    type,
    json_schema: {
      name: asString(name) ?? "answer",
      ...(typeof description === "string" ? { description } : {}),
      ...(isObject(schema) ? { schema } : {}),
      ...(typeof strict === "boolean" ? { strict } : {}),
    },
  };
}
