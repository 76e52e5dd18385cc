// Histories and wishes in words that few clients use: thinking without a budget, LiteLLM's blocks of it, details that are null,
// and results of parallel calls with something between them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import type { SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import { askSurface } from "../world/surface-asking.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

/** A picture of one point. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
const SAY = "say: good day";
const CALL = [{ role: "user", content: 'call weather({"city":"Oslo"})' }];
const messages = [{ role: "user", content: SAY }];
const parameters = { type: "object", properties: { city: { type: "string" } } };

describe.each([false, true])("streamed: %p", (stream) => {
  const ask = (surface: SurfaceKey, model: string, body: JsonObject) =>
    askSurface(world, { surface, model, body, stream });

  describe.each(["chat", "messages"] as const)("thinking without a budget, from %s", (surface) => {
    const body = { messages, thinking: { type: "enabled" } };
    const FIELDS: readonly (readonly [string, (sent: JsonObject) => unknown, unknown])[] = [
      ["OpenAI#gpt-5.4-mini", (sent) => sent.reasoning_effort, "medium"],
      ["Responses#gpt-5.4-mini", (sent) => asObject(sent.reasoning).effort, "medium"],
      [
        "Google#gemini-3.6-flash",
        (sent) => asObject(asObject(sent.generationConfig).thinkingConfig).thinkingLevel,
        "MEDIUM",
      ],
      ["Mistral#mistral-medium-latest", (sent) => sent.reasoning_effort, "high"],
    ];

    test.each(FIELDS)("%s thinks", async (model, read, effort) => {
      const limit = surface === "messages" ? { max_tokens: 4000 } : { max_completion_tokens: 4000 };
      const { status, sent } = await ask(surface, model, { ...body, ...limit });
      expect([status, read(sent)]).toEqual([200, effort]);
    });

    test("a model that can't is named", async () => {
      const { status, dropped } = await ask(surface, "OpenAI#gpt-4o-mini", body);
      expect([status, dropped]).toEqual([200, surface === "chat" ? "reasoning_effort" : "thinking"]);
    });
  });

  test("Claude thinks without a budget, if the client's API isn't its own", async () => {
    const body = { messages, thinking: { type: "enabled" }, max_completion_tokens: 4000 };
    const { status, sent } = await ask("chat", "Anthropic#claude-sonnet-4-5", body);
    expect([status, sent.thinking]).toEqual([200, { type: "enabled", budget_tokens: 2000 }]);
  });

  const called = { role: "assistant", content: null, tool_calls: [makeCall("call_1", "Oslo")] };
  const result = { role: "tool", tool_call_id: "call_1", content: "sunny" };
  const tools = [{ type: "function", function: { name: "weather", parameters } }];

  test.each(["Anthropic#claude-sonnet-4-5", "Bedrock#us.anthropic.claude-sonnet-4-5-20250929-v1:0"])(
    "LiteLLM's blocks of thinking go back to %s, which goes on thinking",
    async (model) => {
      const body = { messages: CALL, tools, reasoning_effort: "high", max_tokens: 4000 };
      const first = await askSurface(world, { surface: "chat", model, body, stream: false });
      const { message } = asObject(asArray(asObject(parseJson(first.text)).choices)[0]);
      const { reasoning_content: thinking, reasoning_details: details, ...called } = asObject(message);
      const { signature } = asObject(asArray(details)[0]);
      const block = { type: "thinking", thinking, signature };
      const id = asObject(asArray(called.tool_calls)[0]).id;
      const turn = { ...called, reasoning_content: thinking, thinking_blocks: [block] };
      const back = { ...body, messages: [...CALL, turn, { ...result, tool_call_id: id }] };
      const { status, sent, dropped } = await ask("chat", model, back);
      const content = asArray(asObject(asArray(sent.messages)[1]).content);
      expect([status, dropped, content[0]]).toEqual([200, null, block]);
      expect(asObject(sent.thinking).type).toBe("enabled");
    },
  );

  test.each([
    "OpenAI#gpt-5.4-mini",
    "Local#some-model",
    "Anthropic#claude-sonnet-4-6",
    "Google#gemini-3.6-flash",
  ])("%s is asked although a detail is null", async (model) => {
    const turn = { role: "assistant", content: "Hi.", reasoning_details: [null, { type: "reasoning.text" }] };
    const { status, sent } = await ask("chat", model, { messages: [...messages, turn, ...messages] });
    expect([status, JSON.stringify(sent)]).toEqual([200, expect.not.stringContaining("[null")]);
  });

  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
  const pictured = [{ type: "text", text: "sunny" }, picture];
  const PARALLEL: Partial<Readonly<Record<SurfaceKey, JsonObject>>> = {
    chat: {
      messages: [
        ...messages,
        { ...called, tool_calls: [makeCall("call_1", "Oslo"), makeCall("call_2", "Rome")] },
        { ...result, content: pictured },
        { role: "user", content: "Go on." },
        { ...result, tool_call_id: "call_2", content: "rainy" },
      ],
      tools,
    },
    responses: {
      input: [
        ...messages,
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call", call_id: "call_2", name: "weather", arguments: '{"city":"Rome"}' },
        {
          type: "function_call_output",
          call_id: "call_1",
          output: [
            { type: "input_text", text: "sunny" },
            { type: "input_image", image_url: picture.image_url.url, detail: "auto" },
          ],
        },
        { role: "user", content: "Go on." },
        { type: "function_call_output", call_id: "call_2", output: "rainy" },
      ],
      tools: [{ type: "function", name: "weather", parameters }],
    },
  };

  test.each(["chat", "responses"] as const)(
    "Gemini gets the results of parallel calls together, from %s",
    async (surface) => {
      const { status, sent } = await ask(surface, "Google#gemini-3.6-flash", PARALLEL[surface] ?? {});
      const turns = asArray(sent.contents).map(asObject);
      const forms = turns.map(({ role, parts }) => [
        role,
        ...asArray(parts).flatMap((part) => listForms(part)),
      ]);
      expect([status, forms]).toEqual([
        200,
        [
          ["user", "text"],
          ["model", "functionCall", "functionCall"],
          ["user", "functionResponse", "functionResponse", "inlineData"],
          ["user", "text"],
        ],
      ]);
    },
  );
});

function makeCall(id: string, city: string): JsonObject {
  return { id, type: "function", function: { name: "weather", arguments: JSON.stringify({ city }) } };
}

function listForms(part: unknown): readonly string[] {
  return Object.keys(asObject(part)).filter((name) => name !== "thoughtSignature");
}
