// A whole message of one text is read at once, with the same result as by way of the decoder and the fold.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { MessageDecoder, parseReply } from "../../src/dialects/anthropic/decode.ts";
import { readPlainReply } from "../../src/dialects/anthropic/plain-reply.ts";
import { foldChunks } from "../../src/operations/chat/answer/fold.ts";
import { readTraffic } from "../recorded/load.ts";

const SOURCE = {
  type: "char_location",
  cited_text: "t",
  document_index: 0,
  start_char_index: 0,
  end_char_index: 1,
};
const TEXT = { type: "text", text: "text" };

const CONTENTS: readonly (readonly unknown[])[] = [
  [TEXT],
  [{ ...TEXT, citations: null }],
  [{ ...TEXT, citations: [] }],
  [{ ...TEXT, citations: [SOURCE] }],
  [{ ...TEXT, text: "" }],
  [{ ...TEXT, text: 1 }],
  [{ type: "unknown", text: "text" }],
  ["text"],
  [TEXT, TEXT],
  [],
  [{ type: "thinking", thinking: "thought", signature: "s" }, TEXT],
  [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }],
];
const ENDS: readonly JsonObject[] = [
  { stop_reason: "end_turn", stop_sequence: null },
  { stop_reason: "stop_sequence", stop_sequence: "END" },
  { stop_reason: "max_tokens" },
  { stop_reason: "refusal", stop_details: { explanation: "No." } },
  { stop_reason: "tool_use" },
  { stop_reason: "some_new_word" },
  { stop_reason: null },
];
const USAGES: readonly unknown[] = [
  undefined,
  null,
  {},
  { input_tokens: 5, output_tokens: 7 },
  {
    input_tokens: 5,
    output_tokens: null,
    cache_read_input_tokens: null,
    iterations: null,
    service_tier: null,
  },
  { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 0 },
  { input_tokens: 5, cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 9 } },
  { input_tokens: -1, output_tokens: "many" },
  { input_tokens: 1, output_tokens: 1, service_tier: "priority", speed: "fast" },
  { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 2 } },
  { input_tokens: 1, output_tokens: 1, iterations: [{ input_tokens: 4, output_tokens: 5 }] },
  { input_tokens: 1, output_tokens: 1, iterations: [{ type: "advisor_message", input_tokens: 4 }] },
];
const REMOVED = [undefined, [{ type: "thinking_dropped", reason: "model_binding_mismatch" }]];

const MESSAGES: readonly JsonObject[] = CONTENTS.flatMap((content) =>
  ENDS.flatMap((end) =>
    USAGES.flatMap((usage) =>
      REMOVED.map((input_transformations) => ({
        type: "message",
        content,
        ...end,
        usage,
        input_transformations,
      })),
    ),
  ),
);

const define = (message: JsonObject) => foldChunks(new MessageDecoder().readMessage(message));

test("both ways give the same reply for every kind of message, with its fields in the same order", () => {
  for (const message of MESSAGES) {
    const reply = parseReply(structuredClone(message));
    const defined = define(structuredClone(message));
    expect(reply).toEqual(defined);
    expect(JSON.stringify(reply)).toBe(JSON.stringify(defined));
  }
  expect(MESSAGES.filter((message) => readPlainReply(message) !== null)).toHaveLength(3 * 3 * USAGES.length);
});

test("and for every recorded message", () => {
  const bodies = readTraffic()
    .recordings.filter(
      ({ api, streamed, status }) => api === "anthropic-messages" && !streamed && status === 200,
    )
    .map(({ body }): JsonObject => JSON.parse(body));
  const plain = bodies.filter((body) => Array.isArray(body.content) && readPlainReply(body) !== null);
  expect(plain.length).toBeGreaterThan(0);
  for (const body of plain) expect(JSON.stringify(parseReply(body))).toBe(JSON.stringify(define(body)));
});
