// Chat requests translated into calls to Cohere's v2 chat, row by row.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { cohere } from "../../../src/dialects/cohere/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { BASE, catchCode, encoded, functionTool, makeCard } from "./drive.ts";

const REASONING = "command-a-reasoning-08-2025";
const encode = (fields: Partial<ChatRequest>, name = "command-a-03-2025") =>
  encoded(cohere, fields, makeCard(name, name === REASONING ? ["reasoning"] : [], 500));

const f = functionTool("f");
const g = functionTool("g");
const plain = (name: string) => ({ type: "function", function: { name, parameters: f.function.parameters } });
const schema = {
  type: "object",
  properties: {
    minimum: { type: "integer", minimum: 1 },
    when: { type: "string", format: "date" },
    mail: { type: "string", format: "email" },
  },
  required: ["minimum"],
  additionalProperties: false,
};
const reduced = {
  type: "object",
  properties: {
    minimum: { type: "integer" },
    when: { type: "string", format: "date" },
    mail: { type: "string" },
  },
  required: ["minimum"],
};
const asSchema = { type: "json_schema" as const, json_schema: { name: "n", schema } };

const calls: [string, string, Partial<ChatRequest>, JsonObject, string[]][] = [
  [
    "names",
    "command-a",
    { top_p: 0.5, stop: ["x"], seed: 4, max_tokens: 9 },
    { p: 0.5, stop_sequences: ["x"], seed: 4, max_tokens: 9 },
    [],
  ],
  [
    "ranges",
    "command-a",
    { temperature: 1.7, top_p: 1, presence_penalty: -2, frequency_penalty: 0.4, seed: -1 },
    { temperature: 1, p: 0.99, presence_penalty: 0, frequency_penalty: 0.4, seed: 0 },
    ["temperature", "top_p", "presence_penalty", "seed"],
  ],
  [
    "the card's limit",
    "command-a",
    { max_completion_tokens: 900 },
    { max_tokens: 500 },
    ["max_completion_tokens"],
  ],
  [
    "what has no place",
    "command-a",
    { user: "u", logit_bias: { 1: 1 }, logprobs: true, parallel_tool_calls: false, documents: [] },
    {},
    ["user", "logit_bias", "logprobs", "parallel_tool_calls", "documents"],
  ],
  ["auto is silence", "command-a", { tools: [f], tool_choice: "auto" }, { tools: [plain("f")] }, []],
  [
    "required",
    "command-a",
    { tools: [f], tool_choice: "required" },
    { tools: [plain("f")], tool_choice: "REQUIRED" },
    [],
  ],
  [
    "none",
    "command-a",
    { tools: [f], tool_choice: "none" },
    { tools: [plain("f")], tool_choice: "NONE" },
    [],
  ],
  [
    "a named function",
    "command-a",
    { tools: [f, g], tool_choice: { type: "function", function: { name: "g" } } },
    { tools: [plain("g")], tool_choice: "REQUIRED" },
    [],
  ],
  [
    "allowed functions",
    "command-a",
    {
      tools: [f, g],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
      },
    },
    { tools: [plain("f")] },
    [],
  ],
  [
    "a model too old to choose",
    "command-r-08-2024",
    { tools: [f], tool_choice: "required" },
    { tools: [plain("f")] },
    ["tool_choice"],
  ],
  [
    "strict functions",
    "command-a",
    { tools: [functionTool("f", true)] },
    { tools: [plain("f")], strict_tools: true },
    [],
  ],
  [
    "strict for some",
    "command-a",
    { tools: [functionTool("f", true), g] },
    { tools: [plain("f"), plain("g")] },
    [],
  ],
  [
    "a schema",
    "command-a",
    { response_format: asSchema },
    { response_format: { type: "json_object", json_schema: reduced } },
    [],
  ],
  [
    "a schema beside tools",
    "command-a",
    { response_format: asSchema, tools: [f] },
    { tools: [plain("f")] },
    ["response_format"],
  ],
  ["no thinking", REASONING, { reasoning_effort: "none" }, { thinking: { type: "disabled" } }, []],
  [
    "some thinking",
    REASONING,
    { reasoning_effort: "low" },
    { thinking: { type: "enabled", token_budget: 2048 } },
    [],
  ],
  ["much thinking", REASONING, { reasoning_effort: "xhigh" }, { thinking: { type: "enabled" } }, []],
  ["thinking of a model without", "command-a", { reasoning_effort: "low" }, {}, ["reasoning_effort"]],
];

test.each(calls)("%s", (_what, name, fields, body, dropped) => {
  const outgoing = encode(fields, name);
  const { model, messages, ...rest } = outgoing.body;
  expect(rest).toEqual(body);
  expect(outgoing.dropped).toEqual(dropped);
});

test("each message takes its form in the conversation", () => {
  const { url, headers, body } = encode({
    stream: true,
    messages: [
      { role: "developer", content: [{ type: "text", text: "Be kind" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: "data:image/png;base64,QQ==", detail: "original" } },
        ],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "" } }],
      },
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "out" }] },
      { role: "assistant", content: null, refusal: "No." },
    ],
  });
  expect(url).toBe(`${BASE}/chat`);
  expect(headers).toEqual({ authorization: "Bearer s3cret", "x-team": "7" });
  expect(body).toEqual({
    model: "command-a-03-2025",
    stream: true,
    messages: [
      { role: "system", content: "Be kind" },
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: "data:image/png;base64,QQ==" } },
        ],
      },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "out" },
      { role: "assistant", content: "No." },
    ],
  });
});

test("audio is refused", () => {
  const content = [{ type: "input_audio" as const, input_audio: { data: "AA==", format: "wav" } }];
  expect(catchCode(() => encode({ messages: [{ role: "user", content }] }))).toBe("unsupported_capability");
});
