// Requests of the OpenAI dialect: the fields of OpenAI's models, its two interfaces, and messages as servers accept
// them.

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ChatMessage, ChatRequest, CustomTool } from "../../../src/operations/chat/form.ts";
import { findChatCodec } from "../../harness/codec.ts";
import { checkChatRequest } from "../../simulator/openai-validator.ts";
import { BASE, encoded, makeCard } from "./drive.ts";
import { ALL, findProviderDialect, type Row, sent, testRows, tools } from "./openai-cases.ts";

const custom: CustomTool = { type: "custom", custom: { name: "shell" } };
const shell = { type: "custom", custom: { name: "shell" } } as const;
const none = { reasoning_effort: "none" } as const;
const low = { reasoning_effort: "low" } as const;

/** Each is also checked by the simulated OpenAI. */
const ROWS: readonly Row[] = [
  ["OpenAI#gpt-4o", { max_tokens: 9 }, { max_completion_tokens: 9, max_tokens: undefined }],
  ["OpenAI#gpt-4o", { temperature: 2, stop: ["x"], n: 3 }, { temperature: 2, stop: ["x"], n: 3 }],
  ["OpenAI#gpt-4o", { ...low, verbosity: "low" }, {}, "verbosity reasoning_effort"],
  [
    "OpenAI#gpt-4o",
    { tool_choice: "auto", parallel_tool_calls: true },
    {},
    "parallel_tool_calls tool_choice",
  ],
  ["OpenAI#gpt-5-mini", { temperature: 0, stop: ["x"] }, {}, "temperature stop"],
  ["OpenAI#gpt-5-mini", none, { reasoning_effort: "minimal" }, "reasoning_effort"],
  ["OpenAI#o3", { reasoning_effort: "xhigh" }, { reasoning_effort: "high" }, "reasoning_effort"],
  ["OpenAI#gpt-5.4", { temperature: 0.2 }, { temperature: 0.2 }],
  ["OpenAI#gpt-5.4", { temperature: 0.2, ...low }, low, "temperature"],
  ["OpenAI#gpt-5.5", { top_p: 0.2, ...none }, { top_p: 0.2, ...none }],
  ["OpenAI#gpt-6", { temperature: 0.2, ...none }, low, "temperature reasoning_effort"],
  ["OpenAI#gpt-9-nova", { presence_penalty: 1, logit_bias: {} }, {}, "presence_penalty logit_bias"],
  ["OpenAI#gpt-5.4", { tools: [custom], tool_choice: shell }, { tools: [custom], tool_choice: shell }],
  [
    "OpenAI#gpt-5.4",
    { top_k: 4, thinking: {}, base_url: "http://x", api_key: "x" },
    {},
    "top_k thinking base_url api_key",
  ],
];
describe("requests to OpenAI's models", () => testRows(ROWS, checkChatRequest));

test("an unknown field is left out and named, whatever its name", () => {
  const request: Partial<ChatRequest> = JSON.parse(
    '{"brand_new":{"a":1},"__proto__":{"polluted":1},"constructor":{"polluted":1}}',
  );
  for (const id of ["OpenAI#gpt-5.4", "Local#llama"]) {
    const { body, dropped } = sent(id, request);
    expect(JSON.stringify(body)).not.toMatch(/brand_new|polluted/);
    expect(dropped).toEqual(["brand_new", "__proto__", "constructor"]);
  }
});

test("a model that doesn't reason gets no effort, and its own limit", () => {
  const plain = encoded(
    findProviderDialect("Local"),
    { ...low, max_tokens: 900 },
    makeCard("llama", ["tools"], 100),
  );
  expect(plain.body).toMatchObject({ max_tokens: 100 });
  expect(plain.dropped).toEqual(["max_tokens", "reasoning_effort"]);
});

