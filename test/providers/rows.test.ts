// The table of providers: every row as configuration needs it, and every quirk of the OpenAI dialect as a request sent.
import { describe, expect, test } from "bun:test";
import type { Capability } from "../../src/core/card.ts";
import type { ChatMessage, ChatRequest, CustomTool, ToolChoice } from "../../src/core/chat.ts";
import { DIALECTS, type Dialect } from "../../src/core/dialect.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { dialectNamed, PROVIDERS } from "../../src/providers/index.ts";
import { checkChatRequest } from "../../src/simulator/openai-check.ts";
import { BASE, cardOf, encoded, functionTool } from "./drive.ts";

const ALL: readonly Capability[] = ["tools", "vision", "files", "audio", "structured", "reasoning"];

function dialectOf(provider: string): Dialect {
  const row = PROVIDERS.find(({ name }) => name === provider);
  return row === undefined ? dialectNamed("openai") : row.dialect;
}

function sent(id: string, request: Partial<ChatRequest>, output?: number) {
  const [provider = "", name = ""] = id.split("#");
  return encoded(dialectOf(provider), request, cardOf(name, ALL, output));
}

test("each known provider has its prefix, its variables and an address without a trailing slash", () => {
  const names = PROVIDERS.map(({ name }) => name).join(" ");
  expect(names).toBe(
    "OpenAI Anthropic Google Mistral Perplexity Cohere DeepSeek xAI Groq Together Fireworks Cerebras OpenRouter Moonshot Qwen ZAI NVIDIA DeepInfra",
  );
  const google = PROVIDERS.find(({ name }) => name === "Google");
  expect(google?.keyVariables).toEqual(["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
  for (const { baseUrl, keyVariables } of PROVIDERS) {
    expect(baseUrl).toMatch(/^https:\/\/[^/]+(\/[\w-]+)*$/);
    expect(keyVariables[0]).toMatch(/^[A-Z]+_API_KEY$/);
  }
  for (const name of DIALECTS) expect(dialectNamed(name).choicesMax(cardOf("any", null))).toBeGreaterThan(0);
});

const tools = [functionTool("look")];
const named: ToolChoice = { type: "function", function: { name: "look" } };
const schema = { type: "object", properties: { a: { type: "string" } } };
const jsonSchema = { type: "json_schema", json_schema: { name: "answer", schema } } as const;
const custom: CustomTool = { type: "custom", custom: { name: "shell", description: "Runs it." } };

interface Row {
  readonly id: string;
  readonly request: Partial<ChatRequest>;
  /** Fields of the body; undefined: it has no such field. */
  readonly body?: JsonObject;
  readonly dropped?: readonly string[];
}

const ROWS: readonly Row[] = [
  // OpenAI: one field for the limit; sampling only without thinking; efforts as each model knows them.
  {
    id: "OpenAI#gpt-4o",
    request: { max_tokens: 9 },
    body: { max_completion_tokens: 9, max_tokens: undefined },
  },
  {
    id: "OpenAI#gpt-4o",
    request: { temperature: 2, stop: ["x"], n: 3 },
    body: { temperature: 2, stop: ["x"], n: 3 },
  },
  {
    id: "OpenAI#gpt-4o",
    request: { reasoning_effort: "low", verbosity: "low" },
    dropped: ["verbosity", "reasoning_effort"],
  },
  { id: "OpenAI#gpt-5-mini", request: { temperature: 0, stop: ["x"] }, dropped: ["temperature", "stop"] },
  {
    id: "OpenAI#gpt-5-mini",
    request: { reasoning_effort: "none" },
    body: { reasoning_effort: "minimal" },
    dropped: ["reasoning_effort"],
  },
  {
    id: "OpenAI#o3",
    request: { reasoning_effort: "xhigh" },
    body: { reasoning_effort: "high" },
    dropped: ["reasoning_effort"],
  },
  { id: "OpenAI#gpt-5.4", request: { temperature: 0.2 }, body: { temperature: 0.2 } },
  { id: "OpenAI#gpt-5.4", request: { temperature: 0.2, reasoning_effort: "low" }, dropped: ["temperature"] },
  { id: "OpenAI#gpt-5.5", request: { top_p: 0.2, reasoning_effort: "none" }, body: { top_p: 0.2 } },
  {
    id: "OpenAI#gpt-6",
    request: { temperature: 0.2, reasoning_effort: "none" },
    body: { reasoning_effort: "low" },
    dropped: ["temperature", "reasoning_effort"],
  },
  {
    id: "OpenAI#gpt-9-nova",
    request: { presence_penalty: 1, logit_bias: { 1: 1 } },
    dropped: ["presence_penalty", "logit_bias"],
  },
  {
    id: "OpenAI#gpt-5.4",
    request: { top_k: 4, base_url: "http://evil", api_key: "x", brand_new: 1 },
    body: { brand_new: 1, api_key: undefined },
    dropped: ["top_k", "base_url", "api_key"],
  },
  {
    id: "OpenAI#gpt-4o",
    request: { tool_choice: "auto", parallel_tool_calls: true },
    dropped: ["parallel_tool_calls", "tool_choice"],
  },
  {
    id: "OpenAI#gpt-5.4",
    request: { tools: [custom], tool_choice: { type: "custom", custom: { name: "shell" } } },
    body: { tools: [custom] },
  },
  // DeepSeek: thinking gives way to a forced call; no schema.
  {
    id: "DeepSeek#deepseek-v4-pro",
    request: { reasoning_effort: "none" },
    body: { thinking: { type: "disabled" }, reasoning_effort: undefined },
  },
  {
    id: "DeepSeek#deepseek-v4-pro",
    request: { reasoning_effort: "xhigh" },
    body: { reasoning_effort: "max" },
    dropped: ["reasoning_effort"],
  },
  {
    id: "DeepSeek#deepseek-v4-pro",
    request: { tools, tool_choice: "required" },
    body: { tool_choice: "required", thinking: { type: "disabled" } },
  },
  {
    id: "DeepSeek#deepseek-v4-pro",
    request: { tools, tool_choice: named, reasoning_effort: "high" },
    body: { tool_choice: named, thinking: { type: "disabled" } },
    dropped: ["reasoning_effort"],
  },
  {
    id: "DeepSeek#deepseek-v4-pro",
    request: { tools, tool_choice: named, thinking: { type: "enabled" } },
    body: { tool_choice: undefined },
    dropped: ["tool_choice"],
  },
  {
    id: "DeepSeek#deepseek-v4-pro",
    request: { response_format: jsonSchema, store: false },
    body: { response_format: { type: "json_object" } },
    dropped: ["store", "response_format"],
  },
  // xAI: what thinks takes neither stop nor penalties, and not always an effort.
  {
    id: "xAI#grok-4.3",
    request: { stop: ["x"], reasoning_effort: "xhigh" },
    body: { reasoning_effort: "high" },
    dropped: ["stop", "reasoning_effort"],
  },
  {
    id: "xAI#grok-4.20-0309-reasoning",
    request: { frequency_penalty: 1, reasoning_effort: "low" },
    dropped: ["frequency_penalty", "reasoning_effort"],
  },
  { id: "xAI#grok-4-fast-non-reasoning", request: { stop: ["x"] }, body: { stop: ["x"] } },
  // Groq: a schema on some models, and never together with tools.
  {
    id: "Groq#openai/gpt-oss-120b",
    request: { response_format: jsonSchema, n: 1 },
    body: { response_format: jsonSchema, n: undefined },
  },
  {
    id: "Groq#openai/gpt-oss-120b",
    request: { response_format: jsonSchema, tools },
    body: { response_format: undefined, tools },
    dropped: ["response_format"],
  },
  {
    id: "Groq#llama-3.3-70b-versatile",
    request: { response_format: jsonSchema, logprobs: true },
    body: { response_format: { type: "json_object" } },
    dropped: ["logprobs", "response_format"],
  },
  {
    id: "Groq#qwen/qwen3.6-27b",
    request: { reasoning_effort: "low" },
    body: { reasoning_format: "parsed" },
    dropped: ["reasoning_effort"],
  },
  // Fireworks, Cerebras: efforts.
  {
    id: "Fireworks#glm",
    request: { reasoning_effort: "minimal" },
    body: { reasoning_effort: "low" },
    dropped: ["reasoning_effort"],
  },
  {
    id: "Fireworks#glm",
    request: { reasoning_effort: "xhigh" },
    body: { reasoning_effort: "high" },
    dropped: ["reasoning_effort"],
  },
  {
    id: "Cerebras#gpt-oss-120b",
    request: { max_tokens: 5, presence_penalty: 1 },
    body: { max_completion_tokens: 5 },
    dropped: ["presence_penalty"],
  },
  // OpenRouter: nearly everything, but no other model than the one that was priced.
  {
    id: "OpenRouter#x/y",
    request: { models: ["dear/one"], provider: { sort: "price" }, verbosity: "low" },
    body: { models: undefined, provider: { sort: "price" }, verbosity: "low" },
    dropped: ["models"],
  },
  // Moonshot: one temperature, its own schema.
  {
    id: "Moonshot#kimi-k3",
    request: { temperature: 0.3, reasoning_effort: "medium" },
    body: { reasoning_effort: "high", thinking: undefined },
    dropped: ["temperature", "reasoning_effort"],
  },
  {
    id: "Moonshot#kimi-k2.6",
    request: { tools, tool_choice: "required" },
    body: { tool_choice: "required", thinking: { type: "disabled" } },
  },
  {
    id: "Moonshot#kimi-k2.7-code",
    request: { tools, tool_choice: "required" },
    body: { tool_choice: undefined },
    dropped: ["tool_choice"],
  },
  {
    id: "Moonshot#moonshot-v1-8k",
    request: { temperature: 1.6 },
    body: { temperature: 1 },
    dropped: ["temperature"],
  },
  // Qwen: one switch; no forced call, no JSON, and in open models nothing unstreamed while thinking.
  {
    id: "Qwen#qwen3.8-max",
    request: { reasoning_effort: "high", temperature: 2 },
    body: { enable_thinking: true, temperature: 1.99 },
    dropped: ["temperature", "reasoning_effort"],
  },
  {
    id: "Qwen#qwen3.8-max",
    request: { response_format: jsonSchema },
    body: { enable_thinking: false, response_format: jsonSchema },
  },
  { id: "Qwen#qwen3-32b", request: {}, body: { enable_thinking: false } },
  {
    id: "Qwen#qwen3-32b",
    request: { stream: true },
    body: { enable_thinking: undefined, stream_options: { include_usage: true } },
  },
  // Z.ai: automatic tool choice, one stop word, arguments streamed.
  {
    id: "ZAI#glm-4.7",
    request: { tools: [functionTool("look", true)], tool_choice: "required", stream: true },
    body: { tool_stream: true, tool_choice: undefined, stream_options: undefined, tools },
    dropped: ["strict", "tool_choice"],
  },
  {
    id: "ZAI#glm-4.7",
    request: { tools, tool_choice: "none" },
    body: { tools: undefined, tool_choice: undefined },
  },
  {
    id: "ZAI#glm-4.7",
    request: { stop: ["a", "b"], top_p: 0, seed: 1 },
    body: { stop: ["a"], top_p: 0.01 },
    dropped: ["stop", "top_p", "seed"],
  },
  { id: "ZAI#glm-4.7", request: { reasoning_effort: "none" }, body: { thinking: { type: "disabled" } } },
  {
    id: "ZAI#glm-5.3",
    request: { reasoning_effort: "none" },
    body: { thinking: undefined, reasoning_effort: "low" },
    dropped: ["reasoning_effort"],
  },
  // Any other server: all of it; OpenAI's models behind one keep their limit's name.
  {
    id: "Local#llama3.2",
    request: { max_completion_tokens: 7, top_k: 4, store: true, logit_bias: { 1: 1 } },
    body: { max_tokens: 7, top_k: 4, store: true, logit_bias: { 1: 1 } },
  },
  {
    id: "Local#gpt-5.4",
    request: { max_tokens: 7 },
    body: { max_completion_tokens: 7, max_tokens: undefined },
  },
  {
    id: "Local#llama3.2",
    request: {
      tools: [custom],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "custom", custom: { name: "shell" } }] },
      },
    },
    body: { tool_choice: "required" },
  },
];

