// The Responses API as an upstream: requests row by row, streams that leave things out, failures, thinking put back.
import { describe, expect, test } from "bun:test";
import type { AssistantMessage, ChatRequest } from "../../src/core/chat.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { responses } from "../../src/providers/responses/dialect.ts";
import {
  BASE,
  cardOf,
  encoded,
  faultIn,
  functionTool,
  messageOf,
  streamed,
  streamOf,
  whole,
} from "./drive.ts";

const encode = (fields: Partial<ChatRequest>, name = "gpt-5.2", output?: number) =>
  encoded(responses, fields, cardOf(name, null, output));

const schema = { type: "object", properties: {} };
const grammar = { syntax: "lark", definition: "start: /a/" };

describe("encode", () => {
  const rows: [string, string, Partial<ChatRequest>, JsonObject, string[]][] = [
    ["limits have a floor", "gpt-4o", { max_tokens: 5 }, { max_output_tokens: 16 }, ["max_tokens"]],
    [
      "limits have a ceiling",
      "gpt-4o",
      { max_completion_tokens: 900 },
      { max_output_tokens: 500 },
      ["max_completion_tokens"],
    ],
    ["sampling", "gpt-4o", { temperature: 0.2, top_p: 0.9 }, { temperature: 0.2, top_p: 0.9 }, []],
    ["sampling while reasoning", "gpt-5.2", { temperature: 0.2, top_p: 0.9 }, {}, ["temperature", "top_p"]],
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
    [
      "an effort for a model without",
      "openai/gpt-4.1",
      { reasoning_effort: "low" },
      {},
      ["reasoning_effort"],
    ],
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
    [
      "web search",
      "gpt-4o",
      {
        web_search_options: {
          search_context_size: "low",
          user_location: { type: "approximate", approximate: { city: "Bonn" } },
        },
      },
      {
        tools: [
          {
            type: "web_search",
            search_context_size: "low",
            user_location: { type: "approximate", city: "Bonn" },
          },
        ],
      },
      [],
    ],
    ["text alone", "gpt-4o", { modalities: ["text"] }, {}, []],
  ];
  test.each(rows)("%s", (_what, name, fields, body, dropped) => {
    const outgoing = encode(fields, name, 500);
    const { model, input, store, include, ...rest } = outgoing.body;
    const sealed = name.startsWith("gpt-5") || name.startsWith("gpt-7");
    const found = { ...rest, ...(store ? { store } : {}), ...(include && !sealed ? { include } : {}) };
    expect(found).toEqual(body);
    expect(outgoing.dropped).toEqual(dropped);
  });

  test("where a call goes, and what it always says", () => {
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

  test("audio has no form", () => {
    const content = [{ type: "input_audio" as const, input_audio: { data: "AA==", format: "wav" } }];
    expect(faultIn(() => encode({ messages: [{ role: "user", content }] }))).toBe("unsupported_capability");
  });
});

const added = (output_index: number, item: JsonObject) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number, item: JsonObject) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const usage = {
  input_tokens: 10,
  output_tokens: 7,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens_details: { reasoning_tokens: 3 },
};
const thought = {
  type: "reasoning",
  id: "rs_1",
  summary: [
    { type: "summary_text", text: "Sum" },
    { type: "summary_text", text: "More" },
  ],
  encrypted_content: "sealed==",
};
const text = {
  type: "output_text",
  text: "Hello",
  annotations: [{ type: "url_citation", start_index: 1, end_index: 3, url: "https://a.example", title: "A" }],
};
const message = { type: "message", id: "msg_1", role: "assistant", content: [text] };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: '{"a":"b"}' };
const response = { object: "response", status: "completed", output: [thought, message, call], usage };
const completed = { type: "response.completed", response };

const full = [
  { type: "response.created", response: { status: "in_progress", output: [] } },
  added(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "early" }),
  {
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    item_id: "rs_1",
    summary_index: 0,
    delta: "Su",
  },
  {
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    item_id: "rs_1",
    summary_index: 0,
    delta: "m",
  },
  {
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    item_id: "rs_1",
    summary_index: 1,
    delta: "More",
  },
  done(0, thought),
  added(1, { type: "message", id: "msg_1", content: [] }),
  { type: "response.output_text.delta", output_index: 1, content_index: 1, delta: "Hel", logprobs: [] },
  { type: "response.output_text.delta", output_index: 1, content_index: 1, delta: "lo" },
  {
    type: "response.output_text.annotation.added",
    output_index: 1,
    content_index: 1,
    annotation: text.annotations[0],
  },
  { type: "response.output_text.done", output_index: 1, content_index: 1, text: "Hello" },
  done(1, message),
  added(2, { ...call, arguments: "" }),
  { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"a":' },
  { type: "response.function_call_arguments.done", output_index: 2, arguments: '{"a":"b"}' },
  done(2, call),
  completed,
];

