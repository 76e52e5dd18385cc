// OpenAI's Responses API from the provider's side: `/openai/v1/responses`, and `/compact` below it.
import { asArray, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { renderTypedEvent } from "./formats.ts";
import { isOpenaiModel, isReasoning, OPENAI_ERRORS } from "./openai.ts";
import type { Problem } from "./problem.ts";
import { signText, splitInput, takeFirstAnswer } from "./responder.ts";
import {
  readItemsPrompt,
  renderCallItem,
  renderEnding,
  renderMessageItem,
  renderResponse,
  renderResponseUsage,
} from "./response-items.ts";
import { isSearching, renderSearchItem } from "./searches.ts";
import type { Answer, Exchange, Frame, NamedEvent, Prompt, SimDialect } from "./types.ts";

const COMPACT = "/responses/compact";

function isThinking(body: JsonObject, model: string): boolean {
  const { effort } = asObject(body.reasoning);
  if (isOpenaiModel(model)) return isReasoning(model, effort);
  if (effort === "none") return false;
  return model.includes("think") || typeof effort === "string";
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const { type, schema } = asObject(asObject(body.text).format);
  const json = type === "json_object" || type === "json_schema";
  const format = json ? { schema: isObject(schema) ? schema : null } : null;
  return { ...readItemsPrompt(body), format, isThinking: isThinking(body, model) };
}

/** The id prefix of a call made after thinking. */
export const THOUGHT_CALL = "fc_rs_";

/** Renders thinking. Its summary and its sealed content are included only on request. */
function renderReasoningItem(exchange: Exchange, answer: Answer): JsonObject {
  const shown = typeof asObject(exchange.body.reasoning).summary === "string";
  const summary = shown ? [{ type: "summary_text", text: answer.thinking }] : [];
  const item = { type: "reasoning", id: `rs_${exchange.id("reasoning", 32)}`, summary };
  const asked = asArray(exchange.body.include).includes("reasoning.encrypted_content");
  // It is opaque to the client, and can be verified even without its item's id.
  const secret = exchange.id("seal", 40);
  return asked ? { ...item, encrypted_content: `gAAAA${secret}.${signText(secret)}` } : item;
}

/** True if the request asks for a summary in the place of its conversation ("Compaction", OpenAI's API reference). */
function isCompacting({ body }: Exchange): boolean {
  return asObject(asArray(body.input).at(-1)).type === "compaction_trigger";
}

/** Renders a summary that only its maker can read. */
function renderCompaction(exchange: Exchange): JsonObject {
  const secret = exchange.id("summary", 40);
  const encrypted_content = `gAAAA${secret}.${signText(secret)}`;
  return { type: "compaction", id: `cmp_${exchange.id("compaction", 32)}`, encrypted_content };
}

function renderOutput(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  if (isCompacting(exchange)) return [renderCompaction(exchange)];
  const mark = answer.thinking === "" ? "fc_" : THOUGHT_CALL;
  const isFound = isSearching(exchange);
  const message = renderMessageItem(exchange, answer, isFound);
  return [
    ...(answer.thinking === "" ? [] : [renderReasoningItem(exchange, answer)]),
    ...(isFound ? [renderSearchItem(exchange)] : []),
    ...(message ? [message] : []),
    ...answer.calls.map((call, at) => renderCallItem(exchange, call, at, mark)),
  ];
}

/** Renders the report of reasoning that was left out of the input (openai-node 7.59, "Responses"). */
function renderRemovedReasoning({ removes, id }: Exchange): JsonObject {
  if (removes.length === 0) return {};
  const entries = removes.map((reason, at) => ({
    id: `rs_${id(`removed ${at}`, 32)}`,
    type: "reasoning",
    action: reason === "allowed" ? "kept" : "removed",
    reason: reason === "turn_boundary" ? reason : `${reason}_mismatch`,
  }));
  return { input_transformations: entries };
}

/** Renders a response, which repeats settings of its request. */
function renderOwnResponse(exchange: Exchange, rest: JsonObject): JsonObject {
  const { body } = exchange;
  return renderResponse(exchange, {
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    text: body.text ?? { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    metadata: {},
    ...renderRemovedReasoning(exchange),
    ...rest,
  });
}

/** Renders what the next request begins with: the user's own messages, and a summary of all else ("Compact a response"). */
function renderCompacted(exchange: Exchange): JsonObject {
  const { input } = exchange.body;
  const items =
    typeof input === "string" ? [{ type: "message", role: "user", content: input }] : asArray(input);
  const kept = items.filter((item) => asObject(item).role === "user");
  return {
    id: `resp_${exchange.id("response", 32)}`,
    object: "response.compaction",
    created_at: exchange.createdSeconds,
    output: [...kept, renderCompaction(exchange)],
    usage: exchange.usage ? renderResponseUsage(exchange.usage) : null,
  };
}

function renderReply(exchange: Exchange): JsonObject {
  if (exchange.path === COMPACT) return renderCompacted(exchange);
  const answer = takeFirstAnswer(exchange);
  return renderOwnResponse(exchange, {
    ...renderEnding(answer),
    output: renderOutput(exchange, answer),
    usage: exchange.usage ? renderResponseUsage(exchange.usage) : null,
  });
}

function* renderReasoningEvents(item: JsonObject): Iterable<NamedEvent> {
  for (const [summary_index, part] of asArray(item.summary).entries()) {
    const at = { item_id: item.id, summary_index };
    const text = String(asObject(part).text);
    yield [
      "start",
      "response.reasoning_summary_part.added",
      { ...at, part: { type: "summary_text", text: "" } },
    ];
    for (const delta of text.match(/\s*\S+/g) ?? [])
      yield ["delta", "response.reasoning_summary_text.delta", { ...at, delta }];
    yield ["start", "response.reasoning_summary_text.done", { ...at, text }];
    yield ["start", "response.reasoning_summary_part.done", { ...at, part }];
  }
}

function* renderMessageEvents(item: JsonObject, answer: Answer): Iterable<NamedEvent> {
  const at = { item_id: item.id, content_index: 0 };
  const part = asObject(asArray(item.content)[0]);
  const field = part.type === "refusal" ? "refusal" : "text";
  const mark = field === "refusal" ? "response.refusal" : "response.output_text";
  const pieces = answer.refusal === null ? answer.pieces : [answer.refusal];
  yield [
    "start",
    "response.content_part.added",
    { ...at, part: { ...part, [field]: "", ...(part.annotations ? { annotations: [] } : {}) } },
  ];
  for (const delta of pieces) yield ["delta", `${mark}.delta`, { ...at, delta }];
  for (const [annotation_index, annotation] of asArray(part.annotations).entries())
    yield ["start", "response.output_text.annotation.added", { ...at, annotation_index, annotation }];
  yield ["start", `${mark}.done`, { ...at, [field]: part[field] }];
  yield ["start", "response.content_part.done", { ...at, part }];
}

function* renderCallEvents(item: JsonObject): Iterable<NamedEvent> {
  const custom = item.type === "custom_tool_call";
  const field = custom ? "input" : "arguments";
  const mark = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const text = String(item[field]);
  for (const delta of splitInput(text)) yield ["delta", `${mark}.delta`, { item_id: item.id, delta }];
  yield ["start", `${mark}.done`, { item_id: item.id, [field]: text }];
}

/** Returns an item as first sent, without content. */
function renderBegun(item: JsonObject): JsonObject {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    case "web_search_call":
      return { ...item, status: "in_progress", action: { type: "search", query: "" } };
    case "compaction":
      return { ...item, encrypted_content: "" };
    default:
      return { ...item, status: "in_progress", arguments: "" };
  }
}

function* renderSearchEvents({ id: item_id }: JsonObject): Iterable<NamedEvent> {
  for (const state of ["in_progress", "searching", "completed"])
    yield ["start", `response.web_search_call.${state}`, { item_id }];
}

function renderInnerEvents(item: JsonObject, answer: Answer): Iterable<NamedEvent> {
  switch (item.type) {
    case "reasoning":
      return renderReasoningEvents(item);
    case "message":
      return renderMessageEvents(item, answer);
    case "web_search_call":
      return renderSearchEvents(item);
    case "compaction":
      return [["start", "response.compaction.compacting", { item_id: item.id }]];
    default:
      return renderCallEvents(item);
  }
}

function* renderItemEvents(item: JsonObject, output_index: number, answer: Answer): Iterable<NamedEvent> {
  yield ["start", "response.output_item.added", { output_index, item: renderBegun(item) }];
  for (const [kind, type, fields] of renderInnerEvents(item, answer))
    yield [kind, type, { output_index, ...fields }];
  yield ["start", "response.output_item.done", { output_index, item }];
}

function* renderEvents(exchange: Exchange): Iterable<NamedEvent> {
  const answer = takeFirstAnswer(exchange);
  const early = exchange.oddUsage && exchange.usage ? { usage: renderResponseUsage(exchange.usage) } : {};
  const begun = { response: renderOwnResponse(exchange, early) };
  yield ["start", "response.created", begun];
  yield ["start", "response.in_progress", begun];
  for (const [at, item] of renderOutput(exchange, answer).entries())
    yield* renderItemEvents(item, at, answer);
  const response = renderReply(exchange);
  yield ["end", `response.${String(response.status)}`, { response }];
}

function* renderFrames(exchange: Exchange): Iterable<Frame> {
  let sequence_number = 0;
  for (const [kind, type, fields] of renderEvents(exchange))
    yield { kind, text: renderTypedEvent(type, { sequence_number: sequence_number++, ...fields }) };
}

function renderFailed(problem: Problem, exchange: Exchange): JsonObject {
  const error = { code: "server_error", message: problem.message };
  return renderOwnResponse(exchange, { status: "failed", error });
}

/** Returns an `error` event and the failed response. */
function renderFailure(problem: Problem, exchange: Exchange): string {
  const error = { sequence_number: 99, ...OPENAI_ERRORS.renderErrorBody(problem) };
  const failed = { sequence_number: 100, response: renderFailed(problem, exchange) };
  return renderTypedEvent("error", error) + renderTypedEvent("response.failed", failed);
}

/** OpenAI's Responses API ("API reference: Responses", "Streaming events"). */
export const responses: SimDialect = {
  name: "responses",
  prefix: "/openai/v1",
  handles: (path) => path === "/responses" || path === COMPACT,
  readPrompt,
  renderReply,
  renderFrames,
  ...OPENAI_ERRORS,
  renderFailure,
  renderFailedBody: renderFailed,
};
