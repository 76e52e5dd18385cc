// Answers of Cohere's v2 chat: blocks, plans, citations, finishes and failures, and how a turn is sent back.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { cohere } from "../../../src/dialects/cohere/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { catchCode, encoded, makeCard, readMessage, streamed, whole, writeStream } from "./drive.ts";

const REASONING = "command-a-reasoning-08-2025";
const encode = (fields: Partial<ChatRequest>, name = "command-a-03-2025") =>
  encoded(cohere, fields, makeCard(name, name === REASONING ? ["reasoning"] : []));

const place = { start: 0, end: 4, text: "Ruby", type: "TEXT_CONTENT" };
const linked = {
  ...place,
  sources: [{ type: "tool", id: "c1:0", tool_output: { url: "https://ruby.example", title: "Ruby" } }],
};
const unlinked = { ...place, sources: [{ type: "tool", id: "c1:0", tool_output: { content: "Ruby" } }] };
const planned = { ...linked, type: "PLAN" };
const call = { id: "f_abc", type: "function", function: { name: "f", arguments: '{"a":"b"}' } };
const usage = {
  billed_units: { input_tokens: 9, output_tokens: 5 },
  tokens: { input_tokens: 50, output_tokens: 8, reasoning_tokens: 3 },
  cached_tokens: 40,
};
const body = {
  id: "x",
  finish_reason: "TOOL_CALL",
  message: {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hmm" },
      { type: "text", text: "Ruby." },
    ],
    tool_plan: "Ask f.",
    tool_calls: [call],
    citations: [linked, unlinked, planned],
  },
  usage,
};
const part = (type: string, index: number, message: JsonObject) => ({ type, index, delta: { message } });
const ending = { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage } };
const events = [
  {
    type: "message-start",
    id: "x",
    delta: { message: { role: "assistant", content: [], tool_calls: [], citations: [] } },
  },
  part("content-start", 0, { content: { type: "thinking", thinking: "" } }),
  part("content-delta", 0, { content: { thinking: "Hm" } }),
  part("content-delta", 0, { content: { thinking: "m" } }),
  { type: "content-end", index: 0 },
  part("content-start", 1, { content: { type: "text", text: "Ru" } }),
  part("content-delta", 1, { content: { text: "by." } }),
  part("citation-start", 0, { citations: linked }),
  part("citation-start", 1, { citations: unlinked }),
  { type: "citation-end", index: 0 },
  part("tool-plan-delta", 0, { tool_plan: "Ask " }),
  part("tool-plan-delta", 0, { tool_plan: "f." }),
  part("tool-call-start", 0, { tool_calls: { ...call, function: { name: "f", arguments: "" } } }),
  part("tool-call-delta", 0, { tool_calls: { function: { arguments: '{"a":' } } }),
  part("tool-call-delta", 0, { tool_calls: { function: { arguments: '"b"}' } } }),
  { type: "tool-call-end", index: 0 },
  ending,
];

