// Thinking that OpenRouter streams in fragments, read by a client of Responses and sent back to it whole.
import { expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { openSignature } from "../../src/surfaces/signature.ts";
import { findChatCodec } from "../harness/codec.ts";
import { TARGET } from "../providers/target.ts";
import { makeSubject } from "../recorded/pipeline.ts";
import { makeExchange } from "./readings.ts";
import { decodePieces, PLAIN_SEALER, writeStream } from "./recorded.ts";
import { readRequest } from "./responses/responses-read.ts";

const CLAUDE = { format: "anthropic-claude-v1" };
const text = (index: number, fields: object): JsonObject => ({
  type: "reasoning.text",
  ...fields,
  ...CLAUDE,
  index,
});
const sealed = (index: number, data: string) => ({ type: "reasoning.encrypted", data, ...CLAUDE, index });

function subjectOf(fragments: readonly JsonObject[]) {
  const call = { index: 0, id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const deltas = [...fragments.map((one) => ({ reasoning_details: [one] })), { tool_calls: [call] }];
  const events = deltas.map((delta, at) => ({
    choices: [{ index: 0, delta, finish_reason: at === deltas.length - 1 ? "tool_calls" : null }],
  }));
  const lines = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
  return makeSubject({
    id: "made-up",
    file: "openrouter",
    api: "openai-chat",
    model: "anthropic/claude-sonnet-4.5",
    tags: [],
    url: "",
    request: null,
    status: 200,
    headers: new Headers(),
    frames: null,
    body: lines.map((line) => `data: ${line}\n\n`).join(""),
    streamed: true,
  });
}

/** The details that are sent back to the provider. */
function sendBack(fragments: readonly JsonObject[]): unknown {
  const subject = subjectOf(fragments);
  const events = writeStream(makeExchange("responses"), decodePieces(subject, null), true);
  const [last] = events
    .split("\n")
    .flatMap((line) => (line.includes("response.completed") ? [line] : []))
    .slice(-1);
  const { response } = asObject(JSON.parse(String(last).replace("data: ", "")));
  const result = { type: "function_call_output", call_id: "c1", output: "rain" };
  const input = [{ role: "user", content: "a" }, ...asArray(asObject(response).output), result];
  const { body } = findChatCodec(subject.dialect).encode(readRequest({ input }).ask, subject.card, TARGET);
  return asObject(asArray(asObject(body).messages)[1]).reasoning_details;
}

const CASES: readonly (readonly [
  name: string,
  fragments: readonly JsonObject[],
  whole: readonly JsonObject[],
])[] = [
  [
    "a signature at the end",
    [text(0, { text: "I " }), text(0, { text: "go" }), text(0, { signature: "s" })],
    [text(0, { text: "I go", signature: "s" })],
  ],
  [
    "null for what a fragment lacks",
    [
      text(0, { text: "I ", signature: null }),
      text(0, { text: "go" }),
      text(0, { text: null, signature: "s" }),
    ],
    [text(0, { text: "I go", signature: "s" })],
  ],
  [
    "two blocks, one of them without text",
    [text(0, { text: "I go" }), text(0, { signature: "s" }), text(1, { signature: "t" })],
    [text(0, { text: "I go", signature: "s" }), text(1, { signature: "t" })],
  ],
  [
    "encrypted blocks",
    [text(0, { text: "I " }), text(0, { text: "go", signature: "s" }), sealed(1, "d"), sealed(1, "e")],
    [text(0, { text: "I go", signature: "s" }), sealed(1, "d"), sealed(1, "e")],
  ],
];

test.each(CASES)("%s", (_name, fragments, whole) => {
  expect(sendBack(fragments)).toEqual(whole);
});

test("a signature from before the fragments were joined", () => {
  const fragments = [text(0, { text: "I " }), text(0, { text: "go" }), text(0, { signature: "s" })];
  const signature = `pk1.${PLAIN_SEALER.seal(JSON.stringify(fragments))}`;
  expect(openSignature(PLAIN_SEALER, "I go", signature)).toEqual([
    { type: "reasoning.text", text: "I go", signature: "s", ...CLAUDE, index: 0 },
  ]);
});
