// One choice of a chat completion as servers really send it: the shared parts of a delta and a message, normalized.

import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../core/json/json.ts";
import type { ErrorRule } from "../../core/models/upstream.ts";
import { makeCitation } from "../../operations/chat/answer/citations.ts";
import { type FinishMeaning, makeFinish, markUnknown, readMeaning } from "../../operations/chat/finish.ts";
import type { Citation, Delta, Finish, ToolCallDelta } from "../../operations/chat/form.ts";
import { explainEmbeddedError } from "./error.ts";

/** Finish reasons beyond the closed set, with the servers that send them. */
export const FINISHES: ReadonlyMap<string, FinishMeaning> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["content_filter", "content_filter"],
  ["function_call", "tool_calls"], // OpenAI, before tools
  ["max_tokens", "length"], // OpenAI, 2023's finish_details
  ["model_length", "length"], // Mistral
  ["model_context_window_exceeded", "length"], // Z.ai
  ["tool_use", "tool_calls"],
  ["sensitive", "content_filter"], // Z.ai
  ["refusal", "content_filter"],
  ["eos", "stop"], // Together, before 2025
  ["error", "failed"], // OpenRouter, Mistral
  ["network_error", "failed"], // Z.ai
  ["insufficient_system_resource", "failed"], // DeepSeek
  ["abort", "failed"], // vLLM, SGLang
]);

/** Returns the end of a choice, or null if it has none yet. Throws a Fault if the provider failed. */
export function readFinish(choice: JsonObject, rules: readonly ErrorRule[]): Finish | null {
  if (choice.error) throw explainEmbeddedError(choice, rules);
  const said = choice.finish_reason ?? asObject(choice.finish_details).type;
  if (typeof said !== "string" || said === "") return null;
  const finish = readMeaning(said, FINISHES);
  if (finish === "failed") throw explainEmbeddedError({ error: { message: `finish_reason ${said}` } });
  return markUnknown(makeFinish(finish, choice.native_finish_reason ?? said), said, FINISHES);
}

