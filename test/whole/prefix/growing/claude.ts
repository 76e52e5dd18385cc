// Claude's side of a conversation: its pieces, the rules of its messages, and answers whose thinking is bound to what stands
// before it (Anthropic, "Preserved thinking", "Prefix checks", and the Messages API reference on system messages, 2026).
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { digest, listParts, marksOwnWords, type Piece, writePiece } from "./pieces.ts";
import type { Read } from "./recorder.ts";
import type { AnswerPlan } from "./talk.ts";

/** Models whose thinking is bound. */
const BINDS = /(opus|sonnet|haiku)-5-5|fable-5/;
const LATE = new Set(["text", "tool_addition", "tool_removal"]);

export function readClaude(body: JsonObject): Read {
  const front = [
    ...asArray(body.tools).map((tool) => writePiece({ tool })),
    ...listParts(body.system, "text").map((part) => writePiece({ role: "front", part })),
  ];
  const pieces = [...front];
  const removed: JsonObject[] = [];
  let before = front.reduce(digest, "");
  const isBound = BINDS.test(String(body.model));
  for (const message of asArray(body.messages).map(asObject)) {
    for (const part of listParts(message.content, "text").map(unfoldResult)) {
      const signature = String(part.signature ?? part.data);
      const isThought = String(part.type).includes("thinking");
      if (isThought && isBound && signature !== sign(before))
        removed.push({ type: "thinking_dropped", reason: "prefix_binding_mismatch" });
      const piece = writePiece({ role: message.role, part });
      pieces.push(piece);
      before = digest(before, piece);
    }
  }
  return { pieces, removed, problems: listMisplaced(asArray(body.messages).map(asObject)) };
}

const sign = (before: string) => `bound-${before}`;

/** A result's text may be a string or a block. */
function unfoldResult(part: JsonObject): JsonObject {
  if (part.type !== "tool_result") return part;
  return { ...part, is_error: part.is_error ?? false, content: listParts(part.content, "text") };
}

/** Lists what the API refuses in the order of messages. */
export function listMisplaced(messages: readonly JsonObject[]): readonly string[] {
  return messages.flatMap((message, at) => {
    const problems: string[] = [];
    const [before, after] = [messages[at - 1], messages[at + 1]];
    if (marksOwnWords(message))
      problems.push(`messages.${at}: a cache mark stands behind what the gateway says`);
    if (message.role === "system") {
      if (before?.role !== "user") problems.push(`messages.${at}: a system message stands behind no user's`);
      if (after && after.role !== "assistant")
        problems.push(`messages.${at}: a system message stands before no answer`);
      if (listParts(message.content, "text").some(({ type }) => !LATE.has(String(type))))
        problems.push(`messages.${at}: a system message holds more than texts and changes of tools`);
    }
    const calls = listIds(message, "tool_use", "id");
    const results = listIds(after ?? {}, "tool_result", "tool_use_id");
    if (message.role === "assistant" && calls.some((id) => !results.includes(id)))
      problems.push(`messages.${at}: a call has no result behind it`);
    if (at === messages.length - 1 && message.role === "assistant") problems.push("it ends in an answer");
    return problems;
  });
}

function listIds({ content }: JsonObject, type: string, field: string): readonly string[] {
  const parts = listParts(content, "text").filter((part) => part.type === type);
  return parts.map((part) => String(part[field]));
}

/** Makes the blocks of an answer. Models that hide their thinking show it if it is asked for. */
export function writeClaude(plan: AnswerPlan, body: JsonObject, read: Read): readonly JsonObject[] {
  let before = read.pieces.reduce(digest, "");
  const blocks: JsonObject[] = [];
  const add = (part: JsonObject) => {
    blocks.push(part);
    before = digest(before, writePiece({ role: "assistant", part }));
  };
  const thinking = asObject(body.thinking).display === "summarized" ? "Let me see." : "";
  if (plan.thinks) add({ type: "thinking", thinking, signature: sign(before) });
  if (plan.text !== "") add({ type: "text", text: plan.text });
  if (plan.thinks && plan.interleaves && plan.calls.length > 0)
    add({ type: "redacted_thinking", data: sign(before) });
  for (const { id, name, input } of plan.calls) add({ type: "tool_use", id, name, input });
  return blocks;
}

export function listClaudePieces(blocks: readonly JsonObject[]): readonly Piece[] {
  return blocks.map((part) => writePiece({ role: "assistant", part }));
}

/** Makes a whole answer, or the events of one. */
export function wrapClaude(
  blocks: readonly JsonObject[],
  plan: AnswerPlan,
  body: JsonObject,
  removed: readonly JsonObject[],
): Response {
  const usage = { input_tokens: 9, output_tokens: 9 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: body.model, stop_sequence: null };
  const asks = asObject(asObject(body.thinking).block_binding).prefix_mismatch_behavior === "drop_block";
  const told = asks ? { input_transformations: removed } : {};
  const stop_reason = plan.calls.length > 0 ? "tool_use" : "end_turn";
  if (body.stream !== true)
    return Response.json({ ...message, content: blocks, stop_reason, usage, ...told });
  return streamEvents([
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage, ...told } },
    ...blocks.flatMap(listBlockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

function listBlockEvents(block: JsonObject, index: number): readonly JsonObject[] {
  const deltas: Readonly<Record<string, readonly [empty: JsonObject, deltas: readonly JsonObject[]]>> = {
    text: [{ text: "" }, [{ type: "text_delta", text: block.text }]],
    tool_use: [{ input: {} }, [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }]],
    thinking: [
      { thinking: "", signature: "" },
      [
        { type: "thinking_delta", thinking: block.thinking },
        { type: "signature_delta", signature: block.signature },
      ],
    ],
  };
  const [empty, all] = deltas[String(block.type)] ?? [{}, []];
  return [
    { type: "content_block_start", index, content_block: { ...block, ...empty } },
    ...all.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** Makes an event stream, each event named by its type. */
export function streamEvents(events: readonly JsonObject[]): Response {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
