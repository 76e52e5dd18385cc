// Folds a stream's chunks into one reply, and takes a reply apart into chunks.

import { asArray, asObject, isObject, type JsonObject } from "../../../core/json/json.ts";
import { estimateLength } from "../../../core/json/rough-length.ts";
import type { Folding } from "../../folding.ts";
import type { ChatForm } from "../decoder.ts";
import type {
  ChatChunk,
  ChatReply,
  ChunkChoice,
  Citation,
  Delta,
  FinishReason,
  ReasoningDetail,
  ReplyChoice,
  ReplyMessage,
  ToolCall,
  ToolCallDelta,
  Usage,
} from "../form.ts";
import { joinText } from "../prompt/content-text.ts";
import { DetailList } from "../prompt/details.ts";
import type { WebSearch } from "../prompt/search-form.ts";
import { listTurn, TurnOrder, writeTurn } from "../turn.ts";
import { moveCitation } from "./citations.ts";
import { listChunks, type Part } from "./run.ts";

/** Returns the reply described by the chunks of an answer. */
export function foldChunks(chunks: Iterable<ChatChunk>): ChatReply {
  const fold = new Fold();
  for (const chunk of chunks) fold.push(chunk);
  return fold.reply();
}

interface FoldedCall {
  readonly first: ToolCallDelta;
  readonly input: string[];
  extra: JsonObject | undefined;
}

/** The content of a choice up to now. */
class ChoiceParts {
  readonly content: string[] = [];
  readonly refusal: string[] = [];
  readonly reasoning: string[] = [];
  readonly details = new DetailList();
  readonly calls = new Map<number, FoldedCall>();
  readonly annotations: Citation[] = [];
  readonly searches: WebSearch[] = [];
  readonly order = new TurnOrder();
  readonly messageExtras: JsonObject = {};
  readonly choiceExtras: JsonObject = {};
  logprobs: { content: unknown[] | null; refusal: unknown[] | null } | null = null;
  finish: FinishReason | null = null;
}

const NONE: readonly never[] = [];
/** Named, so that no chunk creates a function. */
const makeParts = () => new ChoiceParts();

/** Collects normalised chunks. `reply()` returns the completion. */
export class Fold implements Folding<ChatForm> {
  readonly #choices = new Map<number, ChoiceParts>();
  readonly #extras: JsonObject = {};
  #usage: Usage | undefined;