describe("answers", () => {
  const isText = ({ type }: JsonObject) =>
    String(type).includes("delta") || String(type).includes("annotation");
  const isItem = ({ type }: JsonObject) => String(type).includes("output_item");
  const streams: [string, readonly JsonObject[]][] = [
    ["told in full", full],
    ["without deltas", full.filter((event) => !isText(event))],
    [
      "with finished items only",
      full.filter((event) => !isText(event) && event.type !== "response.output_item.added"),
    ],
    ["with the last event only", [completed]],
    ["without finished items", full.filter((event) => event.type !== "response.output_item.done")],
    [
      "without a final list",
      [
        ...full.filter((event) => event !== completed),
        { type: "response.completed", response: { ...response, output: [] } },
      ],
    ],
  ];
  test.each(streams)("a stream %s gives the same reply as the whole response", (_what, events) => {
    expect(streamed(responses, streamOf(events))).toEqual(whole(responses, response));
  });

  test("the whole response", () => {
    const reply = whole(responses, response);
    expect(reply.choices[0]?.finish_reason).toBe("tool_calls");
    const detail = { format: "openai-responses-v1", id: "rs_1" };
    expect(messageOf(reply)).toEqual({
      role: "assistant",
      content: "Hello",
      refusal: null,
      reasoning_content: "Sum\n\nMore",
      reasoning_details: [
        { ...detail, type: "reasoning.summary", summary: "Sum", index: 0 },
        { ...detail, type: "reasoning.summary", summary: "More", index: 1 },
        { ...detail, type: "reasoning.encrypted", data: "sealed==", index: 2 },
      ],
      tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"a":"b"}' } }],
      annotations: [
        {
          type: "url_citation",
          url_citation: { start_index: 1, end_index: 3, url: "https://a.example", title: "A" },
        },
      ],
    });
    expect(reply.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  });

  test("a final list that leaves items out says nothing twice", () => {
    const second = { ...message, id: "msg_2", content: [{ type: "output_text", text: "And a longer one." }] };
    const events = [
      done(0, message),
      done(2, second),
      { type: "response.completed", response: { output: [message, second, message] } },
    ];
    expect(messageOf(streamed(responses, streamOf(events))).content).toBe("Hello\n\nAnd a longer one.");
  });

  test("calls of the server's own custom tools are not the client's", () => {
    const item = { type: "custom_tool_call", call_id: "c", name: "x_search", input: "q" };
    const body = {
      status: "completed",
      output: [item, { ...item, name: "mine" }, { type: "web_search_call", action: { type: "search" } }],
      usage,
    };
    const reply = whole(responses, body, { tools: [{ type: "custom", custom: { name: "mine" } }] });
    expect(messageOf(reply).tool_calls).toEqual([
      { id: "c", type: "custom", custom: { name: "mine", input: "q" } },
    ]);
    expect(reply.usage?.server_tool_use).toEqual({ web_search_requests: 1 });
  });

  const finishes: [string, JsonObject, string][] = [
    ["max_output_tokens", { incomplete_details: { reason: "max_output_tokens" } }, "length"],
    ["content_filter", { incomplete_details: { reason: "content_filter" } }, "content_filter"],
  ];
  test.each(finishes)("incomplete for %s", (_what, fields, reason) => {
    const body = { status: "incomplete", output: [message, call], ...fields };
    expect(whole(responses, body).choices[0]?.finish_reason).toBe(reason as "length");
    const events = streamOf([{ type: "response.incomplete", response: body }]);
    expect(streamed(responses, events).choices[0]?.finish_reason).toBe(reason as "length");
  });

  test("a refusal", () => {
    const body = {
      status: "completed",
      output: [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }],
    };
    expect(messageOf(whole(responses, body))).toMatchObject({ content: null, refusal: "No." });
  });

  test("log probabilities get the fields that clients require", () => {
    const logprobs = [{ token: "Hi", logprob: -0.5, top_logprobs: [{ token: "Ho", logprob: -1 }] }];
    const delta = {
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      delta: "Hi",
      logprobs,
    };
    expect(
      streamed(responses, streamOf([delta, { type: "response.completed" }])).choices[0]?.logprobs,
    ).toEqual({
      content: [
        {
          token: "Hi",
          logprob: -0.5,
          bytes: null,
          top_logprobs: [{ token: "Ho", logprob: -1, bytes: null }],
        },
      ],
      refusal: null,
    });
  });
});

