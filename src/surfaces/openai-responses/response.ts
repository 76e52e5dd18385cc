// The response object: its own fields, the items of an answer, its status and its usage.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { isDocument } from "../../operations/chat/answer/citations.ts";
import type {
  ChatReply,
  Citation,
  FinishReason,
  ReasoningDetail,
  ToolCall,
  Usage,
} from "../../operations/chat/form.ts";
import { joinText } from "../../operations/chat/prompt/content-text.ts";
import { listTurn, type TurnText } from "../../operations/chat/turn.ts";
import { isCutCall } from "../close-json.ts";
import { writeCost } from "../cost.ts";
import { RESPONSES_FORMAT, signThinking, signTurn } from "../signature.ts";
import type { Stamp } from "../surface.ts";
import { wrapSummaries } from "./compaction/summary.ts";
import { asksForSources, writeSearchItem } from "./searches.ts";
import type { ToolName, ToolNames } from "./tools.ts";

/** A request's echoed fields and tool names, and where its answer is kept. */
export interface ResponseContext {
  readonly given: JsonObject;
  readonly names: ToolNames;
  readonly seal: Sealer;
  /** True if the answer is kept here, so that requests can continue from it. */
  readonly keeps: boolean;
  /** True if the provider may store the answer. */
  readonly mayStore: boolean;
}

/**
 * Returns a response without output, with all fields that Open Responses requires (its OpenAPI document of 24 April 2026).
 * `completed_at` stays null, as no clock is at hand for a response's end.
 */
export function startResponse({ given, keeps }: ResponseContext, { id, created, model }: Stamp): JsonObject {
  return {
    id,
    object: "response",
    created_at: created,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    ...repeatTexts(given),
    frequency_penalty: 0,
    max_output_tokens: given.max_output_tokens ?? null,
    max_tool_calls: given.max_tool_calls ?? null,
    model,
    output: [],
    parallel_tool_calls: given.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: given.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...asObject(given.reasoning) },
    service_tier: "default",
    store: keeps,
    temperature: given.temperature ?? 1,
    tool_choice: given.tool_choice ?? "auto",
    top_logprobs: given.top_logprobs ?? 0,
    top_p: given.top_p ?? 1,
    truncation: given.truncation ?? "disabled",
    usage: null,
  };
}

/** The fields in which a response repeats texts of its request. */
function repeatTexts(given: JsonObject): JsonObject {
  return {
    instructions: given.instructions ?? null,
    metadata: given.metadata ?? {},
    prompt_cache_key: given.prompt_cache_key ?? null,
    safety_identifier: given.safety_identifier ?? null,
    text: echoText(asObject(given.text)),
    tools: asArray(given.tools).map(echoTool),
  };
}

/** Returns a response that repeats the request as it is kept, where it repeats it as it came. */
export function repeatKeptTexts(response: JsonObject, came: JsonObject, kept: JsonObject): JsonObject {
  const before = repeatTexts(came);
  const changed = Object.entries(repeatTexts(kept)).filter(
    ([field, value]) =>
      Bun.deepEquals(response[field], before[field]) && !Bun.deepEquals(value, before[field]),
  );
  return changed.length === 0 ? response : { ...response, ...Object.fromEntries(changed) };
}

/** Returns the format of the answer with all of its fields. */
function echoText(text: JsonObject): JsonObject {
  const format = asObject(text.format);
  if (format.type !== "json_schema") return { format: { type: "text" }, ...text };
  return { ...text, format: { description: null, strict: false, ...format } };
}

/** Returns a function with all of its fields. Any other tool stays as it came. */
export function echoTool(value: unknown): unknown {
  const tool = asObject(value);
  return tool.type === "function" ? { description: null, parameters: null, strict: null, ...tool } : value;
}

/** Returns a response with all of its output. `created_at` is its start; no clock is at hand for its end. */
export function endResponse(
  started: JsonObject,
  output: readonly JsonObject[],
  reason: FinishReason,
  usage: Usage | undefined,
): JsonObject {
  const ended = readIncomplete(reason);
  const isCut = output.some(({ status }) => status === "incomplete");
  const incomplete = ended ?? (isCut ? "max_output_tokens" : null);
  return {
    ...started,
    status: incomplete === null ? "completed" : "incomplete",
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    output: ended === null ? output : output.map(markCut),
    usage: usage ? writeUsage(usage) : null,
  };
}

/** Returns why an answer is incomplete, or null if it is complete. */
export function readIncomplete(reason: FinishReason): "max_output_tokens" | "content_filter" | null {
  if (reason === "length") return "max_output_tokens";
  return reason === "content_filter" ? "content_filter" : null;
}

/** An incomplete response's last item was cut off: a client must not run a partial call. */
function markCut(item: JsonObject, index: number, all: readonly JsonObject[]): JsonObject {
  return index === all.length - 1 && item.status === "completed" ? { ...item, status: "incomplete" } : item;
}

export function writeUsage(usage: Usage): JsonObject {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: input?.cached_tokens ?? 0,
      cache_write_tokens: input?.cache_write_tokens ?? 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: output?.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
    ...writeCost(usage),
  };
}

/**
 * Returns the fields of a provider's answer that say if it is kept, here or there, and under which id, and since when it is
 * there if the provider doesn't say.
 */
export function stampState(response: JsonObject, stamp: Stamp, context: ResponseContext): JsonObject {
  const { given, keeps, mayStore } = context;
  const isStored = mayStore && response.store === true && typeof response.id === "string";
  return {
    ...(keeps || mayStore || given.previous_response_id
      ? { previous_response_id: given.previous_response_id ?? null }
      : {}),
    ...(keeps ? { store: true } : {}),
    ...(response.created_at === undefined ? { created_at: stamp.created } : {}),
    id: isStored ? stamp.nameStored(String(response.id)) : stamp.id,
  };
}

