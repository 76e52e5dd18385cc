// The table of providers: every row as configuration needs it, and every quirk as a request sent.

import { describe, expect, test } from "bun:test";
import { DIALECTS } from "../../src/core/models/dialect-names.ts";
import type { ChatMessage, CustomTool } from "../../src/operations/chat/form.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { BASE, encoded, functionTool, makeCard } from "../dialects/cases/drive.ts";
import { jsonSchema, named, type Row, sent, testRows, tools } from "../dialects/cases/openai-cases.ts";

test("each known provider has a prefix, variables and an address without a trailing slash", () => {
  expect(PROVIDERS.map(({ name }) => name).filter((name) => !/^[A-Za-z]+$/.test(name))).toEqual([]);
  const google = PROVIDERS.find(({ name }) => name === "Google");
  expect(google?.keyVariables).toEqual(["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
  const clouds = PROVIDERS.filter(({ platform }) => platform !== undefined);
  expect(clouds.map(({ name, baseUrl, keyVariables }) => [name, baseUrl, ...keyVariables])).toEqual([
    ["Azure", "", "AZURE_OPENAI_API_KEY"],
    ["Bedrock", "", "AWS_BEARER_TOKEN_BEDROCK"],
    ["Vertex", "", "GOOGLE_APPLICATION_CREDENTIALS"],
  ]);
  for (const { baseUrl, keyVariables, discovers } of PROVIDERS.filter((one) => !clouds.includes(one))) {
    if (discovers) expect([baseUrl.startsWith("http://127.0.0.1:"), keyVariables]).toEqual([true, []]);
    if (discovers) continue;
    expect(baseUrl).toMatch(/^https:\/\/[^/]+(\/[\w-]+)*$/);
    expect(keyVariables[0]).toMatch(/^[A-Z]+_API_KEY$/);
  }
  const asked = { model: "any", messages: [] };
  for (const name of DIALECTS) {
    const { chat } = findDialect(name);
    expect(chat?.answersPerCall(makeCard("any", null), asked) ?? 1).toBeGreaterThan(0);
  }
});

test.each(DIALECTS.map(findDialect).filter(({ chat }) => chat))(
  "$name sends the words of a refusal",
  (dialect) => {
    const refusal = { type: "refusal" as const, refusal: "I would rather not." };
    const roles = ["user", "assistant", "user"] as const;
    const messages = roles.map((role): ChatMessage => ({ role, content: [refusal] }));
    const { body } = encoded(dialect, { messages }, makeCard("any", null));
    expect(JSON.stringify(body).split(refusal.refusal)).toHaveLength(roles.length + 1);
  },
);

const off = { type: "disabled" };
const custom: CustomTool = { type: "custom", custom: { name: "shell", description: "Runs it." } };
const onlyShell = {
  type: "allowed_tools",
  allowed_tools: { mode: "required", tools: [{ type: "custom", custom: { name: "shell" } }] },
} as const;
const required = { tools, tool_choice: "required" } as const;

const two = [functionTool("other"), ...tools];
const anyObject = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } };

