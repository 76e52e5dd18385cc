// Chat requests translated into calls to the Responses API, row by row, with the thinking of earlier turns.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { responses } from "../../../src/dialects/responses/dialect.ts";
import type { AssistantMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import { BASE, catchCode, encoded, functionTool, makeCard, readMessage, whole } from "./drive.ts";
import { thought } from "./responses-cases.ts";

const encode = (fields: Partial<ChatRequest>, name = "gpt-5.2", output?: number) =>
  encoded(responses, fields, makeCard(name, null, output));

const schema = { type: "object", properties: {} };
const grammar = { syntax: "lark", definition: "start: /a/" };

const fields: [string, string, Partial<ChatRequest>, JsonObject, string[]][] = [
  ["limits have a floor", "gpt-4o", { max_tokens: 5 }, { max_output_tokens: 16 }, ["max_tokens"]],
  [
    "limits have a ceiling",
    "gpt-4o",
    { max_completion_tokens: 900 },
    { max_output_tokens: 500 },
    ["max_completion_tokens"],
  ],
  ["sampling", "gpt-4o", { temperature: 0.2, top_p: 0.9 }, { temperature: 0.2, top_p: 0.9 }, []],
  ["sampling while reasoning", "gpt-5.5", { temperature: 0.2, top_p: 0.9 }, {}, ["temperature", "top_p"]],
  ["sampling of a model that only reasons if asked", "gpt-5.4", { temperature: 0 }, { temperature: 0 }, []],
  [
    "sampling of one that was asked",
    "gpt-5.4",
    { temperature: 0, reasoning_effort: "low" },
    { reasoning: { effort: "low" } },
    ["temperature"],
  ],
  [
    "sampling without reasoning",
    "gpt-5.2",
    { temperature: 0.2, reasoning_effort: "none" },
    { temperature: 0.2, reasoning: { effort: "none" } },
    [],
  ],
  ["sampling of other vendors' models", "grok-9", { temperature: 0.2 }, { temperature: 0.2 }, []],
  [
    "what has no place",
    "gpt-4o",
    { stop: ["a"], seed: 1, logit_bias: { 1: 2 }, presence_penalty: 1, top_k: 4 },
    {},
    ["stop", "seed", "logit_bias", "presence_penalty", "top_k"],
  ],
  [
    "log probabilities",
    "gpt-4o",
    { logprobs: true, top_logprobs: 3 },
    { top_logprobs: 3, include: ["message.output_text.logprobs"] },
    [],
  ],
  [
    "an effort beyond the model's",
    "gpt-5.1",
    { reasoning_effort: "max" },
    { reasoning: { effort: "high" } },
    ["reasoning_effort"],
  ],
  [
    "an effort below the model's",
    "gpt-7",
    { reasoning_effort: "none" },
    { reasoning: { effort: "low" } },
    ["reasoning_effort"],
  ],
  ["an effort for a model without", "openai/gpt-4.1", { reasoning_effort: "low" }, {}, ["reasoning_effort"]],
  [
    "an effort for a model unknown",
    "house-1",
    { reasoning_effort: "minimal" },
    { reasoning: { effort: "minimal" } },
    [],
  ],
  [
    "thinking that is to be seen",
    "gpt-5.2",
    { include_reasoning: true },
    { reasoning: { summary: "auto" } },
    [],
  ],
  ["verbosity", "gpt-5", { verbosity: "low" }, { text: { verbosity: "low" } }, []],
  ["verbosity of an older model", "gpt-4o", { verbosity: "low" }, {}, ["verbosity"]],
  [
    "a schema",
    "gpt-4o",
    { response_format: { type: "json_schema", json_schema: { name: "n", schema } } },
    { text: { format: { type: "json_schema", name: "n", schema, strict: false } } },
    [],
  ],
  [
    "storage by wish",
    "gpt-4o",
    { store: true, metadata: { a: "b" } },
    { store: true, metadata: { a: "b" } },
    [],
  ],
  [
    "a custom tool",
    "gpt-4o",
    {
      tools: [{ type: "custom", custom: { name: "c", format: { type: "grammar", grammar } } }],
      tool_choice: { type: "custom", custom: { name: "c" } },
    },
    {
      tools: [{ type: "custom", name: "c", format: { type: "grammar", ...grammar } }],
      tool_choice: { type: "custom", name: "c" },
    },
    [],
  ],
  [
    "allowed tools",
    "gpt-4o",
    {
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
      },
    },
    { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] } },
    [],
  ],
  ["text alone", "gpt-4o", { modalities: ["text"] }, {}, []],
];

