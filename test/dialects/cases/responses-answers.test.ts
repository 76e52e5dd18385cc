// Answers of the Responses API: whole, streamed, streamed with gaps, incomplete, failed.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { responses } from "../../../src/dialects/responses/dialect.ts";
import { readSource } from "../../../src/operations/chat/answer/citations.ts";
import type { FinishReason } from "../../../src/operations/chat/form.ts";
import { catchCode, readMessage, streamed, whole, writeStream } from "./drive.ts";
import { thought } from "./responses-cases.ts";

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

const isText = ({ type }: JsonObject) =>
  String(type).includes("delta") || String(type).includes("annotation");
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

const finishes: [string, JsonObject, FinishReason][] = [
  ["max_output_tokens", { incomplete_details: { reason: "max_output_tokens" } }, "length"],
  ["content_filter", { incomplete_details: { reason: "content_filter" } }, "content_filter"],
];

describe("answers", () => {
  test.each(streams)("a stream %s gives the same reply as the whole response", (_what, events) => {
    expect(streamed(responses, writeStream(events))).toEqual(whole(responses, response));
  });

  test("the whole response", () => {
    const reply = whole(responses, response);
    expect(reply.choices[0]?.finish_reason).toBe("tool_calls");
    const detail = { format: "openai-responses-v1", id: "rs_1" };
    expect(readMessage(reply)).toEqual({
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

  test("a final list that omits items repeats nothing", () => {
    const second = { ...message, id: "msg_2", content: [{ type: "output_text", text: "And a longer one." }] };
    const events = [
      done(0, message),
      done(2, second),
      { type: "response.completed", response: { output: [message, second, message] } },
    ];
    expect(readMessage(streamed(responses, writeStream(events))).content).toBe("Hello\n\nAnd a longer one.");
  });

  test("citations of a later message count from its place in the content", () => {
    const body = { status: "completed", output: [{ ...message, id: "msg_0" }, message] };
    const starts = readMessage(whole(responses, body)).annotations?.map((one) => readSource(one).start_index);
    expect(starts).toEqual([1, "Hello\n\n".length + 1]);
  });

  test("files are cited by their ids, in a container or not", () => {
    const file = { file_id: "file-1", filename: "a.pdf" };
    const annotations = [
      { type: "file_citation", ...file, index: 3 },
      { type: "container_file_citation", ...file, container_id: "c", start_index: 1, end_index: 3 },
    ];
    const body = { output: [{ ...message, content: [{ ...text, annotations }] }] };
    const document = { document_id: "file-1", title: "a.pdf" };
    expect(readMessage(whole(responses, body)).annotations).toEqual([
      { type: "document_citation", document_citation: { start_index: 3, end_index: 3, ...document } },
      {
        type: "document_citation",
        document_citation: { start_index: 1, end_index: 3, container_id: "c", ...document },
      },
    ]);
  });

  test("calls of the server's own custom tools are not reported as the client's", () => {
    const item = { type: "custom_tool_call", call_id: "c", name: "x_search", input: "q" };
    const body = {
      status: "completed",
      output: [item, { ...item, name: "mine" }, { type: "web_search_call", action: { type: "search" } }],
      usage,
    };
    const reply = whole(responses, body, { tools: [{ type: "custom", custom: { name: "mine" } }] });
    expect(readMessage(reply).tool_calls).toEqual([
      { id: "c", type: "custom", custom: { name: "mine", input: "q" } },
    ]);
    expect(reply.usage?.server_tool_use).toEqual({ web_search_requests: 1 });
  });

  test.each(finishes)("incomplete for %s", (_what, fields, reason) => {
    const body = { status: "incomplete", output: [message, call], ...fields };
    expect(whole(responses, body).choices[0]?.finish_reason).toBe(reason);
    const events = writeStream([{ type: "response.incomplete", response: body }]);
    expect(streamed(responses, events).choices[0]?.finish_reason).toBe(reason);
  });

  test("a refusal", () => {
    const body = {
      status: "completed",
      output: [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }],
    };
    expect(readMessage(whole(responses, body))).toMatchObject({ content: null, refusal: "No." });
  });

  test("log probabilities get the fields required by clients", () => {
    const logprobs = [{ token: "Hi", logprob: -0.5, top_logprobs: [{ token: "Ho", logprob: -1 }] }];
    const delta = {
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      delta: "Hi",
      logprobs,
    };
    expect(
      streamed(responses, writeStream([delta, { type: "response.completed" }])).choices[0]?.logprobs,
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

const error = (code: string) => ({ error: { code, message: "Why" } });
const broken: [string, string, string][] = [
  ["an empty stream", "", "upstream_error"],
  ["a stream cut before its end", writeStream(full.slice(0, -1)), "upstream_error"],
  ["[DONE] without an end", writeStream([...full.slice(0, -1), "[DONE]"]), "upstream_error"],
  ["garbage", writeStream(["{oops"]), "upstream_error"],
  [
    "an error event, flat",
    writeStream([{ type: "error", code: "server_error", message: "Why" }]),
    "upstream_error",
  ],
  [
    "an error event, nested",
    writeStream([{ type: "error", ...error("rate_limit_exceeded") }]),
    "provider_busy",
  ],
  ["an error without a type", writeStream([error("context_length_exceeded")]), "context_length_exceeded"],
  [
    "a failed response",
    writeStream([{ type: "response.failed", response: error("insufficient_quota") }]),
    "upstream_auth",
  ],
  [
    "a rejected prompt",
    writeStream([{ type: "response.failed", response: error("invalid_prompt") }]),
    "upstream_rejected",
  ],
  ...["bio_policy", "cyber_policy", "misalignment_policy_violation", "image_content_policy_violation"].map(
    (word): [string, string, string] => [
      `a prompt that fails the check ${word}`,
      writeStream([{ type: "response.failed", response: error(word) }]),
      "content_filter",
    ],
  ),
  [
    "an error of a provider behind OpenRouter",
    writeStream([{ type: "response.failed", response: error("payment_required") }]),
    "upstream_error",
  ],
  [
    "data in another region",
    writeStream([{ type: "response.failed", response: error("data_residency_mismatch") }]),
    "upstream_rejected",
  ],
  ["a cancelled response", writeStream([{ type: "response.cancelled", response: {} }]), "upstream_error"],
];

const bodies: [string, unknown, string][] = [
  ["failed with status 200", { status: "failed", output: [], ...error("server_error") }, "upstream_error"],
  ["an error with status 200", error("rate_limit_exceeded"), "provider_busy"],
  ["not finished", { status: "in_progress", output: [] }, "upstream_error"],
  ["not a response", { choices: [] }, "upstream_error"],
  ["nothing", undefined, "upstream_error"],
];

describe("failures", () => {
  test.each(broken)("%s", (_what, stream, code) => {
    expect(catchCode(() => streamed(responses, stream))).toBe(code);
  });

  test.each(bodies)("%s", (_what, body, code) => {
    expect(catchCode(() => whole(responses, body))).toBe(code);
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