const DEEPSEEK = "DeepSeek#deepseek-v4-pro";
const GPT_OSS = "Groq#openai/gpt-oss-120b";
const GLM = "ZAI#glm-4.7";
const LEFT_BY_SAMBANOVA = "seed logprobs reasoning_effort";
const ROWS: readonly Row[] = [
  // DeepSeek: a forced call disables thinking, and there is no schema.
  [DEEPSEEK, { reasoning_effort: "none" }, { thinking: off, reasoning_effort: undefined }],
  [DEEPSEEK, { reasoning_effort: "xhigh" }, { reasoning_effort: "max" }, "reasoning_effort"],
  [DEEPSEEK, required, { tool_choice: "required", thinking: off }],
  [DEEPSEEK, { ...required, reasoning_effort: "high" }, { thinking: off }, "reasoning_effort"],
  [DEEPSEEK, { tools, tool_choice: named, thinking: { type: "enabled" } }, {}, "tool_choice"],
  [
    DEEPSEEK,
    { response_format: jsonSchema, store: false },
    { response_format: { type: "json_object" } },
    "store response_format",
  ],
  // xAI: thinking models accept neither stop nor penalties, and some no effort.
  ["xAI#grok-4.3", { stop: ["x"], reasoning_effort: "high" }, { reasoning_effort: "high" }, "stop"],
  ["xAI#grok-4.20-0309-reasoning", { reasoning_effort: "low" }, {}, "reasoning_effort"],
  ["xAI#grok-4-fast-non-reasoning", { stop: ["x"] }, { stop: ["x"] }],
  // Groq: a schema on some models, and never together with tools.
  [GPT_OSS, { response_format: jsonSchema, n: 1 }, { response_format: jsonSchema, n: undefined }],
  [GPT_OSS, { response_format: jsonSchema, tools }, { tools }, "response_format"],
  ["Groq#llama-3.3", { logprobs: true, top_k: 4, metadata: {} }, {}, "logprobs top_k metadata"],
  ["Groq#qwen/qwen3.6", { reasoning_effort: "low" }, { reasoning_format: "parsed" }, "reasoning_effort"],
  // Fireworks, Cerebras: efforts.
  ["Fireworks#glm", { reasoning_effort: "minimal" }, { reasoning_effort: "low" }, "reasoning_effort"],
  ["Fireworks#glm", { reasoning_effort: "xhigh" }, { reasoning_effort: "high" }, "reasoning_effort"],
  [
    "Cerebras#gpt-oss-120b",
    { max_tokens: 5, presence_penalty: 1 },
    { max_completion_tokens: 5 },
    "presence_penalty",
  ],
  // OpenRouter: nearly everything, except fields that choose another model, or another server for it.
  [
    "OpenRouter#x/y",
    { models: ["dear/one"], provider: {}, verbosity: "low" },
    { verbosity: "low" },
    "models provider",
  ],
  // Moonshot: one temperature.
  [
    "Moonshot#kimi-k3",
    { temperature: 0.3, reasoning_effort: "low" },
    { reasoning_effort: "low" },
    "temperature",
  ],
  ["Moonshot#kimi-k2.6", required, { tool_choice: "required", thinking: off }],
  ["Moonshot#kimi-k2.7-code", required, {}, "tool_choice"],
  ["Moonshot#moonshot-v1-8k", { temperature: 1.6 }, { temperature: 1 }, "temperature"],
  ["Moonshot#kimi-k2.6", { tools, tool_choice: named }, { tool_choice: named, thinking: off }],
  ["Moonshot#kimi-k2.7-code", { tools, tool_choice: named }, {}, "tool_choice"],
  ["Moonshot#kimi-k3", { tools, tool_choice: named }, { tools, tool_choice: "required" }],
  // SambaNova, Novita, Baseten: what each model takes of an effort, and fields that do nothing.
  ["SambaNova#gpt-oss-120b", { reasoning_effort: "xhigh" }, { reasoning_effort: "high" }, "reasoning_effort"],
  ["SambaNova#DeepSeek-V3.2", { seed: 1, logprobs: true, reasoning_effort: "low" }, {}, LEFT_BY_SAMBANOVA],
  [
    "Novita#deepseek/deepseek-v4-pro",
    { reasoning_effort: "none" },
    { enable_thinking: false, reasoning_effort: undefined },
  ],
  [
    "Novita#deepseek/deepseek-v4-pro",
    { reasoning_effort: "minimal" },
    { enable_thinking: true, reasoning_effort: "low" },
    "reasoning_effort",
  ],
  ["Novita#zai-org/glm-5.3", { reasoning_effort: "none" }, { thinking: off, reasoning_effort: undefined }],
  ["Baseten#zai-org/GLM-5.2", { reasoning_effort: "low" }, { reasoning_effort: "high" }, "reasoning_effort"],
  ["Baseten#moonshotai/Kimi-K3", { reasoning_effort: "max", top_k: 1 }, { reasoning_effort: "max" }, "top_k"],
  ["MiniMax#MiniMax-M3", { reasoning_effort: "none" }, { thinking: off, reasoning_split: true }],
  ["Together#zai-org/GLM-5.3", { reasoning_effort: "max" }, { reasoning_effort: "max" }],
  // LM Studio: a choice of tools is a word, and JSON has a schema.
  ["LMStudio#qwen3", { tools: two, tool_choice: named }, { tools, tool_choice: "required" }],
  ["LMStudio#qwen3", required, { tool_choice: "required" }],
  ["LMStudio#qwen3", { response_format: { type: "json_object" } }, { response_format: anyObject }],
  ["LMStudio#qwen3", { response_format: jsonSchema, top_k: 3 }, { response_format: jsonSchema, top_k: 3 }],
  // xAI: since grok-4.5 thinking can't be turned off.
  ["xAI#grok-4.3", { reasoning_effort: "none" }, { reasoning_effort: "none" }],
  ["xAI#grok-4.5", { reasoning_effort: "xhigh" }, { reasoning_effort: "high" }, "reasoning_effort"],
  ["xAI#grok-4.7", { reasoning_effort: "max" }, { reasoning_effort: "xhigh" }, "reasoning_effort"],
  ["xAI#grok-build-0.1", { reasoning_effort: "low" }, {}, "reasoning_effort"],
  // Qwen: one switch. No forced call, no JSON, and for open models no whole answers while thinking.
  ["Qwen#qwen3.8-max", { reasoning_effort: "high" }, { enable_thinking: true }, "reasoning_effort"],
  [
    "Qwen#qwen3.8-max",
    { response_format: jsonSchema },
    { enable_thinking: false, response_format: jsonSchema },
  ],
  ["Qwen#qwen3-32b", { temperature: 2 }, { enable_thinking: false, temperature: 1.99 }, "temperature"],
  [
    "Qwen#qwen3-32b",
    { stream: true },
    { enable_thinking: undefined, stream_options: { include_usage: true } },
  ],
  // Z.ai: automatic tool choice, one stop word, arguments streamed.
  [
    GLM,
    { tools: [functionTool("look", true)], tool_choice: "required", stream: true },
    { tool_stream: true, stream_options: undefined, tools },
    "strict tool_choice",
  ],
  [GLM, { tools, tool_choice: "none" }, { tools: undefined, tool_choice: undefined }],
  [GLM, { stop: ["a", "b"], top_p: 0, seed: 1 }, { stop: ["a"], top_p: 0.01 }, "seed stop top_p"],
  [GLM, { reasoning_effort: "none" }, { thinking: off, reasoning_effort: undefined }],
  [
    "ZAI#glm-5.3",
    { reasoning_effort: "none" },
    { thinking: undefined, reasoning_effort: "low" },
    "reasoning_effort",
  ],
  // Any other server: everything. OpenAI's models behind one keep their limit's name.
  [
    "Local#llama",
    { top_k: 4, store: true, logit_bias: { 1: 1 } },
    { top_k: 4, store: true, logit_bias: { 1: 1 } },
  ],
  ["Local#llama", { max_completion_tokens: 7 }, { max_tokens: 7, max_completion_tokens: undefined }],
  ["Local#gpt-5.4", { max_tokens: 7 }, { max_completion_tokens: 7, max_tokens: undefined }],
  ["Local#llama", { tools: [custom], tool_choice: onlyShell }, { tool_choice: "required" }],
];

