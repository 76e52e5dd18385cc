// The texts of a chat request and of its answer, in the canonical form and in the provider's own.

import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import type { ChangeText, NativeTexts } from "../../core/text/texts.ts";
import { NONE } from "../form.ts";
import { makeForm, type TextGrammar } from "../text-grammar.ts";
import { mapList } from "../text-json.ts";
import { mapBody } from "../text-walk.ts";
import { isChunk, type Part, Run, Verbatim } from "./answer/run.ts";
import type { ChatChunk, ChatReply, ChatRequest, PartExtent, PartKind, ReplyChoice } from "./form.ts";

type Kind =
  | (
      | "body"
      | "message"
      | "part"
      | "file"
      | "call"
      | "callee"
      | "detail"
      | "citation"
      | "source"
      | "search"
      | "page"
    )
  | ("tool" | "definition" | "format" | "schema" | "answer" | "choice" | "delta");

const parts = { kind: "part", takes: ["text", "list"] } as const;
const message = {
  content: parts,
  reasoning_content: "thought",
  reasoning_details: { kind: "detail", takes: ["list"] },
  tool_calls: { kind: "call", takes: ["list"] },
  annotations: { kind: "citation", takes: ["list"] },
  web_searches: { kind: "search", takes: ["list"] },
  parts: "setting",
  tool_changes: "setting",
} as const;
const callee = { kind: "callee", takes: ["object"] } as const;
const definition = { kind: "definition", takes: ["object"] } as const;
const source = { kind: "source", takes: ["object"] } as const;

const GRAMMAR: TextGrammar<Kind> = {
  stray: "part",
  isSealed,
  words: new Set([
    "type",
    "role",
    "id",
    "tool_call_id",
    "model",
    "url",
    "data",
    "format",
    "detail",
    "ttl",
    "signature",
    "tool_choice",
    "mode",
    "syntax",
    "reasoning_effort",
    "effort",
    "verbosity",
    "search_context_size",
    "service_tier",
    "modalities",
    "voice",
    "file_id",
    "document_id",
    "container_id",
    "prompt_mode",
    "finish_reason",
    "native_finish_reason",
    "object",
    "system_fingerprint",
    "prompt_cache_retention",
  ]),
  kinds: {
    body: {
      form: makeForm({
        messages: { kind: "message", takes: ["list"] },
        tools: { kind: "tool", takes: ["list"] },
        response_format: { kind: "format", takes: ["object"] },
        safety_settings: "setting",
      }),
    },
    message: { form: makeForm(message) },
    part: { form: makeForm({ file: { kind: "file", takes: ["object"] } }) },
    file: { form: makeForm({ file_data: "file" }) },
    call: { form: makeForm({ function: callee, custom: callee, extra_content: "setting" }) },
    callee: { form: makeForm({ arguments: "own", input: "own" }) },
    detail: { form: makeForm({ text: "thought", summary: "thought" }) },
    citation: { form: makeForm({ url_citation: source, document_citation: source }), isPiece: false },
    source: { form: makeForm({ url: "text" }) },
    search: {
      form: makeForm({ queries: "text", pages: { kind: "page", takes: ["list"] }, error: "setting" }),
      isPiece: false,
    },
    page: { form: makeForm({ url: "text" }) },
    tool: { form: makeForm({ function: definition, custom: definition }) },
    definition: { form: makeForm({ parameters: "schema" }) },
    format: { form: makeForm({ json_schema: { kind: "schema", takes: ["object"] } }) },
    schema: { form: makeForm({ schema: "schema" }) },
    answer: {
      form: makeForm({
        choices: { kind: "choice", takes: ["list"] },
        usage: "setting",
        verbatim: "setting",
      }),
    },
    choice: {
      form: makeForm({
        message: { kind: "message", takes: ["object"] },
        delta: { kind: "delta", takes: ["object"] },
        logprobs: "again",
        text_logprobs: "again",
      }),
    },
    delta: { form: makeForm(message), isPiece: true },
  },
};

function isSealed(node: JsonObject, field: string): boolean {
  if (field === "reasoning_content" && Array.isArray(node.reasoning_details)) {
    return node.reasoning_details.some((detail) => isSealed(asObject(detail), "text"));
  }
  if (String(node.type).startsWith("reasoning.") && (node.signature || node.data)) return true;
  return Boolean(asObject(asObject(node.extra_content).google).thought_signature);
}

/** Linear in the request. Returns the same request if no text was changed. */
export function mapTexts(ask: ChatRequest, change: ChangeText): ChatRequest {
  const messages = mapList<JsonObject>(ask.messages, cutTurn);
  const given: JsonObject = messages === ask.messages ? ask : { ...ask, messages };
  const mapped = mapBody(GRAMMAR, "body", given, change);
  if (mapped === given) return ask;
  const joined = mapList(ask.messages, (one, at) =>
    joinTurn(one, messages[at], asArray(mapped.messages)[at]),
  );
  return { ...ask, ...mapped, messages: joined };
}

/** Without `native`, a changed answer loses the provider's own form, which would still say what it was. */
export function mapReply(reply: ChatReply, change: ChangeText, native: NativeTexts | null): ChatReply {
  const translated = mapReplyTexts(reply, change);
  const { verbatim, ...rest } = translated;
  const own = native && verbatim ? native.mapAnswer(verbatim, change) : verbatim;
  if (translated === reply && own === verbatim) return reply;
  return native && own ? { ...rest, verbatim: own } : rest;
}

