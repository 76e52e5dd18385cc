// Answers of the OpenAI dialect as servers really send them: streams, replies, and failures in both.

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ChatRequest, CustomTool } from "../../../src/operations/chat/form.ts";
import { findChatCodec } from "../../harness/codec.ts";
import { catchCode, makeCard, makeRequest, readMessage, streamed, whole, writeStream } from "./drive.ts";
import { findProviderDialect } from "./openai-cases.ts";

const server = findProviderDialect("Local");

function chunk(delta: JsonObject, finish: string | null = null, extra: JsonObject = {}): JsonObject {
  return {
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...extra,
  };
}
const stop = chunk({}, "stop");

function read(events: readonly (JsonObject | string)[], request: Partial<ChatRequest> = {}) {
  return streamed(server, writeStream(events), request);
}

function replied(message: JsonObject, extra: JsonObject = {}, choice: JsonObject = {}) {
  const first = { index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...choice };
  return whole(server, { choices: [first], ...extra });
}

describe("thinking", () => {
  const SAID: readonly (readonly [string, JsonObject])[] = [
    ["reasoning_content", { reasoning_content: "Hm", content: null }],
    ["reasoning", { role: "assistant", content: "", reasoning: "Hm" }],
    ["both", { reasoning: "Hm", reasoning_content: "Hm" }],
    ["details alone", { reasoning_details: [{ type: "reasoning.text", text: "Hm" }] }],
    ["parts of the content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] }],
  ];
  for (const [form, delta] of SAID) {
    test(`as ${form} becomes reasoning_content, streamed or not`, () => {
      const stream = readMessage(read([chunk(delta), chunk({ content: "<think>x" }), stop, "[DONE]"]));
      expect(stream).toMatchObject({ reasoning_content: "Hm", content: "<think>x" });
      expect(readMessage(replied(delta)).reasoning_content).toBe("Hm");
    });
  }

  test("with signatures is kept unchanged", () => {
    const part = { type: "reasoning.text", index: 0, format: "anthropic-claude-v1" };
    const first = chunk({ reasoning: "A", reasoning_details: [{ ...part, text: "A" }] });
    const last = chunk({ reasoning_details: [{ ...part, signature: "s1+/=" }] });
    const { reasoning_details: details } = readMessage(read([first, last, chunk({ content: "b" }), stop]));
    expect(details).toEqual([{ ...part, type: "reasoning.text", text: "A", signature: "s1+/=" }]);
  });
});

test("non-text in text fields is dropped, streamed or not", () => {
  for (const odd of [1.5, true, {}, [[]]]) {
    const delta = { content: "b", reasoning_content: odd, refusal: odd };
    const stream = readMessage(read([chunk(delta), stop, "[DONE]"]));
    for (const message of [stream, readMessage(replied(delta))]) {
      expect(message).toMatchObject({ content: "b" });
      expect([message.reasoning_content, message.refusal ?? undefined]).toEqual([undefined, undefined]);
    }
  }
});

describe("tool calls", () => {
  const made = (name: string, text: unknown) => ({ name, arguments: text });
  const CALLS: readonly (readonly [string, readonly JsonObject[]])[] = [
    [
      "fragments",
      [
        { index: 0, id: "a", type: "function", function: made("f", "") },
        { index: 0, function: { arguments: '{"x":1}' } },
      ],
    ],
    [
      "empty ids and null names later",
      [
        { index: 0, id: "a", function: made("f", '{"x"') },
        { index: 0, id: "", function: { name: null, arguments: ":1}" } },
      ],
    ],
    ["no index, no type", [{ id: "a", function: made("f", '{"x":1}') }]],
    ["arguments as an object", [{ index: 0, id: "a", type: "function", function: made("f", { x: 1 }) }]],
  ];
  const expected = [{ id: "a", type: "function", function: made("f", '{"x":1}') }];
  for (const [form, fragments] of CALLS) {
    test(`as ${form}`, () => {
      const chunks = fragments.map((call) => chunk({ tool_calls: [call] }));
      const reply = read([...chunks, chunk({ tool_calls: null }), chunk({}, "tool_calls")]);
      expect<unknown>(readMessage(reply).tool_calls).toEqual(expected);
      expect(reply.choices[0]?.finish_reason).toBe("tool_calls");
    });
  }

  test("in parallel, with index 0 or none, stay separate", () => {
    for (const index of [0, undefined]) {
      const call = (id: string) =>
        chunk({ tool_calls: [{ index, id, function: made(index === 0 ? "f" : `f_${id}`, "{}") }] });
      const { tool_calls: calls } = readMessage(read([call("a"), call("b"), chunk({}, "stop")]));
      expect(calls?.map(({ id }) => id)).toEqual(["a", "b"]);
      const decoder = findChatCodec(server).decoder(makeCard("any", null), makeRequest({}));
      const chunks = ["a", "b"].flatMap((id) => decoder.push({ event: "", data: JSON.stringify(call(id)) }));
      expect(chunks.map(({ choices }) => choices[0]?.delta.tool_calls?.[0]?.index)).toEqual([0, 1]);
    }
  });

  test("in the format before tools are read", () => {
    const old = replied(
      { content: null, function_call: made("f", '{"x":1}') },
      {},
      { finish_reason: "function_call" },
    );
    expect(readMessage(old).tool_calls).toMatchObject([{ function: made("f", '{"x":1}') }]);
    const fragments = [
      chunk({ function_call: made("f", "") }),
      chunk({ function_call: { arguments: '{"x":1}' } }),
    ];
    const stream = read([...fragments, chunk({}, "function_call")]);
    expect(readMessage(stream).tool_calls).toMatchObject([{ function: made("f", '{"x":1}') }]);
    expect([old, stream].map(({ choices }) => choices[0]?.finish_reason)).toEqual([
      "tool_calls",
      "tool_calls",
    ]);
  });

  test("of custom tools are restored if functions stood in for them", () => {
    const tool: CustomTool = { type: "custom", custom: { name: "shell" } };
    const first = { index: 0, id: "a", type: "function", function: made("shell", '{"in') };
    const rest = { index: 0, function: { arguments: 'put":"ls -l"}' } };
    const stream = read(
      [chunk({ tool_calls: [first] }), chunk({ tool_calls: [rest] }), chunk({}, "tool_calls")],
      {
        tools: [tool],
      },
    );
    const calls = [{ id: "a", type: "custom", custom: { name: "shell", input: "ls -l" } }];
    expect<unknown>(readMessage(stream).tool_calls).toEqual(calls);
    const message = { tool_calls: [{ ...first, function: made("shell", '{"input":"ls -l"}') }] };
    const reply = whole(server, { choices: [{ message, finish_reason: "tool_calls" }] }, { tools: [tool] });
    expect<unknown>(readMessage(reply).tool_calls).toEqual(calls);
  });
});

describe("usage", () => {
  const counted = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const USAGES: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ["plain", counted, counted],
    [
      "DeepSeek's cache",
      { ...counted, prompt_cache_hit_tokens: 4 },
      { prompt_tokens_details: { cached_tokens: 4 } },
    ],
    ["cache at the top", { ...counted, cached_tokens: 4 }, { prompt_tokens_details: { cached_tokens: 4 } }],
    [
      "xAI's thinking beside the completion",
      {
        ...counted,
        total_tokens: 35,
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: null },
      },
      { completion_tokens: 25, total_tokens: 35, completion_tokens_details: { reasoning_tokens: 20 } },
    ],
    [
      "Gemini's unsaid thinking",
      { ...counted, total_tokens: 35 },
      { completion_tokens: 25, completion_tokens_details: { reasoning_tokens: 20 } },
    ],
    [
      "Vercel's thinking in no sum",
      { ...counted, completion_tokens_details: { reasoning_tokens: 9 } },
      { completion_tokens: 14, total_tokens: 24 },
    ],
    [
      "Mistral's audio beside the prompt",
      { ...counted, total_tokens: 22, prompt_tokens_details: { audio_tokens: 7 } },
      { prompt_tokens: 17, completion_tokens: 5 },
    ],
    ["xAI's sources", { ...counted, num_sources_used: 3 }, { server_tool_use: { web_search_requests: 3 } }],
    [
      "Sonar's queries",
      { ...counted, num_search_queries: 2 },
      { server_tool_use: { web_search_requests: 2 } },
    ],
  ];
  for (const [form, usage, expected] of USAGES) {
    test(form, () => {
      expect(replied({ content: "x" }, { usage }).usage).toMatchObject(expected);
      expect(read([chunk({ content: "x" }), stop, { choices: [], usage }]).usage).toMatchObject(expected);
    });
  }

  test("is found where Groq and Moonshot put it, and never added up", () => {
    expect(read([stop, chunk({}, null, { x_groq: { usage: counted } })]).usage).toEqual(counted);
    const inChoice = { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: counted }] };
    expect(read([inChoice, { choices: [], usage: counted }]).usage).toEqual(counted);
    expect(read([inChoice]).usage).toEqual(counted);
  });
});

