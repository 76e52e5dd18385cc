// Web searches on a card without a price for them: left out and named, on every API and for every provider.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ModelCard, Price } from "../../src/core/models/card.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import type { Surface } from "../../src/surfaces/surface.ts";
import { makeModelCard } from "../harness/cards.ts";
import { findChatCodec } from "../harness/codec.ts";
import { incoming } from "../surfaces/recorded.ts";
import { type MoneyWorld, startMoneyWorld } from "../whole/world/money-world.ts";

const TARGET = { baseUrl: "https://provider.test", secret: "s", headers: {} };
const UNPRICED: Price = { input: 1, output: 2 };
const MESSAGES = { max_tokens: 9, messages: [{ role: "user", content: "a" }] };

function makeCard(price: Price | null, id = "Some#model"): ModelCard {
  return makeModelCard(id, { price, outputTokensMax: 4096 });
}

/** Encodes a request in the native lane, and returns its tools and choice of tool with the fields left out. */
function sendNative(surface: Surface<ChatForm>, body: JsonObject, price: Price | null, path = "/") {
  const { ask, raw } = surface.read(incoming({ model: "Some#model", ...body }, path));
  const { family } = surface;
  const lane = family === "openai" ? undefined : findDialect(family).chat?.lanes?.[family];
  if (!raw || !lane) throw new Error("There is no native lane.");
  const { body: sent, dropped } = lane.encode(raw, ask, makeCard(price), TARGET);
  return { sent: asObject(sent), dropped };
}

const SEARCH = { type: "web_search_20250305", name: "web_search" };
const OWN = { name: "mine", input_schema: { type: "object" } };
const OWN_FUNCTION = { type: "function", name: "mine", parameters: {} };
const PATH = "/v1beta/models/a:generateContent";
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "a" }] }] };
const DECLARED = { functionDeclarations: [{ name: "mine" }] };
const chosen = { tool_choice: { type: "tool", name: "web_search" } };

describe("the native lane", () => {
  test("leaves out Anthropic's search", () => {
    const sent = (price: Price | null, ...tools: readonly JsonObject[]) =>
      sendNative(ANTHROPIC_MESSAGES, { ...MESSAGES, tools, ...chosen }, price);
    const both = sent(UNPRICED, OWN, SEARCH);
    expect([both.sent.tools, both.sent.tool_choice]).toEqual([[OWN], undefined]);
    expect(both.dropped).toEqual(["tools", "tool_choice"]);
    const alone = JSON.parse(JSON.stringify(sent(UNPRICED, SEARCH).sent));
    expect(alone).not.toHaveProperty("tools");
    for (const price of [null, { ...UNPRICED, perSearch: 0 }, { ...UNPRICED, perSearch: 0.01 }]) {
      const kept = sent(price, OWN, SEARCH);
      expect(kept.sent).toMatchObject({ tools: [OWN, SEARCH], ...chosen });
      expect(kept.dropped).toEqual([]);
    }
  });

  test("leaves out OpenAI's, also among tools within the conversation", () => {
    const tools = [{ type: "web_search" }, OWN_FUNCTION];
    const more = { type: "additional_tools", tools: [{ type: "web_search_preview" }, OWN_FUNCTION] };
    const input = [{ role: "user", content: "a" }, more];
    const { sent, dropped } = sendNative(OPENAI_RESPONSES, { input, tools, tool_choice: "auto" }, UNPRICED);
    expect(sent).toMatchObject({ tools: [OWN_FUNCTION], tool_choice: "auto" });
    expect(sent.input).toEqual([input[0], { ...more, tools: [OWN_FUNCTION] }]);
    expect(sent.max_tool_calls).toBeUndefined();
    expect(dropped).toEqual(["tools", "input.tools"]);
  });

  test("leaves out Gemini's, and keeps functions of the same tool", () => {
    const tools = [{ ...DECLARED, googleSearch: {} }, { googleSearch: {} }];
    const { sent, dropped } = sendNative(GEMINI, { ...CONTENTS, tools }, UNPRICED, PATH);
    expect(sent.tools).toEqual([DECLARED]);
    expect(dropped).toEqual(["tools"]);
  });
});

describe("chat completions", () => {
  const sendChat = (fields: JsonObject, card: ModelCard) => {
    const ask = { model: card.id, messages: [{ role: "user" as const, content: "a" }], ...fields };
    // Without the operator's word, a field outside the API wouldn't pass anyway.
    const target = { ...TARGET, extraFields: ["enable_search"] };
    const { body, dropped } = CHAT.encode(findChatCodec(findDialect("openai")), ask, card, target);
    return { body: JSON.parse(JSON.stringify(body)), dropped };
  };
  const FIELDS = { enable_search: true, web_search_options: {}, tools: [{ type: "browser_search" }] };

  test("leave out its fields and tools", () => {
    const { body, dropped } = sendChat(FIELDS, makeCard(UNPRICED));
    expect(Object.keys(body).filter((field) => field in FIELDS)).toEqual([]);
    expect(new Set(dropped)).toEqual(new Set(["enable_search", "web_search_options", "tools"]));
  });

  test("keep them with a price, or if the model searches anyway", () => {
    for (const card of [makeCard({ ...UNPRICED, perSearch: 0.01 }), makeCard(UNPRICED, "Some#a:online")])
      expect(sendChat(FIELDS, card).body).toMatchObject(FIELDS);
  });
});

describe("over HTTP", () => {
  let world: MoneyWorld;
  beforeAll(async () => {
    world = await startMoneyWorld();
  });
  afterAll(() => world.stop());

  test("the header names the tool", async () => {
    const response = await fetch(`${world.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": world.secret, "content-type": "application/json" },
      body: JSON.stringify({ model: "Claude#sim~tokens=1000:500", ...MESSAGES, tools: [SEARCH] }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-poundkey-dropped")).toBe("tools");
  });
});