function mapReplyTexts(reply: ChatReply, change: ChangeText): ChatReply {
  const choices = mapList(reply.choices, (choice) => {
    const message = cutTurn(choice.message);
    return message === choice.message ? choice : { ...choice, message };
  });
  const given: JsonObject = { ...reply, choices };
  const mapped = mapBody(GRAMMAR, "answer", given, change);
  if (mapped === given) return reply;
  const joined = mapList(reply.choices, (choice, at): ReplyChoice => {
    const now = asObject(asArray(mapped.choices)[at]);
    if (now === choices[at]) return choice;
    return { ...choice, ...now, message: joinTurn(choice.message, choices[at]?.message, now.message) };
  });
  return { ...reply, ...mapped, choices: joined };
}

/** The pieces of a streamed answer. Without `native`, a changed event of the provider is passed on translated. */
export function mapPieces(
  pieces: readonly Part[],
  change: ChangeText,
  native: NativeTexts | null,
): readonly Part[] {
  let isChanged = false;
  const mapped = pieces.flatMap((piece): readonly Part[] => {
    const now = mapPiece(piece, change, native);
    isChanged ||= now !== null;
    return now ?? [piece];
  });
  return isChanged ? mapped : pieces;
}

/** Null if no text was changed. */
function mapPiece(piece: Part, change: ChangeText, native: NativeTexts | null): readonly Part[] | null {
  const given = isChunk(piece) ? [piece] : piece.chunks();
  const chunks = mapList(given, (chunk) => mapChunk(chunk, change));
  const before = isChunk(piece) ? [] : listEvents(piece);
  if (before.length === 0 || native === null) return chunks === given ? null : chunks;
  const events = mapList(before, (event) => mapEvent(event, change, native));
  if (chunks === given && events === before) return null;
  if (!(piece instanceof Run)) return events.map((event) => new Verbatim(event, chunks));
  return events.map((event, at) => new Verbatim(event, chunks.slice(at, at + 1)));
}

/** A signature ends the thinking before it. A run's chunks and events differ in their text alone, so none of them is the last. */
export function listEndedTexts(piece: Part, native: NativeTexts | null): readonly string[] {
  if (piece instanceof Run) return NONE;
  const ended = (isChunk(piece) ? [piece] : piece.chunks()).flatMap(({ choices }) =>
    choices.flatMap(({ finish_reason: finish, index, delta: { reasoning_details: details = [] } }) => {
      if (finish) return [`choices[${index}]`];
      const isSigned = details.some(({ signature, data }) => signature ?? data);
      return isSigned ? [`choices[${index}].delta.reasoning`] : [];
    }),
  );
  const event = native && piece instanceof Verbatim ? parseReceived(piece.event.data) : null;
  return isObject(event) && native ? [...ended, ...native.endedTexts(event)] : ended;
}

function mapChunk(chunk: ChatChunk, change: ChangeText): ChatChunk {
  const mapped = mapBody(GRAMMAR, "answer", chunk, change);
  return mapped === chunk ? chunk : { ...chunk, ...mapped };
}

/** The provider's own events in a piece, one for each of a run's texts. */
function listEvents(piece: Run | Verbatim): readonly ServerEvent[] {
  if (piece instanceof Verbatim) return [piece.event];
  const { type = "", data = [] } = piece.shown ?? {};
  return data.map((one) => ({ event: type, data: one }));
}

function mapEvent(event: ServerEvent, change: ChangeText, native: NativeTexts): ServerEvent {
  const given = parseReceived(event.data);
  if (!isObject(given)) return event;
  const mapped = native.mapEvent(given, change);
  return mapped === given ? event : { ...event, data: JSON.stringify(mapped) };
}

/** A turn in an unusual order says how much of its texts belongs to each part: each is changed by itself. */
function cutTurn<Message extends JsonObject>(message: Message): Message {
  if (!Array.isArray(message.parts)) return message;
  const extents: readonly PartExtent[] = message.parts;
  return {
    ...message,
    content: cut(message.content, extents, "text"),
    reasoning_content: cut(message.reasoning_content, extents, "thinking"),
  };
}

/** Returns a text as a list: for each part the gap before it and its own text, and last what belongs to none. */
function cut(text: unknown, extents: readonly PartExtent[], kind: PartKind): unknown {
  if (typeof text !== "string") return text;
  const pieces: string[] = [];
  let at = 0;
  for (const { kind: own, gap, size } of extents) {
    if (own !== kind) continue;
    pieces.push(text.slice(at, at + gap), text.slice(at + gap, at + gap + size));
    at += gap + size;
  }
  return [...pieces, text.slice(at)];
}

/** Returns the turn with its changed texts joined. `cut` is the turn as it was cut, `mapped` the same with its changes. */
function joinTurn<Message extends JsonObject>(message: Message, cut: unknown, mapped: unknown): Message {
  if (mapped === cut || !isObject(mapped)) return message;
  if (!Array.isArray(message.parts)) return { ...message, ...mapped };
  const { content, reasoning_content: thoughts } = mapped;
  const isListed = typeof message.content !== "string";
  const sizes = {
    text: isListed ? null : listSizes(content),
    thinking: listSizes(thoughts),
    call: null,
    search: null,
  };
  const extents: readonly PartExtent[] = message.parts;
  return {
    ...message,
    ...mapped,
    ...(isListed ? {} : { content: asArray(content).join("") }),
    ...(Array.isArray(thoughts) ? { reasoning_content: thoughts.join("") } : {}),
    parts: extents.map((extent) => ({ ...extent, ...sizes[extent.kind]?.shift() })),
  };
}

function listSizes(pieces: unknown): { gap: number; size: number }[] | null {
  if (!Array.isArray(pieces)) return null;
  const lengths = pieces.map((piece) => String(piece).length);
  const pairs = lengths
    .slice(0, -1)
    .flatMap((gap, at) => (at % 2 === 0 ? [{ gap, size: lengths[at + 1] ?? 0 }] : []));
  return pairs;
}