/** Returns the provider's own response with our id, the card's name and the cost. */
export function stampVerbatim(
  response: JsonObject,
  stamp: Stamp,
  usage: Usage | undefined,
  context: ResponseContext,
): JsonObject {
  const own = usage === undefined ? {} : writeCost(usage);
  const given = response.usage === null ? null : { ...asObject(response.usage), ...own };
  const shown = wrapSummaries(response, stamp);
  return { ...shown, ...stampState(response, stamp, context), model: stamp.model, usage: given };
}

export function writeResponse(reply: ChatReply, stamp: Stamp, context: ResponseContext): JsonObject {
  if (reply.verbatim) return stampVerbatim(reply.verbatim, stamp, reply.usage, context);
  const [choice] = reply.choices;
  const json = new JsonBudget();
  const output: JsonObject[] = [];
  const message = choice?.message;
  if (message) {
    let logprobs = asArray(asObject(choice.logprobs).content);
    for (const part of signTurn(listTurn(message, message.annotations))) {
      if (part.kind === "text") {
        output.push(withLogprobs(writeMessage(stamp.id, output.length, part), logprobs));
        logprobs = [];
      } else if (part.kind === "search") {
        const id = makeItemId("ws", stamp.id, output.length);
        output.push(writeSearchItem(id, part.search, asksForSources(context.given)));
      } else if (part.kind === "call")
        output.push(writeCall(stamp.id, output.length, part.call, context.names, json));
      else output.push(writeReasoning(stamp.id, output.length, part.text, part.details, context));
    }
  }
  return endResponse(startResponse(context, stamp), output, choice?.finish_reason ?? "stop", reply.usage);
}

/** Returns the id of an item of ours. No provider knows it, so it is removed when the client sends it back. */
export function makeItemId(
  kind: "msg" | "fc" | "ctc" | "rs" | "ws" | "cmp",
  responseId: string,
  index: number,
): string {
  return `${kind}_pk1_${responseId.replace(/^resp_/, "")}_${index}`;
}

/**
 * Returns thinking as an item, always sealed. Clients that send whole items back don't all ask for
 * `reasoning.encrypted_content`: the AI SDK does so only for OpenAI's own models, openai-agents only if configured.
 * Without it the model would lose its thinking at each step of a tool call.
 */
export function writeReasoning(
  responseId: string,
  index: number,
  text: string,
  details: readonly ReasoningDetail[],
  { seal }: ResponseContext,
): JsonObject {
  const own = details.find(({ format, data }) => format === RESPONSES_FORMAT && data !== undefined);
  return {
    id: own?.id ?? makeItemId("rs", responseId, index),
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: own?.data ?? signThinking(seal, text, details),
  };
}

function writeMessage(responseId: string, index: number, part: TurnText): JsonObject {
  const content: JsonObject[] = [];
  const { refusal } = part;
  const text = joinText(part.content);
  if (text !== "") content.push(writeText(text, part.annotations.flatMap(writeCitation)));
  if (refusal !== "") content.push({ type: "refusal", refusal });
  const id = makeItemId("msg", responseId, index);
  return { id, type: "message", status: "completed", role: "assistant", content };
}

function withLogprobs(message: JsonObject, logprobs: readonly unknown[]): JsonObject {
  if (logprobs.length === 0) return message;
  const content = asArray(message.content).map((part) =>
    asObject(part).type === "output_text" ? { ...asObject(part), logprobs } : part,
  );
  return { ...message, content };
}

export function writeText(text: string, annotations: readonly JsonObject[]): JsonObject {
  return { type: "output_text", text, annotations, logprobs: [] };
}

/** Cites a page, or a document if it has a file id. Further fields would be refused when sent back. */
export function writeCitation(citation: Citation): readonly JsonObject[] {
  if (!isDocument(citation)) {
    const { start_index, end_index, url, title } = citation.url_citation;
    return [{ type: "url_citation", start_index, end_index, url, title }];
  }
  const { start_index, end_index, document_id: id, container_id, title } = citation.document_citation;
  if (id === undefined) return [];
  const file = { file_id: id, filename: title };
  if (container_id === undefined) return [{ type: "file_citation", ...file, index: end_index }];
  return [{ type: "container_file_citation", container_id, ...file, start_index, end_index }];
}

function writeCall(
  responseId: string,
  index: number,
  call: ToolCall,
  names: ToolNames,
  json: JsonBudget,
): JsonObject {
  const isCustom = call.type === "custom";
  const id = makeItemId(isCustom ? "ctc" : "fc", responseId, index);
  const { name } = isCustom ? call.custom : call.function;
  const input = isCustom ? call.custom.input : call.function.arguments;
  return endCallItem({ id, callId: call.id, name: names.restore(name), isCustom, input }, json);
}

/** A tool call. Its input is JSON unless the tool is custom. */
export interface CallItem {
  readonly id: string;
  readonly callId: string;
  readonly name: ToolName;
  readonly isCustom: boolean;
  readonly input: string;
}

/** Returns a call with all that came of it. If that was cut off, no client may run it. */
export function endCallItem(call: CallItem, json: JsonBudget): JsonObject {
  const isCut = !call.isCustom && isCutCall(call.input, json);
  return writeCallItem(call, isCut ? "incomplete" : "completed");
}

export function writeCallItem({ id, callId, name, isCustom, input }: CallItem, status: string): JsonObject {
  const type = isCustom ? "custom_tool_call" : "function_call";
  const head = { id, type, status, call_id: callId, ...name };
  return isCustom ? { ...head, input } : { ...head, arguments: input };
}