describe("OpenAI's two interfaces", () => {
  const WAYS: readonly (readonly [string, Partial<ChatRequest>, string])[] = [
    ["gpt-5.3", { tools, ...low }, "/chat/completions"],
    ["gpt-5.4", { tools }, "/chat/completions"],
    ["gpt-5.4", { tools, ...none }, "/chat/completions"],
    ["gpt-5.4", low, "/chat/completions"],
    ["gpt-5.4", { tools, ...low }, "/responses"],
    ["gpt-5.4", { tools, reasoning: { effort: "high" } }, "/responses"],
    ["gpt-5.4", { tools, thinking: { type: "enabled", budget_tokens: 2000 } }, "/responses"],
    ["gpt-5.4", { tools, thinking: { type: "disabled" } }, "/chat/completions"],
    ["gpt-5.4-mini", { tools, ...low }, "/responses"],
    ["gpt-5.4-nano", { tools, ...low }, "/responses"],
    ["ft:gpt-5.4-mini:house", { tools, ...low }, "/responses"],
    ["gpt-5.5", { tools }, "/responses"],
    ["gpt-5.5", { tools, ...low }, "/responses"],
    ["gpt-5.5", { tools, ...none }, "/chat/completions"],
    ["gpt-5.6-sol", {}, "/chat/completions"],
    ["gpt-5.6-sol", { tools }, "/responses"],
    ["gpt-5.6-sol", { tools, ...none }, "/chat/completions"],
    ["gpt-6", { tools, ...none }, "/responses"],
    ["gpt-6-luna", { tools, ...none }, "/chat/completions"],
    ["gpt-5-pro", {}, "/responses"],
    ["gpt-5.3-codex", {}, "/responses"],
  ];
  for (const [name, request, path] of WAYS) {
    test(`${name} ${JSON.stringify(request).slice(0, 60)} goes to ${path}`, () => {
      for (const provider of ["OpenAI", "Azure"])
        expect(sent(`${provider}#${name}`, request).url).toBe(`${BASE}${path}`);
    });
  }

  test("models that may use /responses give one choice per call", () => {
    const names = ["gpt-4o", "gpt-5.4", "gpt-5.6-sol", "gpt-6", "gpt-5-pro"];
    const choices = names.map((name) =>
      findChatCodec(findProviderDialect("OpenAI")).answersPerCall(makeCard(name, ALL), {
        model: name,
        messages: [],
      }),
    );
    expect(choices).toEqual([128, 128, 1, 1, 1]);
  });

  test("errors of both are read alike", () => {
    const body = '{"error":{"message":"Bad.","code":"unknown_parameter"}}';
    const fault = findProviderDialect("OpenAI").explain(400, new Headers(), body, 0);
    const details = { shownCode: "unknown_parameter" };
    expect(fault).toMatchObject({ code: "upstream_rejected", message: "Bad.", details });
  });
});

const call = {
  id: "c1",
  type: "function" as const,
  function: { name: "look", arguments: "" },
  index: 0,
  extra_content: { google: { thought_signature: "s" } },
};
const details = [
  { type: "reasoning.text" as const, text: "Hm", signature: "sig", format: "anthropic-claude-v1", index: 0 },
];
const thought = { reasoning_content: "Hm", reasoning_details: details, annotations: [], citations: [] };
const messages: readonly ChatMessage[] = [
  { role: "developer", content: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
  { role: "user", content: "Look.", name: "ann" },
  { role: "assistant", content: null, refusal: null, ...thought, tool_calls: [call] },
  { role: "tool", tool_call_id: "c1", content: "seen", name: "look" },
  { role: "assistant", content: null, refusal: "No." },
];
const plainCall = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const assistant = { role: "assistant", content: null, tool_calls: [plainCall] };

describe("messages", () => {
  test("OpenAI gets its own roles and no thinking or reply fields", () => {
    const { body } = sent("OpenAI#gpt-5.4", { messages });
    expect(body.messages).toEqual([
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: "Look.", name: "ann" },
      assistant,
      { role: "tool", tool_call_id: "c1", content: "seen" },
      { role: "assistant", content: "", refusal: "No." },
    ]);
    checkChatRequest(body, "gpt-5.4");
  });

  test("other servers get system for developer, refusals as text, and no names if they are strict", () => {
    const strict = sent("Groq#llama", { messages }).body.messages;
    expect(strict).toMatchObject([{ role: "system" }, {}, {}, {}, { role: "assistant", content: "No." }]);
    expect(JSON.stringify(strict)).not.toContain("ann");
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
    test(`${id} gets thinking back in its own format`, () => {
      const outgoing = sent(id, { messages: messages.slice(2, 3) }).body.messages;
      expect(outgoing).toEqual([{ ...assistant, ...thinking }]);
    });
  }

  test("required thinking that is missing is sent blank, only while the model thinks", () => {
    const bare: readonly ChatMessage[] = [{ role: "assistant", tool_calls: [call] }];
    const calls = { role: "assistant", tool_calls: [plainCall] };
    const thinks = sent("Moonshot#kimi-k2.6", { messages: bare }).body.messages;
    expect(thinks).toEqual([{ ...calls, reasoning_content: " " }]);
    expect(sent("Moonshot#kimi-k2.6", { messages: bare, ...none }).body.messages).toEqual([calls]);
  });

  test("cache marks reach OpenRouter, and signed calls reach Gemini's OpenAI endpoint", () => {
    expect(JSON.stringify(sent("OpenRouter#x/y", { messages }).body)).toContain("cache_control");
    expect(JSON.stringify(sent("Groq#llama", { messages }).body)).not.toContain("cache_control");
    const baseUrl = "https://generativelanguage.googleapis.com/v1beta/openai";
    const target = { baseUrl, secret: null, headers: {} };
    const outgoing = findChatCodec(findProviderDialect("Local")).encode(
      { model: "m", messages },
      makeCard("gemini-3", ALL),
      target,
    );
    expect(JSON.stringify(outgoing.body)).toContain("thought_signature");
    expect(outgoing.headers).toEqual({});
  });
});