describe("failures", () => {
  const error = (code: string) => ({ error: { code, message: "Why" } });
  const rows: [string, string, string][] = [
    ["an empty stream", "", "upstream_error"],
    ["a stream cut before its end", streamOf(full.slice(0, -1)), "upstream_error"],
    ["[DONE] without an end", streamOf([...full.slice(0, -1), "[DONE]"]), "upstream_error"],
    ["garbage", streamOf(["{oops"]), "upstream_error"],
    [
      "an error event, flat",
      streamOf([{ type: "error", code: "server_error", message: "Why" }]),
      "upstream_error",
    ],
    [
      "an error event, nested",
      streamOf([{ type: "error", ...error("rate_limit_exceeded") }]),
      "provider_busy",
    ],
    ["an error without a type", streamOf([error("context_length_exceeded")]), "context_length_exceeded"],
    [
      "a failed response",
      streamOf([{ type: "response.failed", response: error("insufficient_quota") }]),
      "upstream_auth",
    ],
    [
      "a rejected prompt",
      streamOf([{ type: "response.failed", response: error("invalid_prompt") }]),
      "upstream_rejected",
    ],
    ["a cancelled response", streamOf([{ type: "response.cancelled", response: {} }]), "upstream_error"],
  ];
  test.each(rows)("%s", (_what, stream, code) => {
    expect(faultIn(() => streamed(responses, stream))).toBe(code);
  });

  const bodies: [string, unknown, string][] = [
    ["failed with status 200", { status: "failed", output: [], ...error("server_error") }, "upstream_error"],
    ["an error with status 200", error("rate_limit_exceeded"), "provider_busy"],
    ["not finished", { status: "in_progress", output: [] }, "upstream_error"],
    ["not a response", { choices: [] }, "upstream_error"],
    ["nothing", undefined, "upstream_error"],
  ];
  test.each(bodies)("%s", (_what, body, code) => {
    expect(faultIn(() => whole(responses, body))).toBe(code);
  });

  test("error answers", () => {
    const said = JSON.stringify({
      error: { message: "Bad field", code: "unsupported_parameter", param: "x" },
    });
    const fault = responses.explain(400, new Headers(), said, 0);
    expect([fault.code, fault.message, fault.details.shownCode]).toEqual([
      "upstream_rejected",
      "Bad field",
      "unsupported_parameter",
    ]);
    expect(responses.explain(503, new Headers(), "<html>", 0).code).toBe("upstream_error");
    expect(responses.explain(429, new Headers({ "retry-after": "2" }), "", 0).details.retryAfterMs).toBe(
      2000,
    );
  });
});

describe("thinking over two turns", () => {
  const back = (turn: AssistantMessage, name: string) =>
    encode({ messages: [{ role: "user", content: "Hi" }, turn] }, name).body.input as JsonObject[];

  test("sealed thinking goes back as it came", () => {
    const [, ...items] = back(messageOf(whole(responses, response)), "gpt-5.2");
    expect(items[0]).toEqual(thought);
    expect(items.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test("a model that does not reason gets none", () => {
    expect(back(messageOf(whole(responses, response)), "gpt-4o").map(({ type }) => type)).not.toContain(
      "reasoning",
    );
  });

  test("raw thinking goes back to servers that show it, never to OpenAI", () => {
    const raw = {
      type: "reasoning",
      id: "r",
      summary: [],
      content: [{ type: "reasoning_text", text: "Hm" }],
    };
    const turn = messageOf(whole(responses, { status: "completed", output: [raw, message] }));
    expect(turn.reasoning_content).toBe("Hm");
    expect(back(turn, "house-1")[1]).toEqual(raw);
    expect(back(turn, "gpt-5.2").map(({ type }) => type)).not.toContain("reasoning");
  });

  test("another provider's thinking is left out", () => {
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
