// A call's body without what its server refuses.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Refusal } from "../../../src/core/models/refusals.ts";
import { EFFORTS } from "../../../src/core/models/words/efforts.ts";
import { mendOutgoing } from "../../../src/dialects/mend.ts";

const call = (body: JsonObject) => ({ url: "http://house.test/v1", headers: {}, body, dropped: [] });
const mend = (body: JsonObject, ...words: Refusal[]) => mendOutgoing(call(body), new Set(words));

const schema = { type: "object", properties: { strict: { type: "string" } } };
const referring = {
  type: "object",
  properties: { a: { $ref: "#/$defs/A", description: "one" }, b: { enum: ["x", "y"] } },
  $defs: { A: { type: "string" } },
};
const writtenOut = {
  type: "object",
  properties: { a: { type: "string", description: "one" }, b: { type: "string", enum: ["x", "y"] } },
};
const recursive = {
  type: "object",
  properties: { a: { $ref: "#/$defs/A" } },
  $defs: { A: { type: "object", properties: { within: { $ref: "#/$defs/A" } } } },
};
const called = (args: string) => ({ id: "c", type: "function", function: { name: "f", arguments: args } });
const text = (words: string) => ({ type: "text", text: words });

const ROWS: readonly { word: Refusal; body: JsonObject; sent: JsonObject }[] = [
  { word: "field:seed", body: { model: "m", seed: 1 }, sent: { model: "m" } },
  {
    word: "field:tools[].custom.strict",
    body: { tools: [{ name: "a", strict: true, input_schema: schema }, { name: "b" }] },
    sent: { tools: [{ name: "a", input_schema: schema }, { name: "b" }] },
  },
  {
    word: "field:strict",
    body: { tools: [{ type: "function", function: { name: "a", strict: true, parameters: schema } }] },
    sent: { tools: [{ type: "function", function: { name: "a", parameters: schema } }] },
  },
  {
    word: "field:system[].cache_control.scope",
    body: { system: [{ ...text("a"), cache_control: { type: "ephemeral", scope: "global" } }] },
    sent: { system: [{ ...text("a"), cache_control: { type: "ephemeral" } }] },
  },
  {
    word: "field:generation_config.top_k",
    body: { generationConfig: { topK: 1, maxOutputTokens: 2 } },
    sent: { generationConfig: { maxOutputTokens: 2 } },
  },
  {
    word: "field:reasoningEffort",
    body: { reasoning: { effort: "low", summary: "auto" } },
    sent: { reasoning: { summary: "auto" } },
  },
  {
    word: "tool_choice_object",
    body: {
      tools: [{ function: { name: "a" } }, { function: { name: "b" } }],
      tool_choice: { type: "function", function: { name: "b" } },
    },
    sent: { tools: [{ function: { name: "b" } }], tool_choice: "required" },
  },
  {
    word: "field:tools[].custom.strict",
    body: { tools: [{ type: "function", function: { name: "a", strict: true, parameters: schema } }] },
    sent: { tools: [{ type: "function", function: { name: "a", parameters: schema } }] },
  },
  {
    word: "field:topP",
    body: { generationConfig: { topP: 1, maxOutputTokens: 2 } },
    sent: { generationConfig: { maxOutputTokens: 2 } },
  },
  {
    word: "field:top_k",
    body: { inferenceConfig: { topP: 1 }, additionalModelRequestFields: { top_k: 4 } },
    sent: { inferenceConfig: { topP: 1 }, additionalModelRequestFields: {} },
  },
  {
    word: "forced_thinking",
    body: { messages: [], tool_choice: "required", reasoning_effort: "high" },
    sent: { messages: [], tool_choice: "required", thinking: { type: "disabled" } },
  },
  {
    word: "forced_thinking",
    body: {
      messages: [],
      tool_choice: { type: "tool", name: "a" },
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
      context_management: { edits: [{ type: "clear_thinking_20251015" }, { type: "clear_tool_uses" }] },
    },
    sent: {
      messages: [],
      tool_choice: { type: "tool", name: "a" },
      thinking: { type: "disabled" },
      output_config: { effort: "high" },
      context_management: { edits: [{ type: "clear_tool_uses" }] },
    },
  },
  {
    word: "forced_enable_thinking",
    body: { messages: [], tool_choice: { type: "function", function: { name: "a" } } },
    sent: {
      messages: [],
      tool_choice: { type: "function", function: { name: "a" } },
      enable_thinking: false,
    },
  },
  {
    word: "unstreamed_thinking",
    body: { messages: [], reasoning_effort: "high" },
    sent: { messages: [], enable_thinking: false },
  },
  {
    word: "thoughts_required",
    body: { messages: [{ role: "assistant", content: null, tool_calls: [called("{}")] }] },
    sent: {
      messages: [{ role: "assistant", content: null, tool_calls: [called("{}")], reasoning_content: " " }],
    },
  },
  ...(["parameters", "input_schema"] as const).map((name) => ({
    word: "tool_schema" as const,
    body: { tools: [{ name: "a", [name]: referring }] },
    sent: { tools: [{ name: "a", [name]: writtenOut }] },
  })),
  {
    word: "tool_schema",
    body: { tools: [{ type: "function", function: { name: "a", parameters: referring } }] },
    sent: { tools: [{ type: "function", function: { name: "a", parameters: writtenOut } }] },
  },
  {
    word: "reasoning_effort=max",
    body: { reasoning_effort: "max" },
    sent: { reasoning_effort: "xhigh" },
  },
  {
    word: "reasoning_effort=none",
    body: { reasoning: { effort: "none", summary: "auto" } },
    sent: { reasoning: { effort: "minimal", summary: "auto" } },
  },
  {
    word: "reasoning_effort=low",
    body: { output_config: { effort: "low" } },
    sent: { output_config: { effort: "medium" } },
  },
  {
    word: "json_object",
    body: { response_format: { type: "json_object" } },
    sent: {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "object" } },
      },
    },
  },
  ...(
    [
      ['{"a', '{"arguments":"{\\"a"}'],
      ["[1]", '{"arguments":"[1]"}'],
      [" ", "{}"],
    ] as const
  ).map(([given, sent]) => ({
    word: "call_arguments" as const,
    body: { messages: [{ role: "assistant", tool_calls: [called(given), called('{"b":1}')] }] },
    sent: { messages: [{ role: "assistant", tool_calls: [called(sent), called('{"b":1}')] }] },
  })),
  { word: "max_tokens", body: { max_tokens: 7 }, sent: { max_completion_tokens: 7 } },
  { word: "max_completion_tokens", body: { max_completion_tokens: 7 }, sent: { max_tokens: 7 } },
  {
    word: "text_parts",
    body: { messages: [{ role: "system", content: [text("a"), text("b")] }] },
    sent: { messages: [{ role: "system", content: "a\n\nb" }] },
  },
];

