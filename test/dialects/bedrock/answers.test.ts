// Answers of Converse: blocks, finishes, usage and failures, the same whole and streamed.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { bedrock } from "../../../src/dialects/bedrock/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { catchCode, streamed as decode, readMessage, whole } from "../cases/drive.ts";

type Event = readonly [name: string, data: JsonObject];

function streamed(events: readonly Event[], fields: Partial<ChatRequest> = {}) {
  const text = events.map(
    ([name, data]) => `event: ${name}\ndata: ${JSON.stringify({ ...data, p: "abc" })}\n\n`,
  );
  return decode(bedrock, text.join(""), fields);
}

const usage = {
  inputTokens: 10,
  outputTokens: 7,
  totalTokens: 22,
  cacheReadInputTokens: 3,
  cacheReadInputTokenCount: 3,
  cacheWriteInputTokens: 2,
  cacheWriteInputTokenCount: 2,
  serverToolUsage: {},
};
const counted = {
  prompt_tokens: 15,
  completion_tokens: 7,
  total_tokens: 22,
  prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
};

function answer(content: readonly object[], stopReason = "end_turn", more: object = { usage }) {
  return { output: { message: { role: "assistant", content } }, stopReason, metrics: {}, ...more };
}

const start = (contentBlockIndex: number, toolUse: object): Event => [
  "contentBlockStart",
  { contentBlockIndex, start: { toolUse } },
];
const piece = (contentBlockIndex: number, delta: object): Event => [
  "contentBlockDelta",
  { contentBlockIndex, delta },
];
const stop = (contentBlockIndex: number): Event => ["contentBlockStop", { contentBlockIndex }];
const end = (stopReason: string): Event[] => [
  ["messageStop", { stopReason }],
  ["metadata", { usage, metrics: {} }],
];
const begin: Event = ["messageStart", { role: "assistant" }];
const said = [begin, piece(0, { text: "A" }), stop(0)];

const CALL = { toolUseId: "t1", name: "f" };

test("reasoning, text and calls are blocks in order, streamed or not", () => {
  const reasoningText = { text: "Hmm.", signature: "s" };
  const reply = whole(
    bedrock,
    answer(
      [
        { reasoningContent: { reasoningText } },
        { reasoningContent: { redactedContent: "ZGF0YQ==" } },
        { text: "Hello" },
        { toolUse: { ...CALL, input: { a: 1 } } },
        { toolUse: { toolUseId: "t2", name: "g", input: {} } },
      ],
      "tool_use",
    ),
  );
  const format = "bedrock-converse-v1";
  expect(readMessage(reply)).toEqual({
    role: "assistant",
    content: "Hello",
    refusal: null,
    reasoning_content: "Hmm.",
    reasoning_details: [
      { type: "reasoning.text", text: "Hmm.", signature: "s", format, index: 0 },
      { type: "reasoning.encrypted", data: "ZGF0YQ==", format, index: 1 },
    ],
    tool_calls: [
      { id: "t1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
      { id: "t2", type: "function", function: { name: "g", arguments: "{}" } },
    ],
  });
  expect([reply.choices[0]?.finish_reason, reply.usage]).toEqual(["tool_calls", counted]);
  const events = [
    begin,
    piece(0, { reasoningContent: { text: "Hm" } }),
    piece(0, { reasoningContent: { text: "m." } }),
    piece(0, { reasoningContent: { signature: "s" } }),
    stop(0),
    piece(1, { reasoningContent: { redactedContent: "ZGF0YQ==" } }),
    stop(1),
    piece(2, { text: "Hel" }),
    piece(2, { text: "lo" }),
    stop(2),
    start(3, CALL),
    piece(3, { toolUse: { input: '{"a"' } }),
    piece(3, { toolUse: { input: ":1}" } }),
    stop(3),
    start(4, { toolUseId: "t2", name: "g" }),
    stop(4),
    ...end("tool_use"),
  ];
  expect(streamed(events)).toEqual(reply);
});

test("Nova's own tools are not reported as the client's calls, and their pages are cited", () => {
  const web = { url: "https://ruby.example/", domain: "ruby.example" };
  const own = { toolUseId: "t", name: "nova_grounding", type: "server_tool_use" };
  const reply = whole(
    bedrock,
    answer(
      [
        { toolUse: { ...own, input: { query: "x" } } },
        { toolResult: { toolUseId: "t", content: [{ text: "[HIDDEN]" }], type: "nova_grounding_result" } },
        { text: "Ruby" },
        {
          citationsContent: {
            content: [{ text: " 4" }],
            citations: [{ location: { web } }, { location: {} }],
          },
        },
      ],
      "tool_use",
    ),
  );
  const message = readMessage(reply);
  expect([message.content, message.tool_calls, reply.choices[0]?.finish_reason]).toEqual([
    "Ruby 4",
    undefined,
    "stop",
  ]);
  expect(message.annotations).toEqual([
    {
      type: "url_citation",
      url_citation: { start_index: 4, end_index: 6, url: web.url, title: "ruby.example" },
    },
  ]);
  const events: Event[] = [
    begin,
    start(0, own),
    piece(0, { toolUse: { input: '{"query":"x"}' } }),
    stop(0),
    ["contentBlockStart", { contentBlockIndex: 1, start: { toolResult: { toolUseId: "t" } } }],
    piece(1, { toolResult: [{ text: "[HIDDEN]" }] }),
    stop(1),
    piece(2, { text: "Ruby" }),
    stop(2),
    piece(3, { text: " 4" }),
    piece(3, { citation: { location: { web } } }),
    stop(3),
    ...end("tool_use"),
  ];
  expect(streamed(events)).toEqual(reply);
});

test("calls of custom tools are restored", () => {
  const tools = [{ type: "custom" as const, custom: { name: "f" } }];
  const body = answer([{ toolUse: { ...CALL, input: { input: "x" } } }], "tool_use");
  expect(readMessage(whole(bedrock, body, { tools })).tool_calls).toEqual([
    { id: "t1", type: "custom", custom: { name: "f", input: "x" } },
  ]);
});

describe("the end of an answer", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["content_filtered", "content_filter"],
    ["guardrail_intervened", "content_filter"],
    ["something_new", "stop"],
  ] as const)("%s is %s", (reason, finish) => {
    expect(whole(bedrock, answer([{ text: "A" }], reason)).choices[0]?.finish_reason).toBe(finish);
    expect(streamed([...said, ...end(reason)]).choices[0]?.finish_reason).toBe(finish);
  });

  test("needs no usage, and later events are ignored", () => {
    expect(streamed([...said, ["messageStop", { stopReason: "end_turn" }]]).usage).toBeUndefined();
    expect(readMessage(streamed([...said, ...end("end_turn"), piece(0, { text: "B" })])).content).toBe("A");
  });
});