describe("what is sent", () => {
  for (const { id, request, body = {}, dropped = [] } of ROWS) {
    test(`${id} ${JSON.stringify(request).slice(0, 90)}`, () => {
      const outgoing = sent(id, request);
      const fields = Object.fromEntries(Object.keys(body).map((field) => [field, outgoing.body[field]]));
      expect(fields).toEqual(body);
      expect(outgoing.dropped).toEqual([...dropped]);
      for (const field of dropped) if (!(field in body)) expect(outgoing.body[field]).toBeUndefined();
      const [provider, name = ""] = id.split("#");
      if (provider === "OpenAI") checkChatRequest({ ...outgoing.body, brand_new: undefined }, name);
    });
  }
});

test("the call goes to the row's address with its secret and the operator's headers", () => {
  const outgoing = sent("Groq#llama", { stream: true, max_tokens: 900 }, 100);
  expect(outgoing.url).toBe(`${BASE}/chat/completions`);
  expect(outgoing.headers).toEqual({ authorization: "Bearer s3cret", "x-team": "7" });
  expect(outgoing.body).toMatchObject({ model: "llama", stream: true, max_completion_tokens: 100 });
  expect(outgoing.dropped).toEqual(["max_tokens"]);
});

test("what can't be enforced is asked for in words, on the first system message", () => {
  const system: ChatMessage = { role: "system", content: "Be brief." };
  const user: ChatMessage = { role: "user", content: "Hi" };
  const forced = sent("ZAI#glm-4.7", { messages: [system, user], tools, tool_choice: named });
  expect(forced.body.messages).toEqual([
    { role: "system", content: "Be brief.\n\nCall the tool look." },
    { role: "user", content: "Hi" },
  ]);
  const shaped = JSON.stringify(sent("DeepSeek#x", { response_format: jsonSchema }).body.messages);
  expect(shaped).toContain("JSON Schema");
  expect(shaped).toContain('\\"properties\\"');
  const loose = { response_format: { type: "json_object" as const } };
  expect(JSON.stringify(sent("OpenAI#gpt-4o", loose).body.messages)).toContain("JSON");
  expect(
    sent("OpenAI#gpt-4o", { ...loose, messages: [{ role: "user", content: "In JSON: 1" }] }).body.messages,
  ).toHaveLength(1);
});

