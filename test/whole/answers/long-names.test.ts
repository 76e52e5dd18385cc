// Tools whose names are longer than a provider accepts, on every surface: sent short, whole in answers and streams.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

/** As an MCP server's tool is named by Claude Code, and one with characters that only Google allows. */
const LONG = `mcp__${"database_".repeat(12)}query`;
const DOTTED = "database.query:v2";
const CALL_ID = `toolu_${"1".repeat(80)}`;
const schema = { type: "object", properties: { city: { type: "string" } } };

interface Case {
  readonly name: string;
  readonly path: (model: string, streamed: boolean) => string;
  /** A request that forces a call of the tool, after one of another provider's. */
  readonly body: (model: string, tool: string) => JsonObject;
}

const CASES: readonly Case[] = [
  {
    name: "chat completions",
    path: () => "/v1/chat/completions",
    body: (model, name) => ({
      model,
      messages: [
        { role: "user", content: "hello" },
        {
          role: "assistant",
          tool_calls: [{ id: CALL_ID, type: "function", function: { name, arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: CALL_ID, content: "sunny" },
        { role: "user", content: "again" },
      ],
      tools: [{ type: "function", function: { name, parameters: schema } }],
      tool_choice: { type: "function", function: { name } },
    }),
  },
  {
    name: "Messages",
    path: () => "/v1/messages",
    body: (model, name) => ({
      model,
      max_tokens: 200,
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: [{ type: "tool_use", id: CALL_ID, name, input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: CALL_ID, content: "sunny" },
            { type: "text", text: "again" },
          ],
        },
      ],
      tools: [{ name, input_schema: schema }],
      tool_choice: { type: "tool", name },
    }),
  },
  {
    name: "Responses",
    path: () => "/v1/responses",
    body: (model, name) => ({
      model,
      input: [
        { role: "user", content: "hello" },
        { type: "function_call", call_id: CALL_ID, name, arguments: "{}" },
        { type: "function_call_output", call_id: CALL_ID, output: "sunny" },
        { role: "user", content: "again" },
      ],
      tools: [{ type: "function", name, parameters: schema, strict: false }],
      tool_choice: { type: "function", name },
    }),
  },
  {
    name: "Responses, a custom tool",
    path: () => "/v1/responses",
    body: (model, name) => ({
      model,
      input: "hello",
      tools: [{ type: "custom", name }],
      tool_choice: { type: "custom", name },
    }),
  },
  {
    name: "Gemini",
    path: (model, streamed) =>
      `/v1beta/models/${model.replace("#", "/")}:${streamed ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (_, name) => ({
      contents: [
        { role: "user", parts: [{ text: "hello" }] },
        { role: "model", parts: [{ functionCall: { id: CALL_ID, name, args: {} } }] },
        { role: "user", parts: [{ functionResponse: { id: CALL_ID, name, response: { sky: "sunny" } } }] },
        { role: "user", parts: [{ text: "again" }] },
      ],
      tools: [{ functionDeclarations: [{ name, parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [name] } },
    }),
  },
];

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

async function ask({ path, body }: Case, model: string, tool: string, streamed: boolean) {
  const headers = { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" };
  const url = path(model, streamed);
  const isGoogle = url.startsWith("/v1beta");
  const sent = { ...body(model, tool), ...(streamed && !isGoogle ? { stream: true } : {}) };
  const answer = await fetch(gateway.url + url, { method: "POST", headers, body: JSON.stringify(sent) });
  const text = await answer.text();
  return { status: answer.status, text, upstream: JSON.stringify(gateway.simulator.calls.last()?.body) };
}

describe.each(CASES.map((one) => [one.name, one] as const))("%s", (_, one) => {
  // OpenAI speaks the Responses API itself.
  const openai = one.name.startsWith("Responses") ? [] : ["OpenAI#gpt-4.1"];
  test.each([...openai, "Local#sim-mini", "Mistral#mistral-large-latest", "Cohere#command-a-03-2025"])(
    "%s",
    async (model) => {
      for (const tool of [LONG, DOTTED]) {
        for (const streamed of [false, true]) {
          const { status, text, upstream } = await ask(one, model, tool, streamed);
          expect([tool, streamed, status, text.includes(`"name":"${tool}"`)]).toEqual([
            tool,
            streamed,
            200,
            true,
          ]);
          expect([upstream.includes(tool), upstream.includes(CALL_ID)]).toEqual([false, false]);
        }
      }
    },
  );
});

test("the provider's own API gets the names and ids as they came", async () => {
  for (const [name, model] of [
    ["Messages", "Anthropic#claude-haiku-4-5"],
    ["Gemini", "Google#gemini-2.5-flash"],
    ["Responses", "Responses#gpt-4.1"],
  ] as const) {
    const one = CASES.find((each) => each.name === name);
    if (one === undefined) throw new Error(name);
    const { upstream } = await ask(one, model, LONG, false);
    expect([name, upstream.includes(LONG), upstream.includes(CALL_ID)]).toEqual([name, true, true]);
    expect(asObject(JSON.parse(upstream))).not.toEqual({});
  }
});
