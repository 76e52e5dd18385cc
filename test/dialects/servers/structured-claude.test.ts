// Structured answers on servers of Anthropic's form: by the API's own field where it is declared, and out of their envelope where
// a forced call carries them.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Capability } from "../../../src/core/models/card.ts";
import { anthropic } from "../../../src/dialects/anthropic/dialect.ts";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { makeModelCard } from "../../harness/cards.ts";

/** A map, which the API's own field can't express. */
const MAP = {
  type: "object",
  properties: { a: { type: "object", additionalProperties: { type: "string" } } },
};
const CLOSED = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const TARGET = { baseUrl: "https://provider.test/v1", secret: null, headers: {} };

function ask(schema: JsonObject, more: Partial<ChatRequest> = {}): ChatRequest {
  const format = { type: "json_schema" as const, json_schema: { name: "answer", schema } };
  return { model: "any", messages: [{ role: "user", content: "hi" }], response_format: format, ...more };
}

function card(name: string, ...capabilities: readonly Capability[]) {
  return makeModelCard(`Own#${name}`, { capabilities: new Set(capabilities), outputTokensMax: 8000 });
}

/** Returns the text of an answer whose output tool got this input, whole and streamed in pieces of every length. */
function readAnswers(json: string, schema: JsonObject): readonly string[] {
  const tool = { type: "tool_use", id: "t", name: "poundkey_output" };
  const end = { stop_reason: "tool_use", usage: { input_tokens: 1, output_tokens: 1 } };
  const model = card("claude-sonnet-4-5", "tools");
  const request = ask(schema);
  const body = {
    type: "message",
    role: "assistant",
    content: [{ ...tool, input: JSON.parse(json) }],
    ...end,
  };
  const whole = anthropic.chat.reply(body, model, request, new Headers()).choices[0]?.message.content ?? "";
  const streamed = [1, 3, 7, json.length].map((length) => {
    const decoder = anthropic.chat.decoder(model, request);
    const fold = new Fold();
    const push = (event: JsonObject) => {
      for (const chunk of decoder.push({ event: "", data: JSON.stringify(event) })) fold.push(chunk);
    };
    push({ type: "message_start", message: { id: "m", usage: end.usage } });
    push({ type: "content_block_start", index: 0, content_block: { ...tool, input: {} } });
    for (let at = 0; at < json.length; at += length) {
      const delta = { type: "input_json_delta", partial_json: json.slice(at, at + length) };
      push({ type: "content_block_delta", index: 0, delta });
    }
    push({ type: "content_block_stop", index: 0 });
    push({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: end.usage });
    push({ type: "message_stop" });
    return fold.reply().choices[0]?.message.content ?? "";
  });
  return [whole, ...streamed];
}

describe("the answer of a forced call", () => {
  test.each([
    ['{"parameters":{"a":{"x":"y"}}}', '{"a":{"x":"y"}}'],
    ['{ "parameters" : {"a": {"n": "}"}} }', '{"a": {"n": "}"}}'],
  ])("%s leaves its envelope", (given, expected) => {
    const answers = readAnswers(given, MAP);
    expect(answers.map((text) => JSON.parse(text))).toEqual(answers.map(() => JSON.parse(expected)));
    expect(answers.slice(1)).toEqual(answers.slice(1).map(() => expected));
  });

  test.each([
    '{"a":{"x":"y"}}',
    '{"parameters":{"a":{}},"a":{}}',
    '{"parameters":"a"}',
    '{"parametersOf":{"a":{}}}',
    '{"p":1}',
    "{}",
  ])("%s stays", (given) => {
    expect(readAnswers(given, MAP)).toEqual(Array.from({ length: 5 }, () => given));
  });

  test("stays if its schema has a property of that name", () => {
    const given = '{"parameters":{"a":1}}';
    const schema = {
      type: "object",
      properties: { parameters: { type: "object", additionalProperties: true } },
    };
    expect(readAnswers(given, schema)).toEqual(Array.from({ length: 5 }, () => given));
  });
});

describe("a model of another name", () => {
  test("gets the schema in the API's own field if it is declared", () => {
    for (const effort of [undefined, "high"] as const) {
      const request = ask(CLOSED, effort === undefined ? {} : { reasoning_effort: effort });
      const model = card("m", "tools", "structured", "reasoning");
      const { body, dropped } = anthropic.chat.encode(request, model, TARGET);
      expect(body.output_config).toMatchObject({ format: { type: "json_schema", schema: CLOSED } });
      expect({ tools: body.tools, dropped }).toEqual({ tools: undefined, dropped: [] });
    }
  });

  test("gets a forced call otherwise", () => {
    const { body } = anthropic.chat.encode(ask(CLOSED), card("m", "tools"), TARGET);
    expect(body.tool_choice).toMatchObject({ type: "tool", name: "poundkey_output" });
  });
});