test.each([...ROWS])("$word", ({ word, body, sent }) => {
  const before = structuredClone(body);
  expect(mend(body, word).body).toEqual(sent);
  expect(body).toEqual(before);
});

test.each<[Refusal, JsonObject]>([
  ["field:seed", { model: "m" }],
  ["field:textFormat", { text: { format: { type: "json_object" } } }],
  ["field:strict", { messages: [{ content: [{ type: "tool_use", input: { strict: true } }] }] }],
  ["field:metadata", { metadata: { guardrails: ["g"] } }],
  ["field:output_config", { output_config: { format: { type: "json_schema" } } }],
  ["tool_choice_object", { tools: [{ function: { name: "a" } }], tool_choice: "auto" }],
  ["tool_choice_object", { tools: [], tool_choice: { type: "function", function: { name: "b" } } }],
  ["forced_thinking", { messages: [], tool_choice: "auto", reasoning_effort: "high" }],
  ["forced_thinking", { messages: [], tool_choice: "required", thinking: { type: "disabled" } }],
  ["forced_thinking", { input: [], tool_choice: "required" }],
  ["forced_enable_thinking", { messages: [], tool_choice: "required", enable_thinking: false }],
  ["tool_schema", { tools: [{ name: "a", parameters: writtenOut }] }],
  [
    "tool_schema",
    {
      tools: [
        { name: "a", parameters: recursive },
        { name: "b", parameters: referring },
      ],
    },
  ],
  ["unstreamed_thinking", { messages: [], stream: true }],
  ["unstreamed_thinking", { messages: [], enable_thinking: false }],
  [
    "thoughts_required",
    { messages: [{ role: "assistant", reasoning_content: "Hm", tool_calls: [called("{}")] }] },
  ],
  ["thoughts_required", { messages: [{ role: "assistant", content: "Hi." }] }],
  ["json_object", { response_format: { type: "text" } }],
  ["json_object", { response_format: { type: "json_schema", json_schema: { name: "n", schema } } }],
  ["json_object", { text: { format: { type: "json_object" } } }],
  ["call_arguments", { messages: [{ role: "assistant", tool_calls: [called('{"a":{}}')] }] }],
  ["call_arguments", { input: [{ type: "function_call", arguments: "{" }] }],
  ["tool_names", { tools: [{ name: "1a" }] }],
  ["reasoning_effort=high", { reasoning_effort: "low" }],
  ["reasoning_effort=high", { messages: [{ reasoning_effort: "high" }] }],
  ["max_tokens", { max_tokens: 1, max_completion_tokens: 2 }],
  ["text_parts", { messages: [{ role: "user", content: [text("a"), { type: "image_url" }] }] }],
])("%s changes nothing in %j", (word, body) => {
  const outgoing = call(body);
  expect(mendOutgoing(outgoing, new Set([word]))).toBe(outgoing);
});

test("a field that was left out is named", () => {
  const body = { tools: [{ name: "a", strict: true }] };
  expect(mend(body, "field:tools[].strict").dropped).toEqual(["tools.strict"]);
});

test("so is thinking that was turned off, and a level that was moved", () => {
  const forced = { messages: [], tool_choice: "required", reasoning_effort: "high" };
  expect(mend(forced, "forced_thinking").dropped).toEqual(["reasoning_effort"]);
  expect(mend({ reasoning: { effort: "max" } }, "reasoning_effort=max").dropped).toEqual([
    "reasoning_effort",
  ]);
});

test("without a level that is taken there is none", () => {
  const words = EFFORTS.map((level): Refusal => `reasoning_effort=${level}`);
  expect(mend({ reasoning: { effort: "max" }, seed: 1 }, ...words).body).toEqual({ seed: 1 });
});

test("a beta is left out of its header alone, and named", () => {
  const asked = {
    ...call({ model: "m" }),
    headers: { "x-api-key": "s", "anthropic-beta": "one-2026-01-01,two-2026-01-01" },
  };
  const without = (...words: Refusal[]) => mendOutgoing(asked, new Set(words));
  expect(without("beta:two-2026-01-01")).toEqual({
    ...asked,
    headers: { "x-api-key": "s", "anthropic-beta": "one-2026-01-01" },
    dropped: ["anthropic-beta"],
  });
  expect(without("beta:one-2026-01-01", "beta:two-2026-01-01").headers).toEqual({ "x-api-key": "s" });
  expect(without("beta:three-2026-01-01")).toBe(asked);
  const named = { ...asked, dropped: ["anthropic-beta"] };
  expect(mendOutgoing(named, new Set(["beta:one-2026-01-01"])).dropped).toEqual(["anthropic-beta"]);
});