describe("messages", () => {
  const call = {
    id: "c1",
    type: "function" as const,
    function: { name: "look", arguments: "" },
    index: 0,
    extra_content: { google: { thought_signature: "s" } },
  };
  const details = [
    {
      type: "reasoning.text" as const,
      text: "Hm",
      signature: "sig",
      format: "anthropic-claude-v1",
      index: 0,
    },
  ];
  const messages: readonly ChatMessage[] = [
    {
      role: "developer",
      content: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    },
    { role: "user", content: "Look.", name: "ann" },
    {
      role: "assistant",
      content: null,
      refusal: null,
      reasoning_content: "Hm",
      reasoning_details: details,
      annotations: [],
      tool_calls: [call],
    },
    { role: "tool", tool_call_id: "c1", content: "seen", name: "look" },
    { role: "assistant", content: null, refusal: "No." },
  ];
  const plainCall = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const assistant = { role: "assistant", content: null, tool_calls: [plainCall] };
  const result = { role: "tool", tool_call_id: "c1", content: "seen" };

  test("OpenAI gets no thinking, no reply fields and its own roles", () => {
    const body = sent("OpenAI#gpt-5.4", { messages }).body;
    expect(body.messages).toEqual([
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: "Look.", name: "ann" },
      assistant,
      result,
      { role: "assistant", content: "", refusal: "No." },
    ]);
    checkChatRequest(body, "gpt-5.4");
  });

  const THINKING: readonly (readonly [string, JsonObject])[] = [
    ["DeepSeek#deepseek-v4-pro", { reasoning_content: "Hm" }],
    ["Moonshot#kimi-k3", { reasoning_content: "Hm" }],
    ["Qwen#qwen3.8-max", { reasoning_content: "Hm" }],
    ["ZAI#glm-5.3", { reasoning_content: "Hm" }],
    ["OpenRouter#x/y", { reasoning_details: details }],
    ["Cerebras#gpt-oss-120b", { reasoning: "Hm" }],
    ["Groq#llama", {}],
    ["Together#llama", {}],
    ["Local#llama", { reasoning_content: "Hm", reasoning_details: details }],
  ];
  for (const [id, thinking] of THINKING) {
    test(`${id} gets thinking back as it takes it`, () => {
      const outgoing = sent(id, { messages }).body.messages;
      expect(outgoing).toMatchObject([
        { role: id.startsWith("OpenRouter") ? "developer" : "system" },
        {},
        assistant,
        {},
        {},
      ]);
      expect(Array.isArray(outgoing) && outgoing[2]).toEqual({ ...assistant, ...thinking });
    });
  }

  test("thinking that is demanded and missing is blank, and only while the model thinks", () => {
    const bare: readonly ChatMessage[] = [{ role: "assistant", tool_calls: [call] }];
    const thinks = sent("Moonshot#kimi-k2.6", { messages: bare }).body.messages;
    expect(thinks).toEqual([{ role: "assistant", tool_calls: [plainCall], reasoning_content: " " }]);
    const quiet = sent("Moonshot#kimi-k2.6", { messages: bare, reasoning_effort: "none" }).body.messages;
    expect(quiet).toEqual([{ role: "assistant", tool_calls: [plainCall] }]);
  });

  test("cache marks reach OpenRouter, signed calls Gemini's own face of the API", () => {
    expect(JSON.stringify(sent("OpenRouter#x/y", { messages }).body)).toContain("cache_control");
    expect(JSON.stringify(sent("Groq#llama", { messages }).body)).not.toContain("cache_control");
    const target = {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      secret: null,
      headers: {},
    };
    const { body, headers } = dialectNamed("openai").encode(
      { model: "m", messages },
      cardOf("gemini-3", ALL),
      target,
    );
    expect(JSON.stringify(body)).toContain("thought_signature");
    expect(headers).toEqual({});
  });
});