describe("requests", () => testRows(ROWS));

test("a call uses the row's address with its secret and the operator's headers", () => {
  const outgoing = sent("Groq#llama", { stream: true, max_tokens: 900 }, 100);
  expect(outgoing.url).toBe(`${BASE}/chat/completions`);
  expect(outgoing.headers).toEqual({ authorization: "Bearer s3cret", "x-team": "7" });
  expect(outgoing.body).toMatchObject({ model: "llama", stream: true, max_completion_tokens: 100 });
  expect(outgoing.dropped).toEqual(["max_tokens"]);
});

test("what can't be enforced is requested at the end of the prompt", () => {
  const system: ChatMessage = { role: "system", content: "Be brief." };
  const user: ChatMessage = { role: "user", content: "Hi" };
  const forced = sent(GLM, { messages: [system, user], tools, tool_choice: named });
  expect(forced.body.messages).toEqual([
    system,
    {
      role: "user",
      content:
        "Hi\n\n<system_message>\nIn this answer, call the tool `look`; text alone is not an answer.\n</system_message>",
    },
  ]);
  const shaped = JSON.stringify(sent(DEEPSEEK, { response_format: jsonSchema }).body.messages);
  expect(shaped).toContain("JSON Schema");
  expect(shaped).toContain('\\"properties\\"');
});

test("an empty text beside calls is null, which servers don't refuse", () => {
  const call = { id: "a", type: "function" as const, function: { name: "look", arguments: "{}" } };
  const messages: ChatMessage[] = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "" },
  ];
  const [, answer, result] = sent("Local#some-model", { messages, tools }).body.messages as ChatMessage[];
  expect([answer?.content, result?.content]).toEqual([null, ""]);
});

test("JSON is mentioned if the client doesn't, because servers require that", () => {
  const loose = { response_format: { type: "json_object" } } as const;
  expect(JSON.stringify(sent("OpenAI#gpt-4o", loose).body.messages)).toContain("JSON");
  const messages = [{ role: "user", content: "As JSON: 1" }] as const;
  expect(sent("OpenAI#gpt-4o", { ...loose, messages }).body.messages).toEqual([...messages]);
});

test("Moonshot's schemas lose $schema and tuples, but keep a property of that name", () => {
  const text = { type: "string" };
  const pair = { type: "array", items: [text, { type: "number" }] };
  const parameters = { $schema: "x", type: "object", properties: { pair, $schema: text } };
  const tool = { type: "function" as const, function: { name: "f", parameters } };
  const items = { anyOf: [text, { type: "number" }] };
  expect(sent("Moonshot#kimi-k3", { tools: [tool] }).body.tools).toMatchObject([
    {
      function: {
        parameters: { type: "object", properties: { pair: { type: "array", items }, $schema: text } },
      },
    },
  ]);
  expect(JSON.stringify(sent("Moonshot#kimi-k3", { tools: [tool] }).body)).not.toContain('"$schema":"x"');
});

test("Moonshot's schemas grow by no more than the hold covers, however often they refer to another", () => {
  const levels = Array.from({ length: 20 }, (_, at) => at);
  const $defs = Object.fromEntries(
    levels.map((at) => {
      const next = { $ref: `#/$defs/L${at + 1}` };
      return [`L${at}`, { type: "object", properties: { a: next, b: next } }];
    }),
  );
  const parameters = { type: "object", properties: { a: { $ref: "#/$defs/L0" } }, $defs };
  const many = levels.map((at) => ({
    type: "function" as const,
    function: { name: `f${at}`, parameters },
  }));
  const given = JSON.stringify(many).length;
  const text = JSON.stringify(sent("Moonshot#kimi-k3", { tools: many }).body.tools);
  expect(text).not.toContain("$ref");
  expect(text.length).toBeLessThan(2 * given + 200_000);
});
