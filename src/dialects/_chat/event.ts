// Both ends of a decoder: reads an event's data as an object, and wraps a delta in a chunk.

import { malformed } from "../../core/faults/malformed.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { parseShortened } from "../../core/models/thinking/removed-reasoning.ts";
import type { ChatChunk, Delta } from "../../operations/chat/form.ts";

export function parseEvent(data: string): JsonObject {
  const event = parseReceived(data) ?? parseShortened(data);
  if (!isObject(event)) throw malformed("an event is not a JSON object");
  return event;
}

/** Wraps the delta of an answer's only choice. */
export function makeChunk(delta: Delta, logprobs?: JsonObject): ChatChunk {
  return { choices: [{ index: 0, delta, finish_reason: null, ...(logprobs ? { logprobs } : {}) }] };
}

export function makeChunks(deltas: readonly Delta[]): ChatChunk[] {
  return deltas.map((delta) => makeChunk(delta));
}