/** True if a delta needs no change: it has text, or thinking under its usual name, and nothing else. */
export function isPlain(delta: JsonObject): delta is JsonObject & Delta {
  return (
    isText(delta.content) &&
    isText(delta.reasoning_content) &&
    isText(delta.refusal) &&
    delta.tool_calls === undefined &&
    delta.reasoning === undefined &&
    delta.reasoning_details === undefined &&
    delta.function_call === undefined &&
    delta.annotations === undefined
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" || value === undefined || value === null;
}

/** A normalized delta or message without its calls, and the raw calls, not yet numbered. */
interface ChoiceDelta {
  /** Fields that are the same everywhere (role, refusal, audio), and the server's own, are kept. */
  readonly delta: Delta;
  readonly calls: readonly JsonObject[];
}

/** Shared by all answers without any, to avoid allocating a list for each. */
const NONE: readonly never[] = [];

/**
 * Normalizes a delta or message: `reasoning` and Mistral's parts become text, nulls and empty lists are dropped.
 * `start` is its position in the content.
 */
export function normalizeDelta(said: JsonObject, start = 0): ChoiceDelta {
  const { content, reasoning, reasoning_content, reasoning_details, tool_calls, function_call, ...others } =
    said;
  const { annotations, refusal, ...delta }: Delta = others;
  const split = splitContent(content, start);
  const details = reasoning_details ? asArray(reasoning_details).filter(isDetail) : NONE;
  const thinking =
    asString(reasoning_content) || asString(reasoning) || split.thinking || readThinking(details);
  const cited = annotations ? asArray(annotations).flatMap(readCitation) : split.annotations;
  if (typeof refusal === "string") delta.refusal = refusal;
  if (split.content !== undefined) delta.content = split.content;
  if (thinking !== undefined) delta.reasoning_content = thinking;
  if (details.length > 0) delta.reasoning_details = details;
  if (cited.length > 0) delta.annotations = cited;
  const calls = tool_calls ? asArray(tool_calls).filter(isObject) : NONE;
  return {
    delta,
    calls: isObject(function_call) ? [...calls, { index: 0, function: function_call }] : calls,
  };
}

/**
 * Mistral's content may be a list of parts: `text`, `thinking` (itself a list of text parts), and `reference`, the ids
 * of results on which the text before it is based (Mistral API, `ReferenceChunk`).
 */
function splitContent(said: unknown, start: number) {
  const nothing = { thinking: undefined, annotations: NONE };
  if (typeof said === "string" || said === null) return { ...nothing, content: said };
  if (!Array.isArray(said)) return { ...nothing, content: undefined };
  const pieces: unknown[] = said;
  const annotations: Citation[] = [];
  let text = "";
  let thinking = "";
  for (const piece of pieces) {
    const part = asObject(piece);
    text += asString(piece) ?? readText(part.text);
    thinking += readText(part.thinking);
    const place = start + text.length;
    for (const id of asArray(part.reference_ids))
      annotations.push(...makeCitation(place, place, { document_id: String(id) }));
  }
  return { content: text || undefined, thinking: thinking || undefined, annotations };
}

function readText(value: unknown): string {
  if (typeof value === "string") return value;
  return asArray(value)
    .map((piece) => (typeof piece === "string" ? piece : (asString(asObject(piece).text) ?? "")))
    .join("");
}

type Detail = NonNullable<Delta["reasoning_details"]>[number];

function isDetail(value: unknown): value is Detail {
  return isObject(value) && typeof value.type === "string" && value.type.startsWith("reasoning.");
}

/** Reads the text of thinking that a server (Snowflake, some models of OpenRouter) only sends in its details. */
function readThinking(details: readonly Detail[]): string | undefined {
  return details.map(({ text, summary }) => text ?? summary ?? "").join("") || undefined;
}

/** Reads a cited page. Other annotations (OpenRouter's parsed files) aren't citations. */
function readCitation(annotation: unknown): readonly Citation[] {
  const { url, title, content, start_index, end_index } = asObject(asObject(annotation).url_citation);
  return makeCitation(asCount(start_index), asCount(end_index), { url, title, content });
}

/** Reads the sources of Sonar and xAI. They are listed beside the choices, without a position in the text. */
export function listSources(body: JsonObject): readonly Citation[] {
  const hasNone = body.citations === undefined && body.search_results === undefined;
  return hasNone ? NONE : readSources(body);
}

function readSources(body: JsonObject): readonly Citation[] {
  const found = new Map(asArray(body.search_results).map((one) => [asObject(one).url, asObject(one)]));
  const cited = asArray(body.citations).map((source) => asString(source) ?? asObject(source).url);
  return [...new Set([...cited, ...found.keys()])].flatMap((url) => {
    const { title, snippet } = found.get(url) ?? {};
    return makeCitation(0, 0, { url, title, content: snippet });
  });
}

/** Reads a whole or partial tool call, without the empty values that some servers add: `id:""`, `name:null`. */
export function readCallFragment(call: JsonObject, index: number): ToolCallDelta {
  const id = asString(call.id);
  const extra = call.extra_content;
  const common = {
    index,
    ...(id ? { id } : {}),
    ...(isObject(extra) ? { extra_content: extra } : {}),
  };
  if (isObject(call.custom)) {
    return { ...common, type: "custom", custom: { ...readName(call.custom), ...readCallInput(call.custom) } };
  }
  const made = asObject(call.function);
  const type = call.type === "function" || id ? { type: "function" as const } : {};
  return { ...common, ...type, function: { ...readName(made), ...readArguments(made) } };
}

function readName(made: JsonObject): { name?: string } {
  const name = asString(made.name);
  return name ? { name } : {};
}

function readCallInput(made: JsonObject): { input?: string } {
  const input = asString(made.input);
  return input === undefined ? {} : { input };
}

/** Arguments are JSON text, but objects in Ollama's and Mistral's SDK types. */
function readArguments(made: JsonObject): { arguments?: string } {
  const given = made.arguments;
  if (given === undefined || given === null) return {};
  return { arguments: typeof given === "string" ? given : JSON.stringify(given) };
}

/** A tool call with the upstream's index, and its number here. */
interface NumberedUpstreamCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly number: number;
}

/**
 * Numbers the tool calls of one choice. Most servers send an index, but old Mistral sends none, and Gemini and old
 * Ollama send 0 for every call. There another name, or another id with its name, marks another call.
 */
export class CallNumbers {
  readonly #known = new Map<number, NumberedUpstreamCall>();
  #next = 0;
  #last = 0;

  numberOf(call: JsonObject): number {
    const given = asNumber(call.index);
    const id = asString(call.id) || undefined;
    const name = asString(asObject(call.function ?? call.custom).name) || undefined;
    if (given === undefined) return name === undefined ? this.#last : this.#register(this.#next, id, name);
    const known = this.#known.get(given);
    if (known === undefined || isNewCall(known, id, name)) return this.#register(given, id, name);
    return known.number;
  }

  #register(given: number, id: string | undefined, name: string | undefined): number {
    const number = Math.max(given, this.#next);
    this.#known.set(given, { id, name, number });
    this.#next = number + 1;
    this.#last = number;
    return number;
  }
}

/** vLLM may send a fresh id with each fragment, but without a name: such a fragment continues the current call. */
function isNewCall(known: NumberedUpstreamCall, id: string | undefined, name: string | undefined): boolean {
  if (name === undefined || known.name === undefined) return false;
  return known.id !== undefined && id !== undefined ? known.id !== id : known.name !== name;
}