describe("usage", () => {
  const read = (given: object) => whole(bedrock, answer([{ text: "A" }], "end_turn", { usage: given })).usage;

  test("reads cached tokens under either name, once", () => {
    const { cacheReadInputTokens: _read, cacheWriteInputTokens: _written, ...others } = usage;
    expect(read(others)).toEqual(counted);
    expect(read({ inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 4 })).toEqual({
      prompt_tokens: 5,
      completion_tokens: 2,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(read({ outputTokens: 2 })).toEqual({ prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 });
  });

  test("is ignored if malformed", () => {
    expect(read({ inputTokens: -1, outputTokens: 2 })).toBeUndefined();
    expect(read({})).toBeUndefined();
  });
});

describe("a failure", () => {
  const failures: [string, () => unknown, string][] = [
    [
      "a message that the model malformed",
      () => whole(bedrock, answer([], "malformed_tool_use")),
      "upstream_error",
    ],
    ["the same in a stream", () => streamed([...said, ...end("malformed_model_output")]), "upstream_error"],
    ["the answer has no message", () => whole(bedrock, { message: "No." }), "upstream_error"],
    ["no answer", () => whole(bedrock, []), "upstream_error"],
    ["no stop reason", () => whole(bedrock, { ...answer([]), stopReason: null }), "upstream_error"],
    ["a stream without its end", () => streamed(said), "upstream_error"],
    ["metadata without the end", () => streamed([...said, ["metadata", { usage }]]), "upstream_error"],
    ["garbage", () => decode(bedrock, "event: contentBlockDelta\ndata: {\n\n"), "upstream_error"],
  ];
  test.each(failures)("%s", (_what, act, code) => {
    expect(catchCode(act)).toBe(code);
  });
});

describe("an error answer", () => {
  const explain = (status: number, message: string, type?: string, body: object = { message }) => {
    const headers = new Headers(
      type === undefined ? {} : { "x-amzn-errortype": `${type}:http://internal.amazon.com/` },
    );
    const { code, message: shown } = bedrock.explain(status, headers, JSON.stringify(body), 0);
    return [code, shown];
  };
  const DENIED = "The provider refused the gateway's key, or its quota is used up.";

  test("is recognized by its type in a header or the body, or by its status alone", () => {
    const busy = ["provider_busy", expect.any(String)];
    expect(explain(400, "Rate exceeded", "ThrottlingException")).toEqual(busy);
    expect(explain(400, "", undefined, { __type: "com.amazon.coral.service#ThrottlingException" })).toEqual(
      busy,
    );
    expect(explain(429, "Too many requests")).toEqual(busy);
    expect(explain(400, "Over quota", "ServiceQuotaExceededException")).toEqual(busy);
    expect(explain(400, "bad", "ValidationException")).toEqual(["upstream_rejected", "bad"]);
    expect(explain(400, "", undefined, { Message: "bad" })).toEqual(["upstream_rejected", "bad"]);
    expect(explain(403, "arn:aws:iam::1:user/x is not authorized", "AccessDeniedException")).toEqual([
      "upstream_auth",
      DENIED,
    ]);
    expect(explain(400, "expired", "ExpiredTokenException")).toEqual(["upstream_auth", DENIED]);
    expect(explain(408, "late", "ModelTimeoutException")[0]).toBe("upstream_timeout");
    expect(explain(424, "failed", "ModelErrorException")[0]).toBe("upstream_error");
    expect(explain(503, "busy", "ServiceUnavailableException")[0]).toBe("upstream_error");
  });

  test("about the model or the context hides Bedrock's wording", () => {
    const codes = [
      "The provided model identifier is invalid.",
      "Invocation of model ID anthropic.claude-sonnet-5 with on-demand throughput isn’t supported.",
      "Input is too long for requested model.",
      "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds",
    ].map((message) => explain(400, message, "ValidationException")[0]);
    expect(codes).toEqual([
      "model_not_found",
      "model_not_found",
      "context_length_exceeded",
      "context_length_exceeded",
    ]);
    expect(explain(404, "gone", "ResourceNotFoundException")[0]).toBe("model_not_found");
  });
});
