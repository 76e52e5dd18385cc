// Gemini's answers as chunks: one reader for streamed events and for whole bodies, which are the same objects.

import type { ServerEvent } from "../../core/dialect.ts";
import { Fault } from "../../core/fault.ts";
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../core/json.ts";
import { garbled } from "../../core/upstream.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import { foldChunks } from "../../operations/chat/fold.ts";
import type { ChatChunk, ChatReply, ChatRequest, ChunkChoice, Usage } from "../../operations/chat/form.ts";
import { Candidate } from "./candidate.ts";
import { explainError } from "./errors.ts";
import { parseGeminiUsage, toFinishReason } from "./metadata.ts";
import { mapSentNames } from "./tools.ts";

/**
 * Reads one answer. It has no end mark of its own: it is whole when every candidate has named a finish reason, or the
 * prompt was blocked, and the body is over. Finishes wait for that, as a reason may be followed by more.
 */
export class GeminiDecoder implements Decoder {
  readonly done = false;
  readonly #names: ReadonlyMap<string, string>;
  readonly #candidates = new Map<number, Candidate>();
  #usage: JsonObject = {};
  #blocked = false;

  constructor(request: ChatRequest) {
    this.#names = mapSentNames(request);
  }

  push(event: ServerEvent): readonly ChatChunk[] {
    const data = event.data.trim();
    // Some servers of this dialect close with it; Google does not.
    if (data === "" || data === "[DONE]") return [];
    return this.take(parseJson(data));
  }

  /** A response object, or the array of them that a stream is without `alt=sse`. */
  take(body: unknown): readonly ChatChunk[] {
    if (Array.isArray(body)) return body.flatMap((each) => this.#response(each));
    return this.#response(body);
  }

  end(): readonly ChatChunk[] {
    if (this.#candidates.size === 0 && !this.#blocked) throw garbled("the answer holds no candidate");
    const choices = [...this.#candidates.values()].map((candidate) => candidate.end());
    return choices.length > 0 ? [{ choices }] : [];
  }

  #response(body: unknown): ChatChunk[] {
    if (!isObject(body)) throw garbled("not a generateContent response");
    if (body.error) throw explainError(body.error);
    const choices: ChunkChoice[] = [];
    // A chunk has one choice of each index: what goes back to an earlier kind of part is a chunk of its own.
    const later: ChatChunk[] = [];
    for (const each of asArray(body.candidates)) {
      const own = this.#candidate(asObject(each));
      if (own[0]) choices.push(own[0]);
      if (own.length > 1) for (const choice of own.slice(1)) later.push({ choices: [choice] });
    }
    const { blockReason } = asObject(body.promptFeedback);
    if (blockReason) choices.push(...this.#block(String(blockReason)));
    const usage = this.#usageWith(body.usageMetadata);
    if (choices.length === 0 && !usage) return [];
    const first: ChatChunk = usage ? { choices, usage } : { choices };
    return later.length > 0 ? [first, ...later] : [first];
  }

  #candidate(given: JsonObject): ChunkChoice[] {
    const index = asCount(given.index);
    const reason = toFinishReason(given.finishReason);
    if (reason === "failed") throw explainUnfinished(given);
    const candidate = this.#candidates.get(index) ?? new Candidate(index, this.#names);
    this.#candidates.set(index, candidate);
    if (reason) candidate.finish(reason, given.finishReason);
    return candidate.take(given);
  }

  /** A blocked prompt has no candidates; a block in the middle of an answer ends what was begun. */
  #block(reason: string): ChunkChoice[] {
    if (this.#candidates.size === 0 && !this.#blocked) {
      this.#blocked = true;
      const refusal = `The provider blocked the prompt (${reason}).`;
      return [{ index: 0, delta: { refusal }, ...makeFinish("content_filter", reason) }];
    }
    for (const candidate of this.#candidates.values()) {
      if (!candidate.finished) candidate.finish("content_filter", reason);
    }
    return [];
  }

  /** Reports are cumulative, but a report may leave out counts that an earlier one had. */
  #usageWith(given: unknown): Usage | undefined {
    if (!isObject(given)) return undefined;
    this.#usage = { ...this.#usage, ...given };
    return parseGeminiUsage(this.#usage);
  }
}

/** The fault for a call that can't be read or an answer that Google gave up: another attempt may succeed. */
function explainUnfinished(given: JsonObject): Fault {
  const cause = `${String(given.finishReason)} ${asString(given.finishMessage) ?? ""}`;
  return new Fault("upstream_error", "The provider could not finish its answer.", { cause });
}

/** An unstreamed answer: the body is one event, or the array of a stream's. */
export function parseReply(body: unknown, request: ChatRequest): ChatReply {
  const decoder = new GeminiDecoder(request);
  return foldChunks([...decoder.take(body), ...decoder.end()]);
}
