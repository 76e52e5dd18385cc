// Shared by the tests of the Anthropic dialect: cards, requests, and an answer carried all the way to a client's reply.

import { Fault } from "../../../src/core/faults/fault.ts";
import { asArray, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { Outgoing } from "../../../src/core/models/dialect.ts";
import { anthropic } from "../../../src/dialects/anthropic/dialect.ts";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import { Normaliser, normaliseReply } from "../../../src/operations/chat/answer/normalise.ts";
import type { ChatMessage, ChatReply, ChatRequest } from "../../../src/operations/chat/form.ts";
import { makeModelCard } from "../../harness/cards.ts";

/** Accepts everything that newer models refuse more and more of. */
export const CLASSIC = "claude-sonnet-4-5";
export const OLD = "claude-3-7-sonnet-20250219";
export const NEWEST = "claude-opus-5-5";
export const target = { baseUrl: "https://api.example/v1", secret: "secret", headers: {} };

export const hi: ChatMessage = { role: "user", content: "hi" };
export const weather = {
  type: "function" as const,
  function: { name: "weather", parameters: { type: "object", properties: {} } },
};
export const schema = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
export const jsonSchema = { type: "json_schema" as const, json_schema: { name: "n", schema } };

export function makeCard(name: string, outputTokensMax: number | null = 64_000): ModelCard {
  return makeModelCard(`Anthropic#${name}`, {
    contextTokensMax: 200_000,
    outputTokensMax,
    capabilities: new Set(["tools", "vision", "files", "structured", "reasoning"]),
  });
}

export function makeRequest(part: Partial<ChatRequest>): ChatRequest {
  return { model: "m", messages: [hi], ...part };
}

export function sent(part: Partial<ChatRequest>, name = CLASSIC): Outgoing {
  return anthropic.chat.encode(makeRequest(part), makeCard(name), target);
}

/** The turns of a body. */
export function readTurns({ body }: Outgoing): JsonObject[] {
  return asArray(body.messages).filter(isObject);
}

export function call(id: string, text = "{}") {
  return { id, type: "function" as const, function: { name: "weather", arguments: text } };
}

export function calls(...ids: string[]): ChatMessage {
  return { role: "assistant", content: null, tool_calls: ids.map((id) => call(id)) };
}

export function result(id: string, content = "sun"): ChatMessage {
  return { role: "tool", tool_call_id: id, content };
}

export type Event = JsonObject & { type: string };

export const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 2,
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 },
};
export const start: Event = {
  type: "message_start",
  message: { id: "m1", content: [], usage: { ...USAGE, output_tokens: 1 } },
};

export function open(index: number, block: object): Event {
  return { type: "content_block_start", index, content_block: block };
}

export function text(index: number, value: string): Event {
  return { type: "content_block_delta", index, delta: { type: "text_delta", text: value } };
}

export function json(index: number, value: string): Event {
  return { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: value } };
}

export function piece(index: number, delta: object): Event {
  return { type: "content_block_delta", index, delta };
}

export function close(index: number): Event {
  return { type: "content_block_stop", index };
}

export function finish(reason: string, rest: object = {}): Event[] {
  const usage = { output_tokens: 7, output_tokens_details: { thinking_tokens: 3 } };
  return [
    { type: "message_delta", delta: { stop_reason: reason, ...rest }, usage },
    { type: "message_stop" },
  ];
}

/** A streamed answer as a client folds it. The data lines are padded, as Anthropic's are. */
export function streamed(events: readonly Event[], part: Partial<ChatRequest> = {}): ChatReply {
  const request = makeRequest(part);
  const decoder = anthropic.chat.decoder(makeCard(CLASSIC), request);
  const normaliser = new Normaliser(request);
  const fold = new Fold();
  const take = (chunks: Parameters<Normaliser["push"]>[0]) => {
    for (const chunk of normaliser.push(chunks)) fold.push(chunk);
  };
  for (const event of events) take(decoder.push({ event: event.type, data: `${JSON.stringify(event)}   ` }));
  take(decoder.end());
  for (const chunk of normaliser.end()) fold.push(chunk);
  return fold.reply();
}

/** The same answer unstreamed. */
export function whole(
  content: readonly object[],
  reason: string,
  part: Partial<ChatRequest> = {},
  rest: object = {},
): ChatReply {
  const body = { type: "message", role: "assistant", content, stop_reason: reason, usage: USAGE, ...rest };
  const request = makeRequest(part);
  return normaliseReply(anthropic.chat.reply(body, makeCard(CLASSIC), request, new Headers()), request);
}

export function catchFault(run: () => unknown): Fault {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
