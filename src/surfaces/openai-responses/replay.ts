// A stored response as the events of a stream. Each text comes in one piece, so later events have lower numbers than in the
// stream that was first sent.
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { namedEvent } from "../event-stream.ts";

/** An event's type without `response.`, and its fields. */
type ReplayedEvent = readonly [type: string, fields: JsonObject];

/**
 * Returns the events with higher numbers than `after`, one by one, since they hold each text several times. The last one
 * always comes: the client may count the events of another stream.
 */
export function* replayResponse(response: JsonObject, after: number): Generator<string> {
  let number = 0;
  for (const event of listEvents(response)) {
    if (number > after) yield write(event, number);
    number++;
  }
  yield write([asString(response.status) ?? "completed", { response }], Math.max(number, after + 1));
}

function write([name, fields]: ReplayedEvent, number: number): string {
  const type = `response.${name}`;
  return namedEvent(type, JSON.stringify({ type, sequence_number: number, ...fields }));
}

function* listEvents(response: JsonObject): Generator<ReplayedEvent> {
  const begun = { status: "in_progress", incomplete_details: null, output: [], usage: null };
  for (const type of ["created", "in_progress"]) yield [type, { response: { ...response, ...begun } }];
  for (const [index, one] of asArray(response.output).entries()) {
    const item = asObject(one);
    for (const [type, fields] of listItem(item)) yield [type, { output_index: index, ...fields }];
    yield ["output_item.done", { output_index: index, item }];
  }
}

/** Events of an item's pieces name it by its id, which some servers leave out. */
function listItem(item: JsonObject): Iterable<ReplayedEvent> {
  switch (asString(item.id) ? item.type : undefined) {
    case "message":
      return listMessage(item);
    case "reasoning":
      return listReasoning(item);
    case "function_call":
      return listCall(item, "function_call_arguments", "arguments");
    case "custom_tool_call":
      return listCall(item, "custom_tool_call_input", "input");
    case "web_search_call":
      return listSearch(item);
    case "mcp_call":
      return listOwnCall(item);
    case "mcp_list_tools":
      return listTools(item);
    default:
      return [addItem(item)];
  }
}

function* listMessage(item: JsonObject): Generator<ReplayedEvent> {
  yield ["output_item.added", { item: { ...item, status: "in_progress", content: [] } }];
  for (const [index, one] of asArray(item.content).entries()) {
    const part = asObject(one);
    const at = { item_id: item.id, content_index: index };
    yield ["content_part.added", { ...at, part: emptyPart(part) }];
    yield* listPart(part, at);
    yield ["content_part.done", { ...at, part }];
  }
}

function emptyPart(part: JsonObject): JsonObject {
  if (part.type === "refusal") return { ...part, refusal: "" };
  return part.type === "output_text" ? { ...part, text: "", annotations: [], logprobs: [] } : part;
}

function* listPart(
  { type, text, refusal, annotations, logprobs }: JsonObject,
  at: JsonObject,
): Generator<ReplayedEvent> {
  if (type === "refusal") {
    yield ["refusal.delta", { ...at, delta: refusal }];
    yield ["refusal.done", { ...at, refusal }];
  }
  if (type !== "output_text") return;
  const likely = asArray(logprobs);
  if (text) yield ["output_text.delta", { ...at, delta: text, logprobs: likely }];
  for (const [annotation_index, annotation] of asArray(annotations).entries())
    yield ["output_text.annotation.added", { ...at, annotation_index, annotation }];
  yield ["output_text.done", { ...at, text, logprobs: likely }];
}

function* listReasoning({ id, type, summary, content }: JsonObject): Generator<ReplayedEvent> {
  yield ["output_item.added", { item: { id, type, summary: [] } }];
  for (const [summary_index, one] of asArray(summary).entries()) {
    const part = asObject(one);
    const { text } = part;
    const at = { item_id: id, summary_index };
    yield ["reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }];
    yield ["reasoning_summary_text.delta", { ...at, delta: text }];
    yield ["reasoning_summary_text.done", { ...at, text }];
    yield ["reasoning_summary_part.done", { ...at, part }];
  }
  for (const [content_index, one] of asArray(content).entries()) {
    const part = asObject(one);
    const { text } = part;
    const at = { item_id: id, content_index };
    yield ["content_part.added", { ...at, part: { ...part, text: "" } }];
    yield ["reasoning_text.delta", { ...at, delta: text }];
    yield ["reasoning_text.done", { ...at, text }];
    yield ["content_part.done", { ...at, part }];
  }
}

function* listCall(item: JsonObject, event: string, field: "arguments" | "input"): Generator<ReplayedEvent> {
  const { id: item_id, name, [field]: input } = item;
  yield ["output_item.added", { item: { ...item, status: "in_progress", [field]: "" } }];
  if (input) yield [`${event}.delta`, { item_id, delta: input }];
  yield [`${event}.done`, { item_id, name, [field]: input }];
}

function* listSearch(item: JsonObject): Generator<ReplayedEvent> {
  yield addItem(item);
  for (const step of ["in_progress", "searching", "completed"])
    yield [`web_search_call.${step}`, { item_id: item.id }];
}

function* listOwnCall(item: JsonObject): Generator<ReplayedEvent> {
  const { id: item_id, arguments: given, status } = item;
  const open = { ...item, status: "in_progress", arguments: "", output: null, error: null };
  yield ["output_item.added", { item: open }];
  yield ["mcp_call.in_progress", { item_id }];
  if (given) yield ["mcp_call_arguments.delta", { item_id, delta: given }];
  yield ["mcp_call_arguments.done", { item_id, arguments: given }];
  if (status === "completed" || status === "failed") yield [`mcp_call.${status}`, { item_id }];
}

function* listTools(item: JsonObject): Generator<ReplayedEvent> {
  const { id: item_id, tools, error } = item;
  yield ["output_item.added", { item: { ...item, tools: [], error: null } }];
  yield ["mcp_list_tools.in_progress", { item_id }];
  const hasFailed = Boolean(error) && asArray(tools).length === 0;
  yield [`mcp_list_tools.${hasFailed ? "failed" : "completed"}`, { item_id }];
}

function addItem(item: JsonObject): ReplayedEvent {
  const state = item.status === undefined ? {} : { status: "in_progress" };
  return ["output_item.added", { item: { ...item, ...state } }];
}
