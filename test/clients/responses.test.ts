// One program with OpenAI's JavaScript SDK on the Responses API, run against every dialect.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { UnderTest } from "../harness/harness.ts";
import {
  ASK_ONE,
  ASK_TWO,
  EACH_DIALECT,
  failure,
  PLAIN,
  startOpenAI,
  THINKING,
  WEATHER_FUNCTION,
} from "./setting.ts";

let under: UnderTest;
let client: OpenAI;

beforeAll(async () => {
  ({ under, client } = await startOpenAI());
});
afterAll(() => under.stop());

type Asking = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** The same request whole and through the SDK's stream helper, which checks the events. */
async function both(request: Asking): Promise<readonly OpenAI.Responses.Response[]> {
  const streamed = await client.responses.stream({ ...request, stream: true }).finalResponse();
  return [await client.responses.create(request), streamed];
}

/** The items of an answer as a client sends them back, without the fields that the SDK's helper added. */
function echo({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseInput {
  return output.flatMap((item): OpenAI.Responses.ResponseInput => {
    switch (item.type) {
      case "function_call": {
        const { type, id, call_id, name, arguments: text } = item;
        return [{ type, call_id, name, arguments: text, ...(id ? { id } : {}) }];
      }
      case "message":
        return [
          {
            role: "assistant",
            content: item.content.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
          },
        ];
      case "reasoning":
        return [item];
      default:
        return [];
    }
  });
}

describe.each(EACH_DIALECT)("%s", (model) => {
  test("gives the same answer whole and streamed", async () => {
    const [whole, streamed] = await both({ model, input: "say: good day", instructions: "Be brief." });
    expect(whole?.output_text).toContain("good day");
    expect(streamed?.output_text).toBe(whole?.output_text ?? "");
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({ object: "response", status: "completed", model, store: false });
      expect(response?.id).toStartWith("resp_");
      expect(response?.usage).toMatchObject({ cost: expect.any(Number), charged: 0 });
      expect(response?.usage?.input_tokens).toBeGreaterThan(0);
    }
  });

  test("calls tools and continues from their results", async () => {
    const request = { model, input: ASK_TWO, tools: [WEATHER_FUNCTION] };
    for (const answer of await both(request)) {
      const calls = answer.output.filter((item) => item.type === "function_call");
      expect(calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      const after = await client.responses.create({
        ...request,
        input: [
          { role: "user", content: ASK_TWO },
          ...echo(answer),
          ...calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "rain" })),
          { role: "user", content: "say: both seen" },
        ],
      });
      expect(after.output_text).toContain("both seen");
    }
  });
});

describe.each([PLAIN, "Anthropic#claude-haiku-4-5", "Google#gemini-3.5-flash"])(
  "a request as sent by Codex, to %s",
  (model) => {
    test("restores namespaces and custom tools", async () => {
      const request: Asking = {
        model,
        input: [
          { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
          {
            type: "message",
            role: "user",
            content: [{ type: "input_text", text: 'call agents__close({"id":1})' }],
          },
        ],
        store: false,
        include: ["reasoning.encrypted_content"],
        prompt_cache_key: "thread",
        tools: [
          WEATHER_FUNCTION,
          {
            type: "namespace",
            name: "agents",
            description: "Agents.",
            tools: [
              {
                type: "function",
                name: "close",
                description: "Closes one.",
                parameters: { type: "object", properties: { id: { type: "integer" } } },
                strict: false,
              },
            ],
          },
          { type: "web_search" },
        ],
      };
      for (const answer of await both(request)) {
        const [call] = answer.output.filter((item) => item.type === "function_call");
        expect(call).toMatchObject({ name: "close", namespace: "agents", arguments: '{"id":1}' });
      }
    });
  },
);

test("thinking is sealed, and accepted when it comes back", async () => {
  const request: Asking = {
    model: THINKING,
    input: ASK_ONE,
    tools: [WEATHER_FUNCTION],
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
  };
  for (const answer of await both(request)) {
    const [reasoning] = answer.output.filter((item) => item.type === "reasoning");
    expect(reasoning?.encrypted_content).toStartWith("pk1.");
    expect(reasoning?.summary[0]?.text).not.toBe("");
    const results = answer.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "rain" }]
        : [],
    );
    const after = await client.responses.create({
      ...request,
      input: [{ role: "user", content: ASK_ONE }, ...echo(answer), ...results],
    });
    expect(after.status).toBe("completed");
  }
});

describe("unsupported features are refused", () => {
  const refused: readonly (readonly [string, Partial<Asking>])[] = [
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
    ["background", { background: true }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["tools[0]", { tools: [{ type: "mcp", server_label: "a", server_url: "https://a.test" }] }],
    ["tools[0]", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["input[0]", { input: [{ type: "item_reference", id: "msg_1" }] }],
    [
      "input[0].content[0].file_id",
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "file_1" }] }] },
    ],
  ];
  test.each(refused)("%s", async (param, more) => {
    for (const model of [PLAIN, "OpenAI#gpt-5.4"]) {
      const error = await failure(
        OpenAI.BadRequestError,
        client.responses.create({ model, input: "a", ...more }),
      );
      expect(error).toMatchObject({ code: "unsupported_parameter", param });
    }
  });
});
