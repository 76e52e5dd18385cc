// Converse's streamed and whole answers as canonical chunks and replies.

import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import { gaveUp } from "../../core/models/upstream.ts";
import { foldChunks } from "../../operations/chat/answer/fold.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { type FinishMeaning, makeFinish, markUnknown, readMeaning } from "../../operations/chat/finish.ts";
import type { ChatChunk, ChatReply, Usage } from "../../operations/chat/form.ts";
import { Blocks } from "../_chat/blocks.ts";
import { makeChunks, parseEvent } from "../_chat/event.ts";
import { makeUsage, parseKnownCount, parseMainCounts } from "../_chat/usage.ts";
import { addPiece, readBlock, startBlock } from "./blocks.ts";
import { REASONING_FORMAT } from "./reasoning.ts";

const FINISH_REASONS: ReadonlyMap<string, FinishMeaning> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"],
  ["tool_use", "tool_calls"],
  // The model wrote something that is not a valid message, and Bedrock returns none of it.
  ["malformed_model_output", "failed"],
  ["malformed_tool_use", "failed"],
]);

/** Reads one answer. `messageStop` completes it, and `metadata` with the usage follows and ends it. */
export class ConverseDecoder implements Decoder {
  readonly #blocks = new Blocks(REASONING_FORMAT);
  #isFinished = false;
  #isEnded = false;

  get done(): boolean {
    return this.#isEnded;
  }

  push({ event, data }: ServerEvent): readonly ChatChunk[] {
    if (this.#isEnded || data.trim() === "") return [];
    const given = parseEvent(data);
    switch (event) {
      case "contentBlockStart":
        return makeChunks(startBlock(this.#blocks, readIndex(given), asObject(given.start)));
      case "contentBlockDelta":
        return makeChunks(addPiece(this.#blocks, readIndex(given), asObject(given.delta)));
      case "contentBlockStop":
        return makeChunks(this.#blocks.stop(readIndex(given)));
      case "messageStop":
        return [this.#finish(given.stopReason)];
      case "metadata":
        if (!this.#isFinished) throw malformed("the metadata arrived before the end of the message");
        this.#isEnded = true;
        return isObject(given.usage) ? [{ choices: [], usage: parseUsage(given.usage) }] : [];
      default:
        return [];
    }
  }

  end(): readonly ChatChunk[] {
    if (!this.#isFinished) throw malformed("the stream ended before messageStop");
    return [];
  }

  /** Reads a whole answer like its stream. Throws a Fault for any other body. */
  reply(body: unknown): ChatReply {
    const { message } = asObject(asObject(body).output);
    if (!isObject(body) || !isObject(message)) throw malformed("the answer has no message");
    const deltas = asArray(message.content).flatMap((one, at) => readBlock(this.#blocks, at, asObject(one)));
    const usage = isObject(body.usage) ? { usage: parseUsage(body.usage) } : {};
    return foldChunks([...makeChunks(deltas), { ...this.#finish(body.stopReason), ...usage }]);
  }

  #finish(value: unknown): ChatChunk {
    const reason = asString(value);
    if (reason === undefined) throw malformed("messageStop has no stop reason");
    const means = this.#findFinish(reason);
    if (means === "failed") throw gaveUp(reason);
    this.#isFinished = true;
    const finish = markUnknown(makeFinish(means, reason), reason, FINISH_REASONS);
    return { choices: [{ index: 0, delta: {}, ...finish }] };
  }

  /** `tool_use` without a call of the client's tools means that Nova used its own. */
  #findFinish(reason: string): FinishMeaning {
    if (reason === "tool_use") return this.#blocks.calls > 0 ? "tool_calls" : "stop";
    return readMeaning(reason, FINISH_REASONS);
  }
}

function readIndex(given: JsonObject): number {
  return asCount(given.contentBlockIndex);
}

/** Cached tokens are reported under two names, mostly under both at once. They are the same tokens. */
const READ = ["cacheReadInputTokens", "cacheReadInputTokenCount"] as const;
const WRITTEN = ["cacheWriteInputTokens", "cacheWriteInputTokenCount"] as const;

/** The input count excludes cached and cache-written tokens, unlike the canonical one. A malformed count is NaN. */
function parseUsage(raw: JsonObject): Usage {
  const [input, completion] = parseMainCounts(raw.inputTokens, raw.outputTokens);
  const cached = readFirst(raw, READ);
  const written = readFirst(raw, WRITTEN);
  // Nova's own searches. All recorded objects are empty.
  const searches = parseKnownCount(asObject(raw.serverToolUsage).webSearchRequests);
  return makeUsage({ prompt: input + (cached ?? 0) + (written ?? 0), completion, cached, written, searches });
}

function readFirst(raw: JsonObject, names: readonly string[]): number | undefined {
  return names.map((name) => parseKnownCount(raw[name])).find((count) => count !== undefined);
}
