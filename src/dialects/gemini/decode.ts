// Gemini's answers as chunks: one reader for streamed events and whole bodies, which are the same objects.

import { malformed } from "../../core/faults/malformed.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import { gaveUp } from "../../core/models/upstream.ts";
import { foldChunks } from "../../operations/chat/answer/fold.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import type {
  ChatChunk,
  ChatReply,
  ChatRequest,
  ChunkChoice,
  FinishReason,
  Usage,
} from "../../operations/chat/form.ts";
import { Candidate } from "./candidate.ts";
import { explainError } from "./errors.ts";
import { addReport, isBrokenCall, isUnknownReason, parseGeminiUsage, toFinishReason } from "./metadata.ts";
import { findFacts } from "./models.ts";
import { mapSentNames } from "./tools.ts";

interface DecoderOptions {
  readonly isWhole: boolean;
  /** True if the client gets the answer as it came, and sees by itself that a call is broken. */
  readonly isNative: boolean;
}

const STREAMED: DecoderOptions = { isWhole: false, isNative: false };
const STREAMED_NATIVE: DecoderOptions = { isWhole: false, isNative: true };

/**
 * Reads one answer. It has no end mark: it is complete if every candidate has a finish reason or the prompt was
 * blocked, and the body has ended. Finishes are held back until then, since more may follow a reason.
 */
export class GeminiDecoder implements Decoder {
  readonly done = false;
  readonly #names: ReadonlyMap<string, string>;
  readonly #candidates = new Map<number, Candidate>();
  #usage: JsonObject = {};
  readonly #queries = new Set<unknown>();
  /** Before generation 3 a prompt with searches is billed once, since then each query is. */
  readonly #queriesMax: number;
  #blocked = false;

  readonly #options: DecoderOptions;

  constructor(card: ModelCard, request: ChatRequest, options: DecoderOptions = STREAMED) {
    this.#options = options;
    this.#names = mapSentNames(request);
    this.#queriesMax = findFacts(card).signed ? Number.POSITIVE_INFINITY : 1;
  }

  push(event: ServerEvent): readonly ChatChunk[] {
    const data = event.data.trim();
    // Some servers of this dialect end with it, but not Google.
    if (data === "" || data === "[DONE]") return [];
    return this.readBody(parseReceived(data));
  }

  /** Reads a response object, or an array of them, the form of a stream without `alt=sse`. */
  readBody(body: unknown): readonly ChatChunk[] {
    if (Array.isArray(body)) return body.flatMap((each) => this.#readResponse(each));
    return this.#readResponse(body);
  }

  end(): readonly ChatChunk[] {
    if (this.#candidates.size === 0 && !this.#blocked) throw malformed("the answer has no candidate");
    const ends = [...this.#candidates.values()].map((candidate) => candidate.end());
    const choices = ends.flatMap((end) => end.slice(-1));
    const before = ends.flatMap((end) => end.slice(0, -1)).map((choice) => ({ choices: [choice] }));
    return choices.length > 0 ? [...before, { choices }] : [];
  }

  #readResponse(body: unknown): ChatChunk[] {
    if (!isObject(body)) throw malformed("the answer is not a generateContent response");
    if (body.error) throw explainError(body.error);
    // A chunk has one choice per index, so each part gets a chunk of its own.
    const chunks: ChatChunk[] = [];
    for (const each of asArray(body.candidates))
      for (const choice of this.#readCandidate(asObject(each))) chunks.push({ choices: [choice] });
    const { blockReason } = asObject(body.promptFeedback);
    if (blockReason) chunks.push(...this.#block(String(blockReason)));
    const usage = this.#usageWith(body.usageMetadata);
    if (!usage) return chunks;
    const [first] = chunks;
    if (!first) return [{ choices: [], usage }];
    first.usage = usage;
    return chunks;
  }

  #readCandidate(given: JsonObject): ChunkChoice[] {
    const index = asCount(given.index);
    const reason = this.#readReason(given);
    for (const query of asArray(asObject(given.groundingMetadata).webSearchQueries)) this.#queries.add(query);
    const candidate = this.#candidates.get(index) ?? new Candidate(index, this.#names, this.#options.isWhole);
    this.#candidates.set(index, candidate);
    if (reason) candidate.finish(reason, given.finishReason);
    return candidate.read(given);
  }

  #readReason({ finishReason: given, finishMessage: message }: JsonObject): FinishReason | null {
    const reason = toFinishReason(given);
    if (reason !== "failed") return reason;
    if (this.#options.isNative && (isBrokenCall(given) || isUnknownReason(given))) return "stop";
    // Another attempt may succeed.
    throw gaveUp(String(given), asString(message));
  }

  /** A blocked prompt has no candidates. A block in the middle of an answer ends the candidates that have begun. */
  #block(reason: string): ChatChunk[] {
    if (this.#candidates.size === 0 && !this.#blocked) {
      this.#blocked = true;
      const refusal = `The provider blocked the prompt (${reason}).`;
      return [{ choices: [{ index: 0, delta: { refusal }, ...makeFinish("content_filter", reason) }] }];
    }
    for (const candidate of this.#candidates.values()) {
      if (!candidate.finished) candidate.finish("content_filter", reason);
    }
    return [];
  }

  #usageWith(value: unknown): Usage | undefined {
    if (!isObject(value)) return undefined;
    this.#usage = addReport(this.#usage, value);
    return parseGeminiUsage(this.#usage, Math.min(this.#queries.size, this.#queriesMax));
  }
}

/** Makes the decoder of a stream that the client gets as it came. */
export function makeNativeDecoder(card: ModelCard, request: ChatRequest): Decoder {
  return new GeminiDecoder(card, request, STREAMED_NATIVE);
}

/** Reads an unstreamed answer: the body is one event, or an array of a stream's events. */
export function parseReply(body: unknown, card: ModelCard, request: ChatRequest): ChatReply {
  return foldAnswer(body, new GeminiDecoder(card, request, { isWhole: true, isNative: false }));
}

/** Reads one that the client gets as it came. */
export function parseNativeReply(body: unknown, card: ModelCard, request: ChatRequest): ChatReply {
  return foldAnswer(body, new GeminiDecoder(card, request, { isWhole: true, isNative: true }));
}

function foldAnswer(body: unknown, decoder: GeminiDecoder): ChatReply {
  return foldChunks([...decoder.readBody(body), ...decoder.end()]);
}
