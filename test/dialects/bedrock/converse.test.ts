// Requests of Converse: limits, tools, formats, efforts and cache marks, as each family of models accepts them.
import { describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import type { Capability } from "../../../src/core/models/card.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import { functionTool } from "../cases/drive.ts";
import { calls, encode, hi, LLAMA, MISTRAL, NOVA, result, target, turns } from "./converse-cases.ts";

test("calls use the model's path and the bearer key, and another path for streams", () => {
  const url = "https://bedrock.example/model/us.amazon.nova-2-lite-v1%3A0";
  const whole = encode({});
  expect([whole.url, whole.headers, whole.answer]).toEqual([
    `${url}/converse`,
    { authorization: "Bearer s3cret" },
    undefined,
  ]);
  expect(whole.body).toEqual({ messages: [{ role: "user", content: [{ text: "Hi" }] }] });
  const streamed = encode({ stream: true });
  expect([streamed.url, streamed.answer]).toEqual([`${url}/converse-stream`, "aws-eventstream"]);
});

test("limits and sampling are kept in range, and unsupported fields are named", () => {
  const { body, dropped } = encode({
    max_tokens: 9000,
    temperature: 1.5,
    top_p: 0.5,
    stop: ["a", " "],
    seed: 1,
    user: "u",
    parallel_tool_calls: true,
    service_tier: "auto",
  });
  const inference = { maxTokens: 4000, temperature: 1, topP: 0.5, stopSequences: ["a"] };
  expect(body.inferenceConfig).toEqual(inference);
  expect(dropped).toEqual(["seed", "user", "max_tokens", "temperature", "stop"]);
  expect(encode({ parallel_tool_calls: false, service_tier: "flex" }).dropped).toEqual([
    "parallel_tool_calls",
    "service_tier",
  ]);
});

describe("tools", () => {
  const tools = [functionTool("f"), functionTool("g")];
  const spec = (name: string, json: object = tools[0]?.function.parameters ?? {}) => ({
    toolSpec: { name, inputSchema: { json } },
  });
  const config = (fields: Partial<ChatRequest>, name = NOVA) =>
    encode({ tools, ...fields }, name).body.toolConfig;
  const named = { type: "function" as const, function: { name: "f" } };

  test("are sent with their schemas, with the tool choice in the family's form", () => {
    const both = [spec("f"), spec("g")];
    expect(config({})).toEqual({ tools: both });
    expect(config({ tool_choice: "required" })).toEqual({ tools: both, toolChoice: { any: {} } });
    expect(config({ tool_choice: named })).toEqual({ tools: both, toolChoice: { tool: { name: "f" } } });
    expect(config({ tool_choice: named }, MISTRAL)).toEqual({ tools: [spec("f")], toolChoice: { any: {} } });
    expect(config({ tool_choice: "none" })).toBeUndefined();
    const allowed = { mode: "required" as const, tools: [named] };
    expect(config({ tool_choice: { type: "allowed_tools", allowed_tools: allowed } })).toEqual({
      tools: [spec("f")],
      toolChoice: { any: {} },
    });
  });

  test("are requested in the prompt if calls can't be forced", () => {
    const { body, dropped } = encode({ tools, tool_choice: named }, LLAMA);
    expect([body.toolConfig, dropped]).toEqual([{ tools: [spec("f"), spec("g")] }, ["tool_choice"]]);
    expect([body.system, JSON.stringify(body.messages)]).toEqual([
      undefined,
      expect.stringContaining("call the tool `f`"),
    ]);
  });

  test("stay declared if the conversation contains calls, because Bedrock would refuse it otherwise", () => {
    const messages = [hi, calls("a"), result("a")];
    const undeclared = encode({ messages });
    expect(undeclared.body.toolConfig).toEqual({ tools: [spec("f", { type: "object" })] });
    const none = encode({ messages, tools, tool_choice: "none" });
    expect(JSON.stringify(asArray(none.body.messages).at(-1))).toContain(
      "In this answer, do not call any tool.",
    );
    expect([none.body.system, none.dropped]).toEqual([undefined, ["tool_choice"]]);
  });

  test("are strict if the model supports schemas", () => {
    const strict = [functionTool("f", true)];
    const able: readonly Capability[] = ["tools", "structured"];
    expect(encode({ tools: strict }, NOVA, target, able).body.toolConfig).toMatchObject({
      tools: [{ toolSpec: { strict: true } }],
    });
    expect(encode({ tools: strict }).dropped).toEqual(["tools"]);
  });
});

test("schemas use Bedrock's own field if the card allows it, and the prompt otherwise", () => {
  const schema = { type: "object", properties: { a: { type: "object", properties: {} } } };
  const response_format = { type: "json_schema" as const, json_schema: { name: "n", schema } };
  const closed =
    '{"type":"object","properties":{"a":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false}';
  const able = encode({ response_format }, NOVA, target, ["structured"]);
  expect(able.body.outputConfig).toEqual({
    textFormat: { type: "json_schema", structure: { jsonSchema: { schema: closed, name: "n" } } },
  });
  const unable = encode({ response_format });
  expect([JSON.stringify(unable.body.messages), unable.dropped]).toEqual([
    expect.stringContaining("JSON Schema"),
    ["response_format"],
  ]);
  expect(encode({ response_format: { type: "json_object" } }).dropped).toEqual(["response_format"]);
});

describe("an effort", () => {
  const rows: readonly (readonly [string, ChatRequest["reasoning_effort"], object | undefined, string[]])[] =
    [
      [NOVA, "low", { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } }, []],
      [
        NOVA,
        "max",
        { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } },
        ["reasoning_effort"],
      ],
      [NOVA, "none", undefined, []],
      ["amazon.nova-pro-v1:0", "high", undefined, ["reasoning_effort"]],
      ["openai.gpt-oss-120b-1:0", "minimal", { reasoning_effort: "low" }, ["reasoning_effort"]],
      ["openai.gpt-oss-120b-1:0", "none", undefined, ["reasoning_effort"]],
      ["qwen.qwen3-32b-v1:0", "high", { reasoning_config: "high" }, []],
    ];
  test.each(rows)("at %s, %s", (name, reasoning_effort, fields, lost) => {
    const { body, dropped } = encode({ reasoning_effort }, name);
    expect([body.additionalModelRequestFields, dropped]).toEqual([fields, lost]);
  });

  test("of Nova's highest level drops the sampling fields", () => {
    const { body, dropped } = encode({
      reasoning_effort: "high",
      temperature: 0.5,
      top_p: 0.5,
      max_tokens: 9,
    });
    expect([body.inferenceConfig, dropped]).toEqual([{ maxTokens: 9 }, ["temperature", "top_p"]]);
  });
});

