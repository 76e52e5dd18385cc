// The fields and tools of a Responses request as those of a chat request: one row per rule of the translation.
import { describe, expect, test } from "bun:test";
import { expectRow, FUNCTION, LOOK, MADE_CALL, makeCall, type Row, readRequest } from "./responses-read.ts";

const NAMESPACE = {
  type: "namespace",
  name: "agents",
  description: "Agents.",
  tools: [{ type: "function", name: "close", parameters: { type: "object" } }, { type: "computer" }],
};
const CLOSE = { type: "function", function: { name: "agents__close", parameters: { type: "object" } } };
const input = "a";

const FIELD_ROWS: readonly Row[] = [
  {
    name: "limits, sampling and verbosity",
    body: {
      input,
      max_output_tokens: 9,
      temperature: 0.5,
      top_p: 0.5,
      text: { verbosity: "low" },
      reasoning: { effort: "low" },
    },
    ask: {
      max_completion_tokens: 9,
      temperature: 0.5,
      top_p: 0.5,
      verbosity: "low",
      reasoning_effort: "low",
    },
  },
  {
    name: "a schema for the answer",
    body: {
      input,
      text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } },
    },
    ask: {
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", schema: { type: "object" }, strict: true },
      },
    },
  },
  {
    name: "text asks for nothing special",
    body: { input, text: { format: { type: "text" } } },
    ask: { response_format: undefined },
  },
  { name: "log probabilities", body: { input, top_logprobs: 2 }, ask: { logprobs: true, top_logprobs: 2 } },
  {
    name: "included log probabilities",
    body: { input, include: ["message.output_text.logprobs"] },
    ask: { logprobs: true },
  },
  {
    name: "null is a field left out",
    body: { input, temperature: null, tools: null, previous_response_id: null },
    ask: { temperature: undefined, tools: undefined },
  },
  {
    name: "functions and custom tools, with a choice",
    body: {
      input,
      tools: [
        FUNCTION,
        { type: "custom", name: "run", format: { type: "grammar", syntax: "lark", definition: "g" } },
      ],
      tool_choice: { type: "custom", name: "run" },
      parallel_tool_calls: false,
    },
    ask: {
      tools: [
        LOOK,
        {
          type: "custom",
          custom: { name: "run", format: { type: "grammar", grammar: { syntax: "lark", definition: "g" } } },
        },
      ],
      tool_choice: { type: "custom", custom: { name: "run" } },
      parallel_tool_calls: false,
    },
  },
  {
    name: "namespaces are flattened, in calls too",
    body: {
      input: [
        { role: "user", content: "a" },
        makeCall({ name: "close", namespace: "agents", arguments: "{}" }),
        { type: "function_call_output", call_id: "c1", output: "b" },
      ],
      tools: [FUNCTION, NAMESPACE],
    },
    ask: {
      tools: [LOOK, CLOSE],
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ ...MADE_CALL, function: { name: "agents__close", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "b" },
      ],
    },
    lost: ["tools[1].tools[1]"],
  },
  {
    name: "tools that come on the way",
    body: {
      input: [
        { type: "additional_tools", role: "developer", tools: [NAMESPACE] },
        { role: "user", content: "a" },
      ],
    },
    ask: { tools: [CLOSE], messages: [{ role: "user", content: "a" }] },
    lost: ["input[0].tools[0].tools[1]"],
  },
  {
    name: "a search is offered",
    body: { input, tools: [{ type: "web_search" }, FUNCTION], tool_choice: "required" },
    ask: { tools: [LOOK], tool_choice: "required", web_search_options: {} },
  },
  {
    name: "a call that only a search could be",
    body: { input, tools: [{ type: "web_search" }], tool_choice: "required" },
    ask: { tools: undefined, tool_choice: undefined, web_search_options: { is_forced: true } },
  },
  {
    name: "a search with all that it may say",
    body: {
      input,
      tools: [
        {
          type: "web_search_preview",
          search_context_size: "low",
          user_location: { type: "approximate", city: "Bonn", region: null },
          filters: { allowed_domains: ["a.example"], excluded_domains: ["b.example"] },
        },
        FUNCTION,
      ],
      tool_choice: { type: "web_search_preview" },
      max_tool_calls: 3,
    },
    ask: {
      tools: [LOOK],
      tool_choice: undefined,
      web_search_options: {
        search_context_size: "low",
        user_location: { type: "approximate", approximate: { city: "Bonn" } },
        max_uses: 3,
        allowed_domains: ["a.example"],
        blocked_domains: ["b.example"],
        is_forced: true,
      },
    },
  },
  {
    name: "a search that the choice forbids",
    body: { input, tools: [{ type: "web_search" }, FUNCTION], tool_choice: "none" },
    ask: { tools: [LOOK], tool_choice: "none", web_search_options: undefined },
  },
  {
    name: "allowed tools",
    body: {
      input,
      tools: [FUNCTION],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "look" }] },
    },
    ask: {
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "look" } }] },
      },
    },
  },
  {
    name: "what only OpenAI understands is named",
    body: {
      input,
      truncation: "auto",
      max_tool_calls: 3,
      context_management: [{ type: "compaction" }],
      client_metadata: { a: 1 },
    },
    ask: { client_metadata: undefined },
    lost: ["max_tool_calls", "context_management", "client_metadata", "truncation"],
  },
];

test.each(FIELD_ROWS)("$name", expectRow);

test("a flattened tool name clashes with no other, and is never too long", () => {
  const long = "n".repeat(60);
  const tool = (name: string) => ({ type: "function", name, parameters: {} });
  const { ask } = readRequest({
    input,
    tools: [
      { type: "namespace", name: "a", tools: [tool("b")] },
      { type: "namespace", name: "a.b", tools: [tool("c")] },
      { type: "namespace", name: long, tools: [tool("close_one"), tool("close_two")] },
      tool("a__b"),
    ],
  });
  const names = (ask.tools ?? []).map((one) => (one.type === "function" ? one.function.name : ""));
  expect(new Set(names).size).toBe(5);
  expect(names).toContain("a__b");
  for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
});

describe("the conversation's name", () => {
  test.each([
    ["a header", { "session-id": "s" }, { prompt_cache_key: "k" }, "s"],
    ["a field", {}, { prompt_cache_key: "k" }, "k"],
    ["none", {}, {}, null],
  ] as const)("%s", (_name, headers, fields, session) => {
    expect(readRequest({ input, ...fields }, headers).session).toBe(session);
  });
});
