// Anthropic's streamed and whole answers as canonical chunks and replies.

import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import { gaveUp } from "../../core/models/upstream.ts";
import { foldChunks } from "../../operations/chat/answer/fold.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { type FinishMeaning, makeFinish, markUnknown, readMeaning } from "../../operations/chat/finish.ts";
import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  type Delta,
  REMOVED,
} from "../../operations/chat/form.ts";
import { Blocks } from "../_chat/blocks.ts";
import { ENVELOPE } from "../_chat/envelope.ts";
import { makeChunk, makeChunks, parseEvent } from "../_chat/event.ts";
import { addPiece, startBlock } from "./blocks.ts";
import { explainAnswer, isError } from "./errors.ts";
import { readPlainReply } from "./plain-reply.ts";
import { THINKING_FORMAT } from "./thinking.ts";
import { mergeUsage, parseAnthropicUsage, readInputTransformations } from "./usage.ts";

export const FINISH: ReadonlyMap<string, FinishMeaning> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["compaction", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
]);

/** True unless the answer has a property that is called like an envelope. */
function mayUnwrap(format: NonNullable<ChatRequest["response_format"]>): boolean {
  if (format.type !== "json_schema") return false;
  return !Object.hasOwn(asObject(format.json_schema.schema?.properties), ENVELOPE);
}

/** Reads one message, event by event. It ends with `message_stop`. Anything that a proxy sends later is ignored. */
export class MessageDecoder implements Decoder {
  readonly #blocks: Blocks;
  #usage: JsonObject = {};
  #messageId: unknown;
  #isStarted = false;
  #isFinished = false;
  #isEnded = false;

  /** `request` is what was asked, unless the client's own request was sent. */
  constructor(request?: ChatRequest) {
    const format = request?.response_format;
    this.#blocks = new Blocks(THINKING_FORMAT, format !== undefined && mayUnwrap(format));
  }

  get done(): boolean {
    return this.#isEnded;
  }

  push(event: ServerEvent): ChatChunk[] {
    if (this.#isEnded || event.data.trim() === "" || event.data === "[DONE]") return [];
    return this.#readEvent(parseEvent(event.data));
  }

  end(): ChatChunk[] {
    if (!this.#isEnded) throw malformed("the stream ended before message_stop");
    return [];
  }

  /** Reads a whole message by the same rules as a stream. */
  readMessage(message: JsonObject): ChatChunk[] {
    const { stop_reason, stop_details, stop_sequence, content, usage } = message;
    const blocks = asArray(content).flatMap((block, index) => this.#readWholeBlock(index, block));
    const reason = asString(stop_reason) ?? "end_turn";
    const finish = this.#finish({ stop_reason: reason, stop_details, stop_sequence }, usage);
    return [...(message.input_transformations ? listRemoved(message) : NONE), ...blocks, ...finish];
  }

  #readEvent(data: JsonObject): ChatChunk[] {
    switch (data.type) {
      case "message_start":
        return this.#start(asObject(data.message));
      case "content_block_start":
        return makeChunks(startBlock(this.#blocks, readIndex(data), asObject(data.content_block)));
      case "content_block_delta":
        return makeChunks(addPiece(this.#blocks, readIndex(data), asObject(data.delta)));
      case "content_block_stop":
        return makeChunks(this.#blocks.stop(readIndex(data)));
      case "message_delta":
        return this.#finish(asObject(data.delta), data.usage);
      case "message_stop":
        // Without a stop reason the answer may be incomplete, and the client would get no finish_reason.
        if (!this.#isFinished) throw malformed("message_stop has no stop reason");
        this.#isEnded = true;
        return [];
      case "error":
        throw explainAnswer(data);
      default:
        if (isError(data)) throw explainAnswer(data);
        return [];
    }
  }

  /** The start may be repeated. Another id means a second answer, after text of the first was already sent. */
  #start(message: JsonObject): ChatChunk[] {
    if (this.#isStarted) {
      if (message.id !== this.#messageId) throw malformed("the stream has a second message");
      return [];
    }
    this.#isStarted = true;
    this.#messageId = message.id;
    const blocks = asArray(message.content).flatMap((block, index) => this.#readWholeBlock(index, block));
    const removed = message.input_transformations ? listRemoved(message) : NONE;
    return [...this.#usageChunks(message.usage), ...removed, ...blocks];
  }

  #readWholeBlock(index: number, block: unknown): ChatChunk[] {
    return makeChunks([...startBlock(this.#blocks, index, asObject(block)), ...this.#blocks.stop(index)]);
  }

  #finish(end: JsonObject, usage: unknown): ChatChunk[] {
    const { stop_reason: reason, stop_details: details, stop_sequence: sequence } = end;
    const report = this.#usageChunks(usage);
    const given = asString(reason);
    if (given === undefined) return report;
    this.#isFinished = true;
    const refusal = asString(asObject(details).explanation) || "The model declined to answer this request.";
    const delta: Delta = given === "refusal" ? { refusal } : {};
    const means = this.#finishOf(given);
    if (means === "failed") throw gaveUp(given);
    const finish = markUnknown(makeFinish(means, given, sequence), given, FINISH);
    return [{ choices: [{ index: 0, delta, ...finish }] }, ...report];
  }

  /** `tool_use` without a call of the client's tools is constrained output in the form of a call. */
  #finishOf(reason: string): FinishMeaning {
    if (reason === "tool_use") return this.#blocks.calls > 0 ? "tool_calls" : "stop";
    return readMeaning(reason, FINISH);
  }

  #usageChunks(report: unknown): ChatChunk[] {
    if (!isObject(report)) return [];
    this.#usage = mergeUsage(this.#usage, report);
    const usage = parseAnthropicUsage(this.#usage);
    return usage ? [{ choices: [], usage }] : [];
  }
}

/** Returns what was left out of the history as a chunk that begins the answer: it is known before the first word. */
function listRemoved({ input_transformations: list }: JsonObject): readonly ChatChunk[] {
  const removed = readInputTransformations(list);
  return removed ? [{ ...makeChunk({}), [REMOVED]: removed }] : NONE;
}

const NONE: readonly never[] = [];

/** Reads a whole message, an answer to `request` unless the client's own was sent. Throws a Fault for an error body and for anything that is not a message. */
export function parseReply(body: unknown, request?: ChatRequest): ChatReply {
  if (!isObject(body)) throw malformed("the body is not a JSON object");
  if (isError(body)) throw explainAnswer(body);
  if (!Array.isArray(body.content)) throw malformed("the message has no content");
  return readPlainReply(body) ?? foldChunks(new MessageDecoder(request).readMessage(body));
}

function readIndex(data: JsonObject): number {
  return asNumber(data.index) ?? 0;
}
