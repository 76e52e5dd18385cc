// The side of OpenAI's models, by the Responses API and by chat completions: their pieces, and answers whose reasoning is bound
// to what stands before it ("Keep the prefix unchanged", 2026).
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { streamEvents } from "./claude.ts";
import { digest, listParts, type Piece, writePiece } from "./pieces.ts";
import type { Read } from "./recorder.ts";
import type { AnswerPlan } from "./talk.ts";

/** Models whose reasoning is bound. */
const BINDS = /gpt-6\.2/;

export function readResponses(body: JsonObject): Read {
  const front = [
    ...asArray(body.tools).map((tool) => writePiece({ tool })),
    ...(body.instructions === undefined ? [] : [writePiece({ instructions: body.instructions })]),
  ];
  const pieces = [...front];
  const removed: JsonObject[] = [];
  let before = front.reduce(digest, "");
  for (const item of asArray(body.input).map(asObject)) {
    const isBound = item.type === "reasoning" && BINDS.test(String(body.model));
    if (isBound && item.encrypted_content !== sign(before))
      removed.push({ type: "reasoning", action: "removed", reason: "prefix_mismatch", id: item.id });
    for (const piece of listItemPieces(item)) {
      pieces.push(piece);
      before = digest(before, piece);
    }
  }
  return { pieces, removed, problems: listUnanswered(asArray(body.input).map(asObject)) };
}

const sign = (before: string) => `gAAAA${before}`;

/** Returns what a model reads of an item: not its id and status, and each part of a message on its own. */
function listItemPieces(item: JsonObject): readonly Piece[] {
  const { type = "message", role, phase, content } = item;
  switch (type) {
    case "message":
      return listParts(content, role === "assistant" ? "output_text" : "input_text").map(
        ({ type: kind, text, image_url }) =>
          writePiece({ role, phase, part: { type: kind, text, image_url } }),
      );
    case "reasoning":
      return [writePiece({ sealed: item.encrypted_content })];
    case "function_call":
      return [writePiece({ id: item.call_id, name: item.name, input: JSON.parse(String(item.arguments)) })];
    case "function_call_output":
      return [writePiece({ id: item.call_id, output: listParts(item.output, "input_text") })];
    default:
      return [writePiece({ ...item, id: undefined })];
  }
}

function listUnanswered(items: readonly JsonObject[]): readonly string[] {
  const results = new Set(
    items.filter(({ type }) => type === "function_call_output").map((one) => one.call_id),
  );
  const calls = items.filter(({ type }) => type === "function_call");
  return calls.filter(({ call_id }) => !results.has(call_id)).map((one) => `no result for ${one.call_id}`);
}

export function writeResponses(plan: AnswerPlan, read: Read): readonly JsonObject[] {
  let before = read.pieces.reduce(digest, "");
  const items: JsonObject[] = [];
  const add = (item: JsonObject) => {
    items.push(item);
    for (const piece of listItemPieces(item)) before = digest(before, piece);
  };
  const think = (number: number) =>
    add({ type: "reasoning", id: `rs_${before}${number}`, summary: [], encrypted_content: sign(before) });
  const hasCalls = plan.calls.length > 0;
  if (plan.thinks) think(1);
  if (plan.text !== "") {
    const content = [{ type: "output_text", text: plan.text, annotations: [] }];
    const phase = hasCalls ? "commentary" : "final_answer";
    add({ type: "message", id: `msg_${before}`, role: "assistant", status: "completed", phase, content });
  }
  if (plan.thinks && plan.interleaves && hasCalls) think(2);
  for (const { id, name, input } of plan.calls) {
    const item = { type: "function_call", id: `fc_${id}`, call_id: id, status: "completed", name };
    add({ ...item, arguments: JSON.stringify(input) });
  }
  return items;
}

export function listResponsesPieces(items: readonly JsonObject[]): readonly Piece[] {
  return items.flatMap(listItemPieces);
}

export function wrapResponses(
  output: readonly JsonObject[],
  body: JsonObject,
  removed: readonly JsonObject[],
): Response {
  const usage = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };
  const response = { id: "resp_1", object: "response", created_at: 1, model: body.model, usage };
  const completed = { ...response, status: "completed", output, input_transformations: removed };
  if (body.stream !== true) return Response.json(completed);
  return streamEvents([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...output.flatMap(listItemEvents),
    { type: "response.completed", response: completed },
  ]);
}

function listItemEvents(item: JsonObject, output_index: number): readonly JsonObject[] {
  const piece = { output_index, item_id: item.id };
  const empty = { message: { content: [] }, function_call: { arguments: "" } }[String(item.type)] ?? {};
  const text = asObject(asArray(item.content)[0]).text;
  const deltas: Readonly<Record<string, readonly JsonObject[]>> = {
    message: [{ type: "response.output_text.delta", content_index: 0, delta: text }],
    function_call: [{ type: "response.function_call_arguments.delta", delta: item.arguments }],
  };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, ...empty } },
    ...(deltas[String(item.type)] ?? []).map((delta) => ({ ...delta, ...piece })),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** Reads a request of chat completions, which bind nothing. */
export function readChat(body: JsonObject): Read {
  // Without `strict`, a tool isn't.
  const tools = asArray(body.tools).map((tool) => writePiece({ tool: withoutDefault(asObject(tool)) }));
  const messages = asArray(body.messages).map(asObject);
  return { pieces: [...tools, ...messages.flatMap(listMessagePieces)], removed: [], problems: [] };
}

function withoutDefault(tool: JsonObject): JsonObject {
  const { strict, ...fn } = asObject(tool.function);
  return { ...tool, function: strict === false ? fn : { ...fn, strict } };
}

function listMessagePieces({ role, content, tool_calls, tool_call_id }: JsonObject): readonly Piece[] {
  const parts = content === "" ? [] : listParts(content, "text");
  return [
    ...parts.map((part) => writePiece({ role, tool_call_id, part })),
    ...asArray(tool_calls).map((given) => {
      const { id, function: call } = asObject(given);
      const { name, arguments: input } = asObject(call);
      return writePiece({ id, name, input: JSON.parse(String(input)) });
    }),
  ];
}

export function writeChat(plan: AnswerPlan): JsonObject {
  const calls = plan.calls.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  return {
    role: "assistant",
    content: plan.text || null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

export function listChatPieces(message: JsonObject): readonly Piece[] {
  return listMessagePieces(message);
}

export function wrapChat(message: JsonObject, body: JsonObject): Response {
  const about = { id: "chatcmpl-1", created: 1, model: body.model };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  const finish_reason = message.tool_calls === undefined ? "stop" : "tool_calls";
  if (body.stream !== true)
    return Response.json({
      ...about,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  const chunk = { ...about, object: "chat.completion.chunk" };
  const calls = asArray(message.tool_calls).map((call, index) => ({ index, ...asObject(call) }));
  const delta = { ...message, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
  ];
  const text = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}