test("Moonshot's schemas have no $schema, no tuples and types inside branches", () => {
  const parameters = {
    $schema: "x",
    type: "object",
    properties: {
      pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      $schema: { type: "string" },
    },
  };
  const tool = { type: "function" as const, function: { name: "f", parameters } };
  expect(sent("Moonshot#kimi-k3", { tools: [tool] }).body.tools).toEqual([
    {
      type: "function",
      function: {
        name: "f",
        parameters: {
          type: "object",
          properties: {
            pair: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
            $schema: { type: "string" },
          },
        },
      },
    },
  ]);
});

describe("OpenAI's two interfaces", () => {
  const WAYS: readonly (readonly [string, Partial<ChatRequest>, string])[] = [
    ["gpt-5.4", { tools }, "/chat/completions"],
    ["gpt-5.6-sol", {}, "/chat/completions"],
    ["gpt-5.6-sol", { tools }, "/responses"],
    ["gpt-5.6-sol", { tools, reasoning_effort: "none" }, "/chat/completions"],
    ["gpt-6", { tools, reasoning_effort: "none" }, "/responses"],
    ["gpt-6-luna", { tools, reasoning_effort: "none" }, "/chat/completions"],
    ["gpt-5-pro", {}, "/responses"],
    ["gpt-5.3-codex", {}, "/responses"],
  ];
  for (const [name, request, path] of WAYS) {
    test(`${name} ${JSON.stringify(request).slice(0, 60)} goes to ${path}`, () => {
      expect(sent(`OpenAI#${name}`, request).url).toBe(`${BASE}${path}`);
    });
  }

  test("cards that may go to /responses give one choice a call", () => {
    const { choicesMax } = dialectOf("OpenAI");
    expect(
      ["gpt-4o", "gpt-5.4", "gpt-5.6-sol", "gpt-6", "gpt-5-pro"].map((name) => choicesMax(cardOf(name, ALL))),
    ).toEqual([128, 128, 1, 1, 1]);
  });

  test("errors read the same whichever was called", () => {
    const fault = dialectOf("OpenAI").explain(
      400,
      new Headers(),
      '{"error":{"message":"Bad.","code":"unknown_parameter"}}',
      0,
    );
    expect(fault).toMatchObject({
      code: "upstream_rejected",
      message: "Bad.",
      details: { shownCode: "unknown_parameter" },
    });
  });
});