test("unknown finish reasons", () => {
  const FINISHES = { eos: "stop", sensitive: "content_filter", model_length: "length", whatever: "stop" };
  for (const [said, expected] of Object.entries(FINISHES)) {
    expect<unknown>(read([chunk({ content: "x" }), chunk({}, said)]).choices[0]?.finish_reason).toBe(
      expected,
    );
    expect<unknown>(replied({ content: "x" }, {}, { finish_reason: said }).choices[0]?.finish_reason).toBe(
      expected,
    );
  }
  const old = replied(
    { content: "x" },
    {},
    { finish_reason: undefined, finish_details: { type: "max_tokens" } },
  );
  expect(old.choices[0]?.finish_reason).toBe("length");
});

test("sources beside the choices become annotations once", () => {
  const sources = {
    citations: ["https://a.example/", ""],
    search_results: [{ url: "https://a.example/", title: "A", snippet: "a" }],
  };
  const citation = { start_index: 0, end_index: 0, content: "a", url: "https://a.example/", title: "A" };
  const annotations = [{ type: "url_citation", url_citation: citation }];
  const both = { message: { content: "x so far" }, delta: { content: "x" } };
  const sonar = { ...sources, choices: [{ index: 0, finish_reason: null, ...both }] };
  const stream = readMessage(read([sonar, sonar, { ...stop, ...sources }]));
  expect<unknown>(stream).toMatchObject({ content: "xx", annotations });
  expect<unknown>(readMessage(read([stop, { choices: [], ...sources }])).annotations).toEqual(annotations);
  expect<unknown>(readMessage(replied({ content: "x" }, sources)).annotations).toEqual(annotations);
});