describe("answers", () => {
  test("blocks, plan, call, citation and usage are read, whole and streamed, with or without [DONE]", () => {
    const reply = whole(cohere, body);
    expect(readMessage(reply)).toEqual({
      role: "assistant",
      content: "Ruby.",
      refusal: null,
      reasoning_content: "Hmm\n\nAsk f.",
      parts: [
        { kind: "thinking", size: 3, details: 1, gap: 0 },
        { kind: "text", size: 5, details: 0, gap: 0 },
        { kind: "thinking", size: 8, details: 1, gap: 0 },
        { kind: "call", size: 1, details: 0, gap: 0 },
      ],
      reasoning_details: [
        { type: "reasoning.text", text: "Hmm", format: "cohere-v2-thinking", index: 0 },
        { type: "reasoning.text", text: "Ask f.", format: "cohere-v2-tool-plan", index: 1 },
      ],
      tool_calls: [{ id: "f_abc", type: "function", function: { name: "f", arguments: '{"a":"b"}' } }],
      annotations: [
        {
          type: "url_citation",
          url_citation: {
            start_index: 0,
            end_index: 4,
            document_id: "c1:0",
            url: "https://ruby.example",
            title: "Ruby",
          },
        },
        {
          type: "document_citation",
          document_citation: {
            start_index: 0,
            end_index: 4,
            content: "Ruby",
            document_id: "c1:0",
            title: "c1:0",
          },
        },
      ],
    });
    expect(reply.usage).toEqual({
      billed_units: usage.billed_units,
      prompt_tokens: 50,
      completion_tokens: 8,
      total_tokens: 58,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
    expect(streamed(cohere, writeStream([...events, "[DONE]"]))).toEqual(reply);
    expect(streamed(cohere, writeStream(events))).toEqual(reply);
  });

  const finishes = [
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop"],
    ["MAX_TOKENS", "length"],
    ["ERROR_TOXIC", "content_filter"],
  ] as const;
  test.each(finishes)("%s is %s", (finish_reason, reason) => {
    const reply = whole(cohere, { finish_reason, message: { content: [] } });
    expect(reply.choices[0]?.finish_reason).toBe(reason);
  });

  test("images are counted separately and belong to the prompt", () => {
    const tokens = { ...usage.tokens, image_tokens: 100 };
    expect(whole(cohere, { ...body, usage: { tokens } }).usage?.prompt_tokens).toBe(150);
  });

  test("billed units are used if there is no other usage", () => {
    const reply = whole(cohere, { ...body, usage: { billed_units: usage.billed_units } });
    const { billed_units } = usage;
    expect(reply.usage).toEqual({ prompt_tokens: 9, completion_tokens: 5, total_tokens: 14, billed_units });
  });

  const failures: [string, () => unknown, string][] = [
    ["an answer that failed", () => whole(cohere, { ...body, finish_reason: "ERROR" }), "upstream_error"],
    ["an error with status 200", () => whole(cohere, { message: "Why" }), "upstream_error"],
    [
      "an ending that failed",
      () =>
        streamed(
          cohere,
          writeStream([{ type: "message-end", delta: { finish_reason: "ERROR", error: "Why" } }]),
        ),
      "upstream_error",
    ],
    [
      "an ending out of time",
      () => streamed(cohere, writeStream([{ type: "message-end", delta: { finish_reason: "TIMEOUT" } }])),
      "upstream_timeout",
    ],
    [
      "an error in the stream",
      () => streamed(cohere, writeStream([...events.slice(0, 4), { id: "x", message: "Why" }])),
      "upstream_error",
    ],
    [
      "a prompt that is too long, in the stream",
      () => streamed(cohere, writeStream([{ id: "x", message: "too many tokens: at most 128000" }])),
      "context_length_exceeded",
    ],
    ["an empty stream", () => streamed(cohere, ""), "upstream_error"],
    [
      "a stream cut before its end",
      () => streamed(cohere, writeStream(events.slice(0, -1))),
      "upstream_error",
    ],
    [
      "[DONE] without an end",
      () => streamed(cohere, writeStream([...events.slice(0, -1), "[DONE]"])),
      "upstream_error",
    ],
    ["garbage", () => streamed(cohere, writeStream(["{"])), "upstream_error"],
  ];
  test.each(failures)("%s", (_what, act, code) => {
    expect(catchCode(act)).toBe(code);
  });

  test("error answers", () => {
    const said = (message: string) => JSON.stringify({ id: "x", message });
    expect(cohere.explain(400, new Headers(), said("too many tokens: size limit exceeded"), 0).code).toBe(
      "context_length_exceeded",
    );
    expect(cohere.explain(401, new Headers(), said("invalid api token"), 0).code).toBe("upstream_auth");
    expect(cohere.explain(429, new Headers(), "", 0).code).toBe("provider_busy");
    expect(cohere.explain(422, new Headers(), said("p must be at most 0.99"), 0).message).toBe(
      "p must be at most 0.99",
    );
  });
});

test("a turn's plan and thinking are sent back unchanged", () => {
  const turn = readMessage(whole(cohere, body));
  const sent = (name: string) =>
    (encode({ messages: [{ role: "user", content: "Hi" }, turn] }, name).body.messages as JsonObject[])[1];
  const shared = { role: "assistant", tool_plan: "Ask f.", tool_calls: [call] };
  expect(sent(REASONING)).toEqual({ ...shared, content: body.message.content });
  expect(sent("command-a-03-2025")).toEqual({ ...shared, content: "Ruby." });
});

test("a custom tool is a function with one string, both ways", () => {
  const tools = [{ type: "custom" as const, custom: { name: "c" } }];
  expect(encode({ tools }).body.tools).toMatchObject([{ type: "function", function: { name: "c" } }]);
  const made = { ...call, function: { name: "c", arguments: '{"input":"x"}' } };
  const answer = { ...body, message: { tool_calls: [made] } };
  expect(readMessage(whole(cohere, answer, { tools })).tool_calls).toEqual([
    { id: "f_abc", type: "custom", custom: { name: "c", input: "x" } },
  ]);
});
