// Reads the answers of chat-completions servers: the decoder of a stream and the reader of a whole reply.

import { malformed } from "../../core/faults/malformed.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asObject, asString, hasOnly, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import type { ErrorRule } from "../../core/models/upstream.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type {
  ChatChunk,
  ChatReply,
  ChunkChoice,
  Citation,
  Delta,
  ReplyChoice,
  ReplyMessage,
  ToolCall,
} from "../../operations/chat/form.ts";
import { CallNumbers, isPlain, listSources, normalizeDelta, readCallFragment, readFinish } from "./choice.ts";
import { explainEmbeddedError } from "./error.ts";
import { makeChunk } from "./event.ts";
import { findUsage } from "./usage.ts";

const NOTHING: readonly ChatChunk[] = [];
const UNFINISHED = { finish_reason: null } as const;
const CHOICES_MAX = 128;
/** The tiers that clients know. Others (Groq's `on_demand`, Mistral's `standard`) fail their validation. */
const TIERS: ReadonlySet<string> = new Set(["auto", "default", "flex", "scale", "priority", "fast"]);

/**
 * Decodes one stream of chat.completion.chunk events. It is done once every choice has a finish reason:
 * several servers send no `[DONE]`, and proxies send it even after a cut. Snowflake, and some of OpenRouter's and
 * LiteLLM's providers, send no reason: there `[DONE]` ends the answer if the count of its tokens came after its content.
 */
export class ChatDecoder implements Decoder {
  readonly #rules: readonly ErrorRule[];
  /** Each choice seen so far, and if it is finished. */
  readonly #finished = new Map<number, boolean>();
  readonly #numbers = new Map<number, CallNumbers>();
  /** Each choice's characters so far: Mistral's references have no position field, they stand where they apply. */
  readonly #lengths = new Map<number, number>();
  /** Sources that arrived before the first choice. */
  #sources: readonly Citation[] = [];
  #cited = false;
  /** True if the tokens of an answer were counted after its content. */
  #isCounted = false;
  #done = false;

  /** `rules` are the server's errors with a misleading status. */
  constructor(rules: readonly ErrorRule[] = []) {
    this.#rules = rules;
  }

  get done(): boolean {
    return this.#done;
  }