describe("the end of a stream", () => {
  const text = chunk({ content: "x" });
  const usage = { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  const idle = { usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 } };
  const counted = { choices: [], ...usage };
  const STREAMS: readonly (readonly [string, readonly (JsonObject | string)[], string])[] = [
    ["[DONE] may be missing", [text, stop], "none"],
    ["[DONE] alone ends nothing", [text, "[DONE]"], "upstream_error"],
    ["[DONE] ends what has no reason, if its tokens were counted last", [text, counted, "[DONE]"], "none"],
    ["a count alone ends nothing", [text, counted], "upstream_error"],
    ["a count beside text ends nothing", [chunk({ content: "x" }, null, usage), "[DONE]"], "upstream_error"],
    ["a count of nothing ends nothing", [text, { ...counted, ...idle }, "[DONE]"], "upstream_error"],
    ["nothing came", [], "upstream_error"],
    ["only filters came", [{ choices: [], prompt_filter_results: [] }, "[DONE]"], "upstream_error"],
    [
      "one of two choices ended",
      [
        {
          choices: [
            { index: 0, delta: {} },
            { index: 1, delta: {}, finish_reason: "stop" },
          ],
        },
      ],
      "upstream_error",
    ],
    ["no JSON", [text, "{oops", stop], "upstream_error"],
    ["blank data is passed over", [text, " ", stop], "none"],
    [
      "an error",
      [text, { error: { message: "The server had an error", type: "server_error" } }],
      "upstream_error",
    ],
    [
      "an error after the finish",
      [text, stop, { error: { message: "Overloaded", type: "overloaded_error" } }],
      "provider_busy",
    ],
    [
      "an error beside a choice",
      [text, { ...chunk({}, "error"), error: { code: 429, message: "Slow down" } }],
      "provider_busy",
    ],
    [
      "an error that is the whole event",
      [text, { object: "error", message: "Bad", code: 400 }],
      "upstream_rejected",
    ],
    ["xAI's error", [text, { code: "unavailable", error: "No capacity" }], "upstream_error"],
    ["a failing finish", [text, chunk({}, "insufficient_system_resource")], "upstream_error"],
  ];
  for (const [name, events, fault] of STREAMS) {
    test(name, () => expect(catchCode(() => read(events))).toBe(fault));
  }

  test("a finish that is missing before [DONE] is made up from the answer", () => {
    const call = { index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    for (const [delta, finish] of [
      [{ content: "x" }, "stop"],
      [{ tool_calls: [call] }, "tool_calls"],
    ] as const) {
      const reply = read([chunk(delta), chunk({ content: "" }, null, usage), "[DONE]"]);
      expect(reply.choices[0]?.finish_reason).toBe(finish);
    }
  });
});
