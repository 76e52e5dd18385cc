// Converse's answers, streamed and whole, as canonical chunks and replies.
import type { ServerEvent } from "../../core/dialect.ts";
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../core/json.ts";
import { garbled, upstreamFault } from "../../core/upstream.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import { Fold } from "../../operations/chat/fold.ts";
import type { ChatChunk, ChatReply, Delta, FinishReason } from "../../operations/chat/form.ts";
import { Blocks } from "./blocks.ts";
import { parseConverseUsage } from "./usage.ts";

const FINISH: ReadonlyMap<string, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"],
]);
/** The model wrote something that is no message: Bedrock gives none of it. */
const FAILED = /^malformed_/;

/** Reads one answer. `messageStop` makes it whole; `metadata`, which holds the usage, comes after that and is the end. */
export class ConverseDecoder implements Decoder {
  readonly #blocks = new Blocks();
  #isFinished = false;
  #isEnded = false;

  get done(): boolean {
    return this.#isEnded;
  }

  push({ event, data }: ServerEvent): readonly ChatChunk[] {
    if (this.#isEnded || data.trim() === "") return [];
    const given = parseJson(data);
    if (!isObject(given)) throw garbled("an event that is not a JSON object");
    switch (event) {
      case "contentBlockStart":
        return chunks(this.#blocks.start(readIndex(given), asObject(given.start)));
      case "contentBlockDelta":
        return chunks(this.#blocks.piece(readIndex(given), asObject(given.delta)));
      case "contentBlockStop":
        return chunks(this.#blocks.stop(readIndex(given)));
      case "messageStop":
        return [this.#finish(given.stopReason)];
      case "metadata":
        if (!this.#isFinished) throw garbled("metadata before the end of the message");
        this.#isEnded = true;
        return isObject(given.usage) ? [{ choices: [], usage: parseConverseUsage(given.usage) }] : [];
      default:
        return [];
    }
  }

  end(): readonly ChatChunk[] {
    if (!this.#isFinished) throw garbled("the stream ended before messageStop");
    return [];
  }

  /** A whole answer goes the way of its stream. Throws a Fault for a body that is none. */
  reply(body: unknown): ChatReply {
    const { message } = asObject(asObject(body).output);
    if (!isObject(body) || !isObject(message)) throw garbled("an answer without a message");
    const fold = new Fold();
    for (const [index, block] of asArray(message.content).entries())
      for (const chunk of chunks(this.#blocks.whole(index, asObject(block)))) fold.push(chunk);
    fold.push(this.#finish(body.stopReason));
    if (isObject(body.usage)) fold.push({ choices: [], usage: parseConverseUsage(body.usage) });
    return fold.reply();
  }

  #finish(given: unknown): ChatChunk {
    const reason = asString(given);
    if (reason === undefined) throw garbled("an end without a stop reason");
    if (FAILED.test(reason)) throw upstreamFault({ status: 500, message: reason });
    this.#isFinished = true;
    return { choices: [{ index: 0, delta: {}, ...makeFinish(this.#findFinish(reason), reason) }] };
  }

  /** `tool_use` without a call of the client's tools is Nova's use of its own. */
  #findFinish(reason: string): FinishReason {
    if (reason === "tool_use") return this.#blocks.calls > 0 ? "tool_calls" : "stop";
    return FINISH.get(reason) ?? "stop";
  }
}

function chunks(deltas: readonly Delta[]): ChatChunk[] {
  return deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
}

function readIndex(given: JsonObject): number {
  return asCount(given.contentBlockIndex);
}