  push(event: ServerEvent): readonly ChatChunk[] {
    const body = parseReceived(event.data);
    if (!isObject(body)) {
      this.#pushText(event.data.trim());
      return NOTHING;
    }
    if (body.error || body.object === "error" || event.event === "error")
      throw explainEmbeddedError(body, this.#rules);
    const usage = findUsage(body);
    const choices = Array.isArray(body.choices) ? this.#choices(body.choices) : [];
    if (choices.some(hasContent)) this.#isCounted = false;
    else if (usage !== undefined && usage.completion_tokens > 0) this.#isCounted = true;
    const sourced = body.citations || body.search_results ? this.#withSources(body, choices) : choices;
    if (sourced.length === 0 && usage === undefined) return NOTHING;
    const chunk: ChatChunk = { choices: sourced };
    if (usage !== undefined) chunk.usage = usage;
    addExtras(chunk, body);
    return [chunk];
  }

  end(): readonly ChatChunk[] {
    if (this.#finished.size === 0) throw malformed("the stream has no choice");
    const choices: ChunkChoice[] = [];
    for (const [index, finished] of this.#finished) {
      if (finished) continue;
      if (!this.#done || !this.#isCounted) throw malformed(`the stream ended before choice ${index}`);
      choices.push({ index, delta: {}, finish_reason: this.#numbers.has(index) ? "tool_calls" : "stop" });
    }
    const ends = choices.length > 0 ? [{ choices }] : NOTHING;
    if (this.#cited || this.#sources.length === 0) return ends;
    return [makeChunk({ annotations: this.#sources }), ...ends];
  }

  /** Only the end marker, or nothing at all, may come in place of a JSON object. */
  #pushText(text: string): void {
    if (text === "[DONE]") this.#done = true;
    else if (text !== "") throw malformed("an event is not a JSON object");
  }

  #choices(raw: readonly unknown[]): ChunkChoice[] {
    const choices: ChunkChoice[] = [];
    for (const item of raw) {
      if (!isObject(item)) throw malformed("a choice is not an object");
      choices.push(this.#choice(item, choices.length));
    }
    return choices;
  }

  #choice(raw: JsonObject, position: number): ChunkChoice {
    const index = readIndex(raw, position);
    const finish = readFinish(raw, this.#rules);
    if (finish !== null) this.#finished.set(index, true);
    else if (!this.#finished.has(index)) this.#finished.set(index, false);
    const choice = { index, delta: this.#makeDelta(raw, index), ...(finish ?? UNFINISHED) };
    if (raw.logprobs) raw.logprobs = readLogprobs(raw.logprobs);
    // Changes the parsed object in place, since nothing else refers to it: copying each chunk would slow a fast stream.
    return Object.assign(withoutNoise(raw), choice);
  }

  /** Old Sonar sends `message` (all text so far) beside `delta`. Only the delta is new. */
  #makeDelta(raw: JsonObject, index: number): Delta {
    const said = asObject(raw.delta ?? (typeof raw.text === "string" ? { content: raw.text } : raw.message));
    const length = this.#lengths.get(index) ?? 0;
    if (isPlain(said)) {
      if (said.content) this.#lengths.set(index, length + said.content.length);
      return said;
    }
    const { delta, calls } = normalizeDelta(said, length);
    if (delta.content) this.#lengths.set(index, length + delta.content.length);
    if (delta.annotations) this.#cited = true;
    if (calls.length === 0) return delta;
    const numbers = this.#numbers.get(index) ?? new CallNumbers();
    this.#numbers.set(index, numbers);
    delta.tool_calls = calls.map((call) => readCallFragment(call, numbers.numberOf(call)));
    return delta;
  }

  /** Sonar repeats its sources on each chunk, xAI sends them with the last. They are passed on once. */
  #withSources(body: JsonObject, choices: readonly ChunkChoice[]): readonly ChunkChoice[] {
    if (this.#cited) return choices;
    this.#sources = listSources(body);
    const [first, ...others] = choices;
    if (first === undefined || this.#sources.length === 0) return choices;
    this.#cited = true;
    return [{ ...first, delta: { ...first.delta, annotations: this.#sources } }, ...others];
  }
}

function hasContent({ delta }: ChunkChoice): boolean {
  const { content, reasoning_content: thinking, tool_calls: calls } = delta;
  return Boolean(content || thinking || calls?.length);
}

/**
 * Reads a whole reply. Throws a Fault if it is an error (OpenRouter sends those with status 200), has no choice, or
 * reports that the provider failed.
 */
export function parseChatReply(body: unknown, rules: readonly ErrorRule[] = []): ChatReply {
  if (!isObject(body)) throw malformed("the reply is not a JSON object");
  if (body.error || body.object === "error") throw explainEmbeddedError(body, rules);
  const choices: ReplyChoice[] = [];
  for (const choice of asArray(body.choices))
    if (isObject(choice)) choices.push(readReplyChoice(choice, choices.length, rules));
  if (choices.length === 0) throw malformed("the reply has no choice");
  const usage = findUsage(body);
  const sourced = addSources(choices, body);
  const reply: ChatReply = usage === undefined ? { choices: sourced } : { choices: sourced, usage };
  addExtras(reply, body);
  return reply;
}

/** Adds the sources that stand beside the choices to the first one, unless it has some. */
function addSources(choices: readonly ReplyChoice[], body: JsonObject): readonly ReplyChoice[] {
  const first = choices[0];
  if (first === undefined || first.message.annotations !== undefined) return choices;
  const sources = listSources(body);
  if (sources.length === 0) return choices;
  return [{ ...first, message: { ...first.message, annotations: sources } }, ...choices.slice(1)];
}

function readReplyChoice(raw: JsonObject, position: number, rules: readonly ErrorRule[]): ReplyChoice {
  const choice = {
    index: readIndex(raw, position),
    message: readMessage(asObject(raw.message)),
    ...(readFinish(raw, rules) ?? { finish_reason: "stop" }),
    logprobs: readLogprobs(raw.logprobs),
  };
  if (hasOnly(raw, CHOICE_FIELDS)) return choice;
  // Deleting the fields would make the object slow to copy.
  const rest: JsonObject = {};
  for (const field in raw) if (!UNREAD.has(field)) rest[field] = raw[field];
  return Object.assign(rest, choice);
}

/** The fields of a choice that has nothing of its server's own. */
const CHOICE_FIELDS: ReadonlySet<string> = new Set(["index", "message", "finish_reason", "logprobs"]);
/** Redundant fields: Together's second copy of the text, Sonar's message, Moonshot's usage, finish_details of 2023. */
const NOISE = ["text", "seed", "message", "usage", "finish_details"] as const;
/** The same in a whole answer, and the name that must not be assigned. */
const UNREAD: ReadonlySet<string> = new Set([...NOISE, "delta", "__proto__"]);
/** The fields of a message that is only a text. OpenAI's have an empty list of annotations. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(["role", "content", "refusal", "annotations"]);

function withoutNoise(raw: JsonObject): JsonObject {
  for (const field of NOISE) {
    if (raw[field] !== undefined) delete raw[field];
  }
  return raw;
}

function readMessage(said: JsonObject): ReplyMessage {
  // The usual answer, in a quarter of the time.
  const isUnmarked = said.annotations === undefined || asArray(said.annotations).length === 0;
  if (typeof said.content === "string" && !said.refusal && isUnmarked && hasOnly(said, TEXT_FIELDS))
    return { role: "assistant", content: said.content, refusal: null };
  return readOtherMessage(said);
}

function readOtherMessage(said: JsonObject): ReplyMessage {
  const { delta, calls: raw } = normalizeDelta(said);
  const { content = null, reasoning_content: thinking, tool_calls: _raw, ...rest } = delta;
  const numbers = new CallNumbers();
  const calls = raw.map((call) => readWholeCall(readCallFragment(call, numbers.numberOf(call))));
  return {
    ...rest,
    role: "assistant",
    content: content || (calls.length > 0 ? null : content),
    refusal: asString(said.refusal) || null,
    ...(thinking ? { reasoning_content: thinking } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readWholeCall(call: ReturnType<typeof readCallFragment>): ToolCall {
  const id = call.id ?? "";
  if (call.custom) {
    return { id, type: "custom", custom: { name: call.custom.name ?? "", input: call.custom.input ?? "" } };
  }
  const made = { name: call.function?.name ?? "", arguments: call.function?.arguments ?? "" };
  return {
    id,
    type: "function",
    function: made,
    ...(call.extra_content ? { extra_content: call.extra_content } : {}),
  };
}

/** Returns log probabilities in OpenAI's form; null for older forms (Together's token lists), unknown to clients. */
function readLogprobs(value: unknown): JsonObject | null {
  if (!isObject(value) || (value.content === undefined && value.refusal === undefined)) return null;
  return { content: value.content ?? null, refusal: value.refusal ?? null };
}

function readIndex(raw: JsonObject, position: number): number {
  const { index } = raw;
  const isSane = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < CHOICES_MAX;
  return isSane ? index : position;
}

/** Copies the fields beside choices and usage that clients know. */
function addExtras(answer: JsonObject, body: JsonObject): void {
  const { service_tier: tier, system_fingerprint: fingerprint } = body;
  if (typeof tier === "string" && TIERS.has(tier)) answer.service_tier = tier;
  if (typeof fingerprint === "string" && fingerprint !== "") answer.system_fingerprint = fingerprint;
}