describe("cache marks", () => {
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const part = (text: string) => ({ type: "text" as const, text, ...mark });
  const point = { cachePoint: { type: "default" } };
  const messages: ChatMessage[] = [
    { role: "system", content: [part("A")] },
    { role: "user", content: [part("B")] },
  ];
  const tools = [{ ...functionTool("f"), ...mark }];

  test("become cache points after their blocks if the model supports them", () => {
    const nova = encode({ messages, tools });
    expect(nova.body).toMatchObject({
      system: [{ text: "A" }, point],
      messages: [{ content: [{ text: "B" }, point] }],
      toolConfig: { tools: [{ toolSpec: { name: "f" } }] },
    });
    expect(asArray(asObject(nova.body.toolConfig).tools)).toHaveLength(1);
    expect(nova.dropped).toEqual(["cache_control"]);
    const hour = { cachePoint: { type: "default", ttl: "1h" } };
    const claude = encode({ messages, tools }, "us.anthropic.claude-sonnet-4-6");
    expect([claude.body.system, claude.dropped]).toEqual([[{ text: "A" }, hour], []]);
    const llama = encode({ messages, tools }, LLAMA);
    expect([llama.body.system, llama.dropped]).toEqual([[{ text: "A" }], ["cache_control"]]);
  });

  test("are limited to four: the first and the last three", () => {
    const many = ["1", "2", "3", "4", "5", "6"].map(part);
    const content = asObject(turns([{ role: "user", content: many }])[0]).content;
    const kinds = asArray(content).map((block) => asObject(block).text ?? "point");
    expect(kinds).toEqual(["1", "point", "2", "3", "4", "point", "5", "point", "6", "point"]);
  });

  test("are set for clients that set none, if the operator enables that", () => {
    const marking = { ...target, marks: "5m" } as const;
    const asked: ChatMessage[] = [
      { role: "system", content: "A" },
      hi,
      { role: "assistant", content: "B" },
      hi,
    ];
    const { body, dropped } = encode({ messages: asked }, NOVA, marking);
    expect([body.system, dropped]).toEqual([[{ text: "A" }, point], []]);
    expect(JSON.stringify(body.messages).match(/cachePoint/g)).toHaveLength(2);
    expect(encode({ messages: asked }, LLAMA, marking).body.system).toEqual([{ text: "A" }]);
  });

  test("are set for an hour where the model keeps a prompt for as long, and the time is told", () => {
    const marking = { ...target, marks: "1h" } as const;
    const tools = [functionTool("f")];
    const set = (name: string) => {
      const { body, marked } = encode(
        { messages: [{ role: "system", content: "A" }, hi], tools },
        name,
        marking,
      );
      return [asArray(asObject(body.toolConfig).tools).at(1), asArray(body.system).at(1), marked];
    };
    const hour = { cachePoint: { type: "default", ttl: "1h" } };
    expect(set("us.anthropic.claude-sonnet-4-6")).toEqual([hour, hour, "1h"]);
    expect(set(NOVA)).toEqual([undefined, point, "5m"]);
    expect(set(LLAMA)).toEqual([undefined, undefined, undefined]);
  });
});

test("the operator's guardrail is sent in the body, as recorded", () => {
  const guarded = { ...target, guardrail: { id: "xbgw7g293v7o", version: "DRAFT" } };
  const named = { guardrailIdentifier: "xbgw7g293v7o", guardrailVersion: "DRAFT" };
  expect(encode({ messages: [hi] }, NOVA, guarded).body.guardrailConfig).toEqual(named);
  expect(encode({ messages: [hi], stream: true }, NOVA, guarded).body.guardrailConfig).toEqual(named);
  expect(encode({ messages: [hi] }, NOVA).body.guardrailConfig).toBeUndefined();
});
