// Cohere v2's streamed and whole chat answers as chunks (Cohere API reference, "Chat" and "Chat with Streaming").

import type { ServerEvent } from "../../core/dialect.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { garbled, upstreamFault } from "../../core/upstream.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import { foldChunks } from "../../operations/chat/fold.ts";
import type { ChatChunk, ChatReply, Delta } from "../../operations/chat/form.ts";
import { explainInside } from "../_chat/error.ts";
import { makeChunk, makeChunks, parseEvent } from "../_chat/event.ts";
import {
  makeBlockDelta,
  makeCallDelta,
  makeCitationDelta,
  PLAN_FORMAT,
  parseCohereUsage,
  Thoughts,
  toFinish,
} from "./blocks.ts";

export class CohereReader implements Decoder {
  readonly #thoughts = new Thoughts();
  #ended = false;

  get done(): boolean {
    return this.#ended;
  }

  push({ event, data }: ServerEvent): readonly ChatChunk[] {
    if (this.#ended || data === "[DONE]" || data.trim() === "") return [];
    const parsed = parseEvent(data);
    const type = asString(parsed.type) ?? event;
    if (type === "message-end") return [this.#end(asObject(parsed.delta))];
    const given = asObject(asObject(parsed.delta).message);
    const delta = this.#delta(type, given, asCount(parsed.index));
    if (delta) return [makeChunk(delta)];
    // An error has the form of an error answer: a message, and no known event.
    if (!isObject(parsed.delta) && asString(parsed.message)) throw explainInside(parsed);
    return [];
  }

  /** `message-end` is the end: some gateways of Cohere's send no `[DONE]` after it. */
  end(): readonly ChatChunk[] {
    if (!this.#ended) throw garbled("the stream ended before message-end");
    return [];
  }

  /** Reads a whole answer in the order of a stream. */
  reply(body: unknown): ChatReply {
    if (!isObject(body)) throw garbled("the answer is not a JSON object");
    if (!isObject(body.message)) throw explainInside(body);
    const { content, tool_plan, tool_calls, citations } = body.message;
    const blocks = typeof content === "string" ? [{ text: content }] : asArray(content).map(asObject);
    const deltas = [
      ...blocks.map((block, index) => makeBlockDelta(block, index, this.#thoughts)),
      this.#plan(tool_plan),
      ...asArray(tool_calls).map((call, index) => makeCallDelta(call, index)),
      ...asArray(citations).map(makeCitationDelta),
    ];
    return foldChunks([...makeChunks(deltas.filter((one) => one !== null)), this.#end(body)]);
  }

  #delta(type: string, given: JsonObject, index: number): Delta | null {
    switch (type) {
      case "content-start":
      case "content-delta":
        return makeBlockDelta(asObject(given.content), index, this.#thoughts);
      case "tool-plan-delta":
        return this.#plan(given.tool_plan);
      case "tool-call-start":
      case "tool-call-delta":
        return makeCallDelta(given.tool_calls, index);
      case "citation-start":
        return makeCitationDelta(given.citations);
    }
    return null;
  }

  #plan(text: unknown): Delta | null {
    return this.#thoughts.delta("plan", PLAN_FORMAT, text);
  }

  #end(given: JsonObject): ChatChunk {
    const finish_reason = toFinish(given.finish_reason);
    if (finish_reason === undefined) throw explainFailure(given);
    this.#ended = true;
    const usage = isObject(given.usage) ? { usage: parseCohereUsage(given.usage) } : {};
    const finish = makeFinish(finish_reason, given.finish_reason);
    return { choices: [{ index: 0, delta: {}, ...finish }], ...usage };
  }
}

function explainFailure(given: JsonObject): Error {
  const status = given.finish_reason === "TIMEOUT" ? 504 : 500;
  return upstreamFault({ status, message: asString(given.error) ?? String(given.finish_reason) });
}
