// Chat requests translated into calls to Perplexity's Agent API: Sonar's presets, strict bodies, renamed functions.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { perplexity } from "../../../src/dialects/perplexity/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { BASE, catchCode, encoded, functionTool, makeCard } from "./drive.ts";

const encode = (fields: Partial<ChatRequest>, name = "sonar") =>
  encoded(perplexity, fields, makeCard(name, null));

const sonar = { model: "perplexity/sonar" };
const search = { type: "web_search" };
const forced = { tools: [search], tool_choice: search };
const { parameters } = functionTool("f").function;
const sent = (name: string) => ({ type: "function", name, parameters, strict: false });
const schema = { type: "json_schema" as const, json_schema: { name: "n", schema: parameters } };

const calls: [string, string, Partial<ChatRequest>, JsonObject, string[]][] = [
  ["sonar", "sonar", {}, { ...sonar, ...forced }, []],
  ["sonar-pro", "sonar-pro", {}, { preset: "low" }, []],
  [
    "sonar-reasoning-pro",
    "sonar-reasoning-pro",
    { reasoning_effort: "high" },
    { preset: "low", reasoning: { effort: "high" } },
    [],
  ],
  ["sonar-deep-research", "sonar-deep-research", {}, { preset: "medium" }, []],
  ["a preset by name", "pro-search", {}, { preset: "pro-search" }, []],
  ["a slug", "openai/gpt-6", {}, { model: "openai/gpt-6" }, []],
  [
    "a slug that needs a limit",
    "anthropic/claude-x",
    {},
    { model: "anthropic/claude-x", max_output_tokens: 32000 },
    [],
  ],
  ["a name to come", "sonar-2", {}, { model: "perplexity/sonar-2", ...forced }, []],
  ["a name of an object's own", "constructor", {}, { model: "perplexity/constructor", ...forced }, []],
  [
    "a small limit",
    "sonar",
    { max_tokens: 3 },
    { ...sonar, ...forced, max_output_tokens: 16 },
    ["max_tokens"],
  ],
  [
    "what is refused",
    "openai/gpt-6",
    { stop: ["a"], seed: 1, n: 1, presence_penalty: 1, logprobs: true, user: "u", return_images: true },
    { model: "openai/gpt-6" },
    ["stop", "seed", "presence_penalty", "logprobs", "user", "return_images"],
  ],
  [
    "the lowest effort",
    "openai/gpt-6",
    { reasoning_effort: "none" },
    { model: "openai/gpt-6", reasoning: { effort: "minimal" } },
    ["reasoning_effort"],
  ],
  [
    "a schema",
    "openai/gpt-6",
    { response_format: schema },
    { model: "openai/gpt-6", response_format: schema },
    [],
  ],
  [
    "JSON without a schema",
    "openai/gpt-6",
    { response_format: { type: "json_object" } },
    { model: "openai/gpt-6" },
    ["response_format"],
  ],
  [
    "tools beside the search",
    "sonar",
    { tools: [functionTool("f")] },
    { ...sonar, tools: [search, sent("f")] },
    [],
  ],
  [
    "a forced call",
    "sonar",
    { tools: [functionTool("f")], tool_choice: { type: "function", function: { name: "f" } } },
    { ...sonar, tools: [sent("f")], tool_choice: { name: "f" } },
    [],
  ],
  ["no calls", "sonar", { tools: [functionTool("f")], tool_choice: "none" }, { ...sonar, ...forced }, []],
  [
    "no calls, a slug",
    "x/y",
    { tools: [functionTool("f")], tool_choice: "none" },
    { model: "x/y", tools: [sent("f")], tool_choice: "none" },
    [],
  ],
  [
    "a reserved name",
    "x/y",
    { tools: [functionTool("web_search"), functionTool("search_files")] },
    { model: "x/y", tools: [sent("client_web_search"), sent("client_search_files")] },
    [],
  ],
  ["no search", "sonar", { disable_search: true }, sonar, []],
  ["no search, a preset", "sonar-pro", { disable_search: true }, { preset: "low", max_tool_calls: 0 }, []],
];

test.each(calls)("%s", (_what, name, fields, body, dropped) => {
  const outgoing = encode(fields, name);
  const { input, ...rest } = outgoing.body;
  expect(rest).toEqual(body);
  expect(outgoing.dropped).toEqual(dropped);
});

test("search options become the tool's options", () => {
  const { body, dropped } = encode({
    search_domain_filter: ["https://a.example", "-b.example"],
    search_recency_filter: "week",
    num_search_results: 99,
    web_search_options: {
      search_context_size: "high",
      search_type: "pro",
      user_location: { type: "approximate", approximate: { country: "DE", timezone: "Europe/Berlin" } },
    },
  });
  expect(body.tools).toEqual([
    {
      type: "web_search",
      filters: { search_recency_filter: "week", search_domain_filter: ["a.example", "-b.example"] },
      search_context_size: "high",
      user_location: { country: "DE" },
      max_results: 50,
    },
  ]);
  expect(dropped).toEqual(["web_search_options.search_type"]);
});

test("the conversation contains nothing unknown to the API", () => {
  const { url, headers, body } = encode(
    {
      stream: true,
      messages: [
        { role: "system", content: "Be kind", name: "s" },
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "https://x.example/a.png", detail: "low" } }],
        },
        {
          role: "assistant",
          content: [{ type: "text", text: "Well" }],
          reasoning_content: "Hm",
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "fetch_url", arguments: "{}" },
              extra_content: { google: { thought_signature: "sig" } },
            },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "out" }] },
      ],
    },
    "google/gemini-4",
  );
  expect(url).toBe(`${BASE}/agent`);
  expect(headers).toEqual({ authorization: "Bearer s3cret", "x-team": "7" });
  expect(body).toEqual({
    model: "google/gemini-4",
    stream: true,
    input: [
      { type: "message", role: "system", content: "Be kind" },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: "https://x.example/a.png" }],
      },
      { type: "message", role: "assistant", content: "Well" },
      {
        type: "function_call",
        call_id: "c1",
        name: "client_fetch_url",
        arguments: "{}",
        thought_signature: "sig",
      },
      { type: "function_call_output", call_id: "c1", name: "client_fetch_url", output: "out" },
    ],
  });
});

test("files are refused", () => {
  const content = [{ type: "file" as const, file: { file_data: "AA==" } }];
  expect(catchCode(() => encode({ messages: [{ role: "user", content }] }))).toBe("unsupported_capability");
});