  push(chunk: ChatChunk): void {
    const { choices, usage, ...extras } = chunk;
    if (usage) this.#usage = usage;
    Object.assign(this.#extras, extras);
    for (const choice of choices) this.#choice(choice);
  }

  add(parts: readonly Part[]): number {
    let characters = 0;
    for (const chunk of listChunks(parts)) {
      characters += estimateLength(chunk);
      this.push(chunk);
    }
    return characters;
  }

  reply(): ChatReply {
    const choices = [...this.#choices]
      .sort(([a], [b]) => a - b)
      .map(([index, parts]) => buildChoice(index, parts));
    return { ...this.#extras, choices, ...(this.#usage ? { usage: this.#usage } : {}) };
  }

  #choice({ index, delta, finish_reason, logprobs, ...extras }: ChunkChoice): void {
    const parts = this.#choices.getOrInsertComputed(index, makeParts);
    const { role: _role, content, refusal, tool_calls, annotations, ...rest } = delta;
    const {
      reasoning_content: _thought,
      reasoning_details: _details,
      web_searches: _searches,
      ...messageExtras
    } = rest;
    addBefore(parts, delta);
    if (content) {
      parts.content.push(content);
      parts.order.add("text", content.length);
    }
    if (refusal) {
      parts.refusal.push(refusal);
      parts.order.add("text", 0);
    }
    for (const call of tool_calls ?? []) if (addCall(parts.calls, call)) parts.order.add("call", 1);
    for (const annotation of annotations ?? []) parts.annotations.push(annotation);
    for (const [field, value] of Object.entries(messageExtras)) addExtra(parts.messageExtras, field, value);
    if (logprobs) addLogprobs(parts, asObject(logprobs));
    Object.assign(parts.choiceExtras, extras);
    if (finish_reason) parts.finish = finish_reason;
  }
}

/** Adds the part of a delta that comes before its text. */
function addBefore(parts: ChoiceParts, { reasoning_content, reasoning_details, web_searches }: Delta): void {
  if (reasoning_content || reasoning_details)
    addThinking(parts, reasoning_content ?? "", reasoning_details ?? NONE);
  if (!web_searches) return;
  for (const search of web_searches) parts.searches.push(search);
  if (web_searches.length > 0) parts.order.add("search", web_searches.length);
}

function addThinking(parts: ChoiceParts, text: string, given: readonly ReasoningDetail[]): void {
  if (text !== "") parts.reasoning.push(text);
  const before = parts.details.all.length;
  for (const detail of given) parts.details.add(detail);
  const details = parts.details.all.length - before;
  if (text !== "" || details > 0) parts.order.add("thinking", text.length, details);
}

/** True for the first fragment of a call. */
function addCall(calls: Map<number, FoldedCall>, given: ToolCallDelta): boolean {
  const input = given.function?.arguments ?? given.custom?.input ?? "";
  const { extra_content: extra } = given;
  const before = calls.get(given.index);
  if (!before) {
    calls.set(given.index, { first: given, input: [input], extra: extra && { ...extra } });
    return true;
  }
  before.input.push(input);
  if (extra) before.extra = Object.assign(before.extra ?? {}, extra);
  return false;
}

/** Audio arrives in fragments and pictures one by one. Any other extension field is replaced by its latest value. */
function addExtra(extras: JsonObject, field: string, now: unknown): void {
  const before = extras[field];
  if (field === "images" && Array.isArray(before) && Array.isArray(now)) {
    for (const image of now) before.push(image);
  } else if (isObject(before) && isObject(now)) {
    Object.assign(before, now, joinAudio(before, now));
  } else {
    // Copied, because later chunks are added to it.
    extras[field] = Array.isArray(now) ? [...now] : isObject(now) ? { ...now } : now;
  }
}

function joinAudio(before: JsonObject, now: JsonObject): JsonObject {
  const joined: JsonObject = {};
  for (const part of ["data", "transcript"]) {
    const first = before[part];
    const second = now[part];
    if (typeof first === "string" && typeof second === "string") joined[part] = first + second;
  }
  return joined;
}

function addLogprobs(parts: ChoiceParts, given: JsonObject): void {
  const sum = parts.logprobs ?? { content: null, refusal: null };
  for (const field of ["content", "refusal"] as const) {
    const tokens = given[field];
    if (!Array.isArray(tokens)) continue;
    const list = sum[field] ?? [];
    for (const token of tokens) list.push(token);
    sum[field] = list;
  }
  parts.logprobs = sum;
}

function buildChoice(index: number, parts: ChoiceParts): ReplyChoice {
  const calls = [...parts.calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => buildCall(call));
  const content = parts.content.join("");
  const message: ReplyMessage = {
    role: "assistant",
    content: content === "" && (calls.length > 0 || parts.refusal.length > 0) ? null : content,
    refusal: parts.refusal.length > 0 ? parts.refusal.join("") : null,
    ...parts.messageExtras,
  };
  if (parts.reasoning.length > 0) message.reasoning_content = parts.reasoning.join("");
  if (parts.details.all.length > 0) message.reasoning_details = parts.details.all;
  if (calls.length > 0) message.tool_calls = calls;
  if (parts.annotations.length > 0) message.annotations = parts.annotations;
  if (parts.searches.length > 0) message.web_searches = parts.searches;
  const order = parts.order.list();
  if (order) message.parts = order;
  return {
    ...parts.choiceExtras,
    index,
    message,
    finish_reason: parts.finish ?? "stop",
    logprobs: parts.logprobs,
  };
}

function buildCall({ first, input, extra }: FoldedCall): ToolCall {
  const id = first.id ?? "";
  const text = input.join("");
  if (first.custom) return { id, type: "custom", custom: { name: first.custom.name ?? "", input: text } };
  const call: ToolCall = {
    id,
    type: "function",
    function: { name: first.function?.name ?? "", arguments: text },
  };
  return extra ? { ...call, extra_content: extra } : call;
}

/** Returns a reply as the chunks of an equivalent stream, in the same order. */
export function unfold(reply: ChatReply): ChatChunk[] {
  const { choices, usage, verbatim: _verbatim, ...extras } = reply;
  const chunks: ChatChunk[] = choices.flatMap((choice) =>
    unfoldChoice(choice).map((one) => ({ ...extras, choices: [one] })),
  );
  if (usage) chunks.push({ choices: [], usage });
  return chunks;
}

function unfoldChoice({ index, message, finish_reason, logprobs, ...extras }: ReplyChoice): ChunkChoice[] {
  const { tool_calls: given, parts, ...rest } = message;
  const calls = asArray(given).filter(isObject);
  const fragments = calls.map((call, position) => ({ ...call, index: position }));
  const last = { ...extras, index, finish_reason, ...(logprobs ? { logprobs } : {}) };
  if (!parts) return [{ ...last, delta: fragments.length > 0 ? { ...rest, tool_calls: fragments } : rest }];
  const {
    role,
    content: _,
    refusal,
    reasoning_content: __,
    reasoning_details: ___,
    annotations,
    web_searches: ____,
    ...others
  } = rest;
  let called = 0;
  const ordered = listTurn({ ...message, refusal: null }, annotations);
  const deltas = writeTurn<Delta>(ordered, {
    thinking: ({ text, details }) => [{ reasoning_content: text, reasoning_details: details }],
    text: ({ content, start, annotations: own }) => [
      { content: joinText(content), annotations: own.map((one) => moveCitation(one, -start)) },
    ],
    call: () => [{ tool_calls: fragments.slice(called, ++called) }],
    search: (search) => [{ web_searches: [search] }],
  });
  return [
    ...[{ role }, ...deltas].map((delta) => ({ index, delta, finish_reason: null })),
    { ...last, delta: { ...others, refusal } },
  ];
}