describe("encode", () => {
  test.each(fields)("%s", (_what, name, fields, body, dropped) => {
    const outgoing = encode(fields, name, 500);
    const { model, input, store, include, ...rest } = outgoing.body;
    const sealed = name.startsWith("gpt-5") || name.startsWith("gpt-7");
    const found = { ...rest, ...(store ? { store } : {}), ...(include && !sealed ? { include } : {}) };
    expect(found).toEqual(body);
    expect(outgoing.dropped).toEqual(dropped);
  });

  test("the address of a call, and the fields that are always sent", () => {
    const { url, headers, body } = encode({ stream: true, tools: [functionTool("f")] });
    expect(url).toBe(`${BASE}/responses`);
    expect(headers).toEqual({ authorization: "Bearer s3cret", "x-team": "7" });
    const { parameters } = functionTool("f").function;
    expect(body).toEqual({
      model: "gpt-5.2",
      input: [{ type: "message", role: "user", content: "Hi" }],
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      // A missing `strict` would mean true here.
      tools: [{ type: "function", name: "f", parameters, strict: false }],
    });
  });

  test("the conversation", () => {
    const { body } = encode({
      messages: [
        { role: "developer", content: "Be kind" },
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image_url", image_url: { url: "https://x.example/a.png", detail: "low" } },
            { type: "file", file: { file_data: "QQ==", filename: "a.pdf" } },
          ],
        },
        {
          role: "assistant",
          content: "Well",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
            { id: "c2", type: "custom", custom: { name: "g", input: "x" } },
          ],
        },
        { role: "tool", tool_call_id: "c2", content: "second" },
        { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "first" }] },
      ],
    });
    expect(body.input).toEqual([
      { type: "message", role: "developer", content: "Be kind" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "See" },
          { type: "input_image", image_url: "https://x.example/a.png", detail: "low" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,QQ==" },
        ],
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Well" }] },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c2", name: "g", input: "x" },
      { type: "custom_tool_call_output", call_id: "c2", output: "second" },
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "first" }] },
    ]);
  });

  test("audio is refused", () => {
    const content = [{ type: "input_audio" as const, input_audio: { data: "AA==", format: "wav" } }];
    expect(catchCode(() => encode({ messages: [{ role: "user", content }] }))).toBe("unsupported_capability");
  });
});

const message = { type: "message", content: [{ type: "output_text", text: "Hello" }] };
const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const response = { status: "completed", output: [thought, message, call] };

describe("thinking over two turns", () => {
  const back = (turn: AssistantMessage, name: string) =>
    encode({ messages: [{ role: "user", content: "Hi" }, turn] }, name).body.input as JsonObject[];

  test("sealed thinking is sent back unchanged", () => {
    const [, ...items] = back(readMessage(whole(responses, response)), "gpt-5.2");
    expect(items[0]).toEqual(thought);
    expect(items.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test("a model that does not reason gets none", () => {
    expect(back(readMessage(whole(responses, response)), "gpt-4o").map(({ type }) => type)).not.toContain(
      "reasoning",
    );
  });

  test("raw thinking is sent back to servers that show it, but not to OpenAI", () => {
    const raw = {
      type: "reasoning",
      id: "r",
      summary: [],
      content: [{ type: "reasoning_text", text: "Hm" }],
    };
    const turn = readMessage(whole(responses, { status: "completed", output: [raw, message] }));
    expect(turn.reasoning_content).toBe("Hm");
    expect(back(turn, "house-1")[1]).toEqual(raw);
    expect(back(turn, "gpt-5.2").map(({ type }) => type)).not.toContain("reasoning");
  });

  test("another provider's thinking is dropped", () => {
    const foreign = {
      type: "reasoning.text" as const,
      text: "Hm",
      signature: "s",
      format: "anthropic-claude-v1",
    };
    const turn = { role: "assistant" as const, content: "Well", reasoning_details: [foreign] };
    expect(back(turn, "gpt-5.2")).toHaveLength(2);
  });
});
