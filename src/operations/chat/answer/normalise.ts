// Enforces the grammar of an answer for all dialects: `start (content | reasoning | tool …)* finish usage?`.

import { malformed } from "../../../core/faults/malformed.ts";
import { asObject, hasOnly, isObject, type JsonObject } from "../../../core/json/json.ts";
import { makeFinish } from "../finish.ts";
import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  type ChunkChoice,
  type Delta,
  type FinishReason,
  REMOVED,
  type ReplyChoice,
  type ToolCallDelta,
  UNKNOWN_WORD,
  type Usage,
} from "../form.ts";
import { mergeReports } from "../reports.ts";
import { foldChunks, unfold } from "./fold.ts";
import { type Part, Run, Verbatim } from "./run.ts";
import { StopCutter } from "./stop.ts";
import { countCallCharacters, listCallIds, ToolCalls } from "./tool-calls.ts";

/** The most that the tool calls of an answer may hold together. Models write a few hundred thousand characters. */
const CALL_CHARACTERS_MAX = 8 * 1024 * 1024;

interface ChoiceState {
  readonly calls: ToolCalls;
  started: boolean;
  /** Held back to the end, because some upstreams send several or more content afterwards. */
  finish: ChunkChoice | null;
}

/**
 * Brings an answer's chunks into the order and form that every client accepts: the role once and first, dense tool
 * calls with valid ids, one finish reason of the closed set per choice, and the last usage report once. Throws at a
 * choice that was not requested. `choiceOffset` is added to the indexes of answers that are joined from several calls.
 */
export class Normaliser {
  readonly #choices = new Map<number, ChoiceState>();
  readonly #takenIds: Set<string>;
  readonly #turn: number;
  readonly #choicesMax: number;
  readonly #choiceOffset: number;
  /** The latest usage report so far. */
  usage: Usage | null = null;
  #callCharacters = 0;
  /** Fields of chunks without other content. They are sent with the first finish. */
  #extras: JsonObject = {};

  constructor(request: ChatRequest, choiceOffset = 0) {
    this.#takenIds = listCallIds(request);
    this.#turn = request.messages.length;
    this.#choicesMax = request.n ?? 1;
    this.#choiceOffset = choiceOffset;
  }

  push(chunks: readonly ChatChunk[]): ChatChunk[] {
    const ready: ChatChunk[] = [];
    for (const chunk of chunks) {
      const clean = this.#chunk(chunk);
      if (clean) ready.push(clean);
    }
    return ready;
  }

