// JSON in texts (arguments and results of calls) is read up to the bounds of a request. Beyond them, it stays text.
import { describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ChatReply, ToolCall } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import type { Stamp } from "../../../src/surfaces/surface.ts";
import { incoming } from "../../surfaces/recorded.ts";

const DEEP = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
const WIDE = `{"a":[${"[],".repeat(100_000)}[]]}`;
const HALF = `{"a":[${"[],".repeat(60_000)}[]]}`;
const FINE = '{"a":[1,{"b":"c"}]}';
const TARGET = { baseUrl: "http://provider.test", secret: "s", headers: {} };

const MODELS = [
  "Anthropic#claude-sonnet-4-5",
  "Google#gemini-2.5-flash",
  "Google#gemini-3.1-pro-preview",
  "Bedrock#us.amazon.nova-2-lite-v1:0",
];

/** Encodes a conversation with calls of these arguments, each answered with the same text. */
function encode(id: string, inputs: readonly string[]): JsonObject {
  const [provider = ""] = id.split("#");
  const card =
    loadShippedCards().find((one) => one.id === id) ??
    loadShippedCards().find((one) => one.provider === provider);
  const codec = PROVIDERS.find(({ name }) => name === provider)?.dialects.find(
    ({ name }) => name !== "anthropic" || provider === "Anthropic",
  )?.chat;
  if (!card || !codec) throw new Error(`There is no codec for ${id}.`);
  const calls = inputs.map((input, at) => ({
    id: `c${at}`,
    type: "function",
    function: { name: "f", arguments: input },
  }));
  const messages = [
    { role: "user", content: "hello" },
    { role: "assistant", content: null, tool_calls: calls },
    ...inputs.map((input, at) => ({ role: "tool", tool_call_id: `c${at}`, content: input })),
  ];
  const { ask } = OPENAI_CHAT.read(incoming({ model: id, messages }));
  return CHAT.encode(codec, ask, { ...card, name: id.slice(provider.length + 1) }, TARGET).body;
}

/** Lists all objects under one of these names, at any depth. */
function findAll(value: unknown, names: readonly string[]): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (names.includes(name) ? [one] : findAll(one, names)));
}

describe.each(MODELS)("a client's, for %s", (id) => {
  const listInputs = (inputs: readonly string[]) => findAll(encode(id, inputs), ["input", "args"]);

  test("within bounds: an object", () => {
    expect(listInputs([FINE])).toEqual([JSON.parse(FINE)]);
  });

  test.each([
    ["50,000 levels", DEEP],
    ["100,001 elements", WIDE],
  ])("%s: the text", (_, text) => {
    const [input] = listInputs([text]);
    expect(Object.values(input as JsonObject)).toEqual([text]);
  });

  test("all of a request count together", () => {
    const [first, second] = listInputs([HALF, HALF]);
    expect(first).toEqual(JSON.parse(HALF));
    expect(Object.values(second as JsonObject)).toEqual([HALF]);
  });
});

test("results count together with arguments, where they are read", () => {
  const [response] = findAll(encode("Google#gemini-2.5-flash", [HALF]), ["response"]);
  expect(response).toEqual({ result: HALF });
  const [other] = findAll(encode("Google#gemini-2.5-flash", [FINE]), ["response"]);
  expect(other).toEqual(JSON.parse(FINE));
});

const STAMP: Stamp = {
  id: "a",
  created: 0,
  model: "m",
  nameStored: (id) => id,
  sealHistory: () => null,
  countPrompt: () => 1,
};
const HELLO = { role: "user", content: "hello" };
const SURFACES = {
  "/v1/messages": ANTHROPIC_MESSAGES.read(incoming({ model: "m", max_tokens: 1, messages: [HELLO] })),
  generateContent: GEMINI.read(
    incoming({ contents: [{ parts: [{ text: "hello" }] }] }, "/v1beta/models/m:generateContent"),
  ),
};

function makeReply(inputs: readonly string[]): ChatReply {
  const calls = inputs.map(
    (input, at): ToolCall => ({ id: `c${at}`, type: "function", function: { name: "f", arguments: input } }),
  );
  const message = { role: "assistant", content: null, refusal: null, tool_calls: calls } as const;
  return { choices: [{ index: 0, message, finish_reason: "tool_calls", logprobs: null }] };
}

describe.each(Object.entries(SURFACES))("a provider's, asked by %s", (surface, exchange) => {
  const listInputs = (inputs: readonly string[]) =>
    findAll(exchange.whole(makeReply(inputs), STAMP), ["input", "args"]);

  test("within bounds: an object, completed or left out if it was cut off", () => {
    expect(listInputs([FINE])).toEqual([JSON.parse(FINE)]);
    const completed = surface === "generateContent" ? [] : [JSON.parse(FINE)];
    expect(listInputs(['{"a":[1,{"b":"c'])).toEqual(completed);
  });

  test("beyond them: the text", () => {
    for (const text of [DEEP, WIDE, DEEP.slice(0, 50_000)]) {
      const [input] = listInputs([text]);
      expect(Object.values(input as JsonObject)).toEqual([text]);
    }
  });

  test("all of an answer count together", () => {
    const [first, second] = listInputs([HALF, HALF]);
    expect(first).toEqual(JSON.parse(HALF));
    expect(Object.values(second as JsonObject)).toEqual([HALF]);
  });

  test("streamed: the text is passed on, and other calls are not affected", () => {
    const writer = exchange.writer(() => STAMP);
    const calls = [DEEP, FINE].map((input, index) => ({
      index,
      id: `c${index}`,
      type: "function" as const,
      function: { name: "f", arguments: input },
    }));
    const text =
      calls
        .map((call) =>
          writer.write([{ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }]),
        )
        .join("") + writer.end();
    expect(text).toContain(JSON.stringify(DEEP).slice(1, -1));
    expect(text).toContain('"c1"');
  });
});
