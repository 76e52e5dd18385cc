// The order in which a request's texts are read (system, tools, turns), with the integers of the client's own JSON.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { NativeTexts } from "../../../src/core/text/texts.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { listInOrder } from "../../../src/operations/ordered-texts.ts";
import { TOOL } from "../../../src/operations/tool/operation.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { GEMINI_TEXTS } from "../../../src/surfaces/gemini/texts.ts";
import { RESPONSES_TEXTS } from "../../../src/surfaces/openai-responses/texts.ts";

const CARD = 4532015112830366;

function listAll<Body extends object>(body: Body, walk: Parameters<typeof listInOrder<Body>>[1]) {
  const steps = listInOrder(body, walk);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const list = (texts: NativeTexts, body: JsonObject) =>
  listAll(body, texts.mapRequest).map(({ text }) => text);

test("a family's texts come in the order of its model, whatever the order of its fields", () => {
  const call = { type: "tool_use", id: "t", name: "pay", input: { card: CARD } };
  const messages = [
    { role: "user", content: "turn" },
    { role: "assistant", content: [call] },
  ];
  const tools = [{ name: "pay", description: "tool", input_schema: { type: "object" } }];
  const body = { model: "m", messages, tools, system: "system", max_tokens: 1 };
  const found = list(MESSAGES_TEXTS, body).filter((text) => text !== "pay");
  expect(found).toEqual(["system", "tool", "turn", "card", String(CARD)]);
});

test.each([
  [
    "messages",
    MESSAGES_TEXTS,
    { messages: [{ role: "assistant", content: [{ type: "tool_use", input: { a: [CARD] } }] }] },
  ],
  [
    "gemini, arguments",
    GEMINI_TEXTS,
    { contents: [{ parts: [{ functionCall: { name: "f", args: { a: CARD } } }] }] },
  ],
  [
    "gemini, a result",
    GEMINI_TEXTS,
    { contents: [{ parts: [{ functionResponse: { name: "f", response: { a: { b: CARD } } } }] }] },
  ],
  [
    "responses",
    RESPONSES_TEXTS,
    { input: [{ type: "function_call", name: "f", arguments: `{"a":${CARD}}` }] },
  ],
  [
    "a schema",
    RESPONSES_TEXTS,
    { tools: [{ type: "function", name: "f", parameters: { properties: { a: { enum: [CARD] } } } }] },
  ],
] as const)("an integer is a text: %s", (_name, texts, body) => {
  expect(list(texts, body)).toContain(String(CARD));
});

test("an integer of a tool's call, or of a chat's history, is a text with its field", () => {
  const tool = listAll({ model: "mcp:a#b", arguments: { card: CARD } }, TOOL.mapTexts);
  const asked = {
    type: "function",
    id: "c",
    function: { name: "f", arguments: `{"card": ${CARD}}` },
  } as const;
  const ask: ChatRequest = {
    model: "m",
    messages: [{ role: "assistant", content: null, tool_calls: [asked] }],
  };
  const chat = listAll(ask, CHAT.mapTexts);
  for (const texts of [tool, chat]) {
    const found = texts.find(({ text }) => text === String(CARD));
    expect(found?.place).toMatchObject({ kind: "integer", field: "card" });
  }
});

test("hooks aren't asked about integers", () => {
  const texts: string[] = [];
  const body = { input: [{ type: "function_call", name: "f", arguments: `{"a":${CARD}}` }] };
  RESPONSES_TEXTS.mapRequest(body, (text) => {
    texts.push(text);
    return text;
  });
  expect(texts).not.toContain(String(CARD));
});