  /** Counts what tool calls hold. Throws if it is more than any model writes. */
  countCalls(characters: number): void {
    this.#callCharacters += characters;
    if (this.#callCharacters > CALL_CHARACTERS_MAX) throw malformed("tool calls of more than 8 MB");
  }

  /** Returns the finish of each choice, then a chunk with the usage, if reported, and no choices. */
  end(): ChatChunk[] {
    const ready: ChatChunk[] = [];
    for (const [index, state] of this.#choices) ready.push(...this.#finish(index, state));
    if (this.usage) ready.push({ choices: [], usage: this.usage });
    return ready;
  }

  #chunk(chunk: ChatChunk): ChatChunk | null {
    const only = chunk.choices.length === 1 ? chunk.choices[0] : undefined;
    if (only && !chunk.usage && this.#isPlain(only)) return chunk;
    const { usage, choices, ...rest } = chunk;
    if (usage) this.usage = mergeValid(this.usage, usage);
    const clean: ChunkChoice[] = [];
    for (const choice of choices) {
      const one = this.#choice(choice);
      if (one) clean.push(one);
    }
    if (clean.length > 0) return { ...rest, choices: clean };
    Object.assign(this.#extras, rest);
    return null;
  }

  /** The hot path: a text fragment of a choice that has started needs no change. */
  #isPlain(choice: ChunkChoice): boolean {
    if (choice.finish_reason || this.#choiceOffset !== 0) return false;
    if (this.#choices.get(choice.index)?.started !== true) return false;
    const { delta } = choice;
    if (typeof delta.content !== "string" || delta.content === "") return false;
    for (const field in delta) if (field !== "content") return false;
    return true;
  }

  #choice(choice: ChunkChoice): ChunkChoice | null {
    const state = this.#findState(choice.index);
    const index = choice.index + this.#choiceOffset;
    const delta = this.#delta(choice.delta, state);
    if (!choice.finish_reason) return delta && { ...choice, index, delta, finish_reason: null };
    // Fields sent now must not be sent again with the finish.
    const left = delta && choice.logprobs ? { logprobs: null } : {};
    state.finish = { ...choice, index, delta: {}, ...left };
    const { native_finish_reason: _native, stop_sequence: _sequence, ...now } = choice;
    return delta && { ...now, index, delta, finish_reason: null };
  }

  #delta(given: Delta, state: ChoiceState): Delta | null {
    const { role: _role, content, refusal, tool_calls: calls, ...rest } = given;
    const fragments = calls && calls.length > 0 ? this.#readCalls(calls, state) : [];
    const delta: Delta = state.started ? {} : startDelta(given, fragments.length > 0);
    if (state.started && typeof content === "string" && content !== "") delta.content = content;
    if (typeof refusal === "string" && refusal !== "") delta.refusal = refusal;
    if (fragments.length > 0) delta.tool_calls = fragments;
    for (const field in rest) if (!isEmpty(rest[field])) delta[field] = rest[field];
    state.started = true;
    return Object.keys(delta).length === 0 ? null : delta;
  }

  #readCalls(calls: readonly ToolCallDelta[], state: ChoiceState): ToolCallDelta[] {
    this.countCalls(countCallCharacters(calls));
    return state.calls.push(calls);
  }

  #finish(upstreamIndex: number, state: ChoiceState): ChatChunk[] {
    const index = upstreamIndex + this.#choiceOffset;
    const chunks: ChatChunk[] = [];
    const closing = state.calls.end(state.finish?.finish_reason === "length");
    if (closing.length > 0) {
      chunks.push({ choices: [{ index, delta: { tool_calls: closing }, finish_reason: null }] });
    }
    if (!state.finish) return chunks;
    const reason = toFinishReason(state.finish.finish_reason, state.calls.count);
    chunks.push({ ...this.#extras, choices: [{ ...state.finish, index, finish_reason: reason }] });
    this.#extras = {};
    return chunks;
  }

  #findState(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known) return known;
    if (index >= this.#choicesMax) throw tooMany(this.#choicesMax);
    const prefix = `call_${this.#turn}_${index + this.#choiceOffset}`;
    const state = { calls: new ToolCalls(this.#takenIds, prefix), started: false, finish: null };
    this.#choices.set(index, state);
    return state;
  }
}

/** Returns the fields that only a choice's first chunk must have. */
function startDelta({ content, refusal }: Delta, hasCalls: boolean): Delta {
  const delta: Delta = {
    role: "assistant",
    content: typeof content === "string" ? content : hasCalls ? null : "",
  };
  if (refusal === undefined || refusal === null) delta.refusal = null;
  return delta;
}

/** Other choices were not requested, and nobody has paid for them. */
function tooMany(asked: number): Error {
  return malformed(`more choices than the ${asked} requested`);
}

/** A malformed report leaves none, because it may be the earlier one that was wrong. */
function mergeValid(before: Usage | null, usage: Usage): Usage | null {
  const valid = validateUsage(usage);
  return valid && mergeReports(before, valid);
}

/**
 * Returns the report with its total, or null if one of its numbers is malformed: then neither the rest of it nor an
 * earlier report can be trusted.
 */
function validateUsage(usage: Usage): Usage | null {
  if (!areCountsValid(usage)) return null;
  const total = usage.prompt_tokens + usage.completion_tokens;
  return usage.total_tokens === total ? usage : { ...usage, total_tokens: total };
}

function areCountsValid(counts: object): boolean {
  const fields = asObject(counts);
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === "number" && !(value >= 0 && value < Number.POSITIVE_INFINITY)) return false;
    if (isObject(value) && !areCountsValid(value)) return false;
  }
  return true;
}

function isEmpty(value: unknown): boolean {
  return (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
}

function toFinishReason(given: string | null, calls: number): FinishReason {
  if (given === "length" || given === "content_filter") return given;
  return calls > 0 ? "tool_calls" : "stop";
}

/** Normalises a whole answer by the same rules. `stops` are the stop sequences that the provider doesn't support. */
export function normaliseReply(
  reply: ChatReply,
  request: ChatRequest,
  choiceOffset = 0,
  stops: readonly string[] = [],
): ChatReply {
  const asked = request.n ?? 1;
  const { choices } = reply;
  if (choices.length > asked) throw tooMany(asked);
  for (const { index } of choices) if (index >= asked) throw tooMany(asked);
  const plain = choiceOffset === 0 && stops.length === 0 ? normalisePlainReply(reply) : null;
  return plain ?? normaliseAsStream(reply, request, choiceOffset, stops);
}

/** Normalises a whole answer by treating it as a stream, so that there is only one set of rules. */
export function normaliseAsStream(
  reply: ChatReply,
  request: ChatRequest,
  choiceOffset = 0,
  stops: readonly string[] = [],
): ChatReply {
  const normaliser = new Normaliser(request, choiceOffset);
  const chunks = new StopCutter(stops).push(unfold(reply));
  return foldChunks([...normaliser.push(chunks), ...normaliser.end()]);
}

/** Returns the normal form of an answer that is a single text, or null for any other. Saves 3 of every 4 µs. */
function normalisePlainReply(reply: ChatReply): ChatReply | null {
  const { choices, usage } = reply;
  const choice = choices[0];
  if (choice === undefined || choices.length > 1 || !hasOnly(choice, CHOICE_FIELDS)) return null;
  const plain = isNormalChoice(choice) ? choices : normalisePlainChoice(choice);
  if (plain === null) return null;
  const made: ChatReply = { choices: plain };
  for (const field in reply) if (field !== "choices" && field !== "usage") made[field] = reply[field];
  if (reply[REMOVED] !== undefined) made[REMOVED] = reply[REMOVED];
  const validUsage = usage && validateUsage(usage);
  if (validUsage) made.usage = validUsage;
  return made;
}

function normalisePlainChoice(choice: ReplyChoice): readonly ReplyChoice[] | null {
  const { index, message, finish_reason, native_finish_reason: native, stop_sequence, logprobs } = choice;
  const { content, refusal } = message;
  if (typeof content !== "string" || refusal || logprobs || !hasOnly(message, MESSAGE_FIELDS)) return null;
  const finish = makeFinish(finish_reason ? toFinishReason(finish_reason, 0) : "stop", native, stop_sequence);
  if (choice[UNKNOWN_WORD] !== undefined) finish[UNKNOWN_WORD] = choice[UNKNOWN_WORD];
  const said = { role: "assistant", content, refusal: null } as const;
  return [{ index, message: said, ...finish, logprobs: null }];
}

/** True for a choice that is in its normal form already, with its fields in order, as most decoders make it. */
function isNormalChoice(choice: ReplyChoice): boolean {
  const { message, finish_reason: reason, logprobs } = choice;
  return (
    logprobs === null &&
    choice[UNKNOWN_WORD] === undefined &&
    typeof message.content === "string" &&
    message.refusal === null &&
    (reason === "stop" || reason === "length" || reason === "content_filter") &&
    isInOrder(choice, NORMAL_CHOICE) &&
    isInOrder(message, NORMAL_MESSAGE)
  );
}

const NORMAL_CHOICE = ["index", "message", "finish_reason", "logprobs"];
const NORMAL_MESSAGE = ["role", "content", "refusal"];

function isInOrder(object: object, names: readonly string[]): boolean {
  let at = 0;
  for (const name in object) if (name !== names[at++]) return false;
  return at === names.length;
}

const CHOICE_FIELDS: ReadonlySet<string> = new Set([
  "index",
  "message",
  "finish_reason",
  "native_finish_reason",
  "stop_sequence",
  "logprobs",
]);
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "content", "refusal"]);

/** True if this is part of the answer itself: content, reasoning, a refusal or a tool call, not just a start. */
export function isAnswer(part: Part): boolean {
  if (part instanceof Run) return true;
  if (part instanceof Verbatim) return part.meaning.some(isAnswer);
  return part.choices.some(({ delta }) => {
    if (delta.content || delta.reasoning_content || delta.refusal || delta.audio) return true;
    if (delta.web_searches) return true;
    return (delta.tool_calls?.length ?? 0) > 0 || (delta.reasoning_details?.length ?? 0) > 0;
  });
}
