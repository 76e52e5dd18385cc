// Answers of Perplexity's Agent API: searches as citations, calls under the client's names, failures with status 200.
import { describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { perplexity } from "../../../src/dialects/perplexity/dialect.ts";
import { catchCode, functionTool, readMessage, streamed, whole, writeStream } from "./drive.ts";

const results = [
  { id: 1, url: "https://one.example", title: "One", snippet: "1" },
  { id: 2, url: "https://two.example", title: "Two", snippet: "2" },
];
const found = { type: "search_results", queries: ["q"], results };
const said = {
  type: "message",
  id: "m",
  content: [{ type: "output_text", text: "So it is.[2][9]", annotations: [] }],
};
const usage = {
  input_tokens: 30,
  output_tokens: 5,
  input_tokens_details: { cached_tokens: 20, cache_read_input_tokens: 20, cache_creation_input_tokens: 6 },
  tool_calls_details: { search_web: { invocation: 2 }, fetch_url: { invocation: 1 } },
};
const response = { object: "response", status: "completed", error: null, output: [found, said], usage };
const events = [
  { type: "response.created", sequence_number: 0, response: { status: "in_progress", output: [] } },
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "function_call", id: "fc", call_id: "c", name: "search_web", arguments: "{}" },
  },
  { type: "response.reasoning.search_queries", queries: ["q"], thought: "Searching the web..." },
  { type: "response.output_item.done", output_index: 0, item: found },
  { type: "response.output_item.added", output_index: 1, item: { ...said, content: null } },
  { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "So it is.[2" },
  { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "][9]" },
  { type: "response.output_text.done", output_index: 1, content_index: 0, text: "So it is.[2][9]" },
  { type: "response.output_item.done", output_index: 1, item: said },
  { type: "response.completed", response },
];

describe("answers", () => {
  test("search results become citations, whole and streamed", () => {
    const reply = whole(perplexity, response);
    expect(reply).toMatchObject({
      citations: ["https://one.example", "https://two.example"],
      search_results: results,
    });
    expect(reply.usage).toEqual({
      prompt_tokens: 30,
      completion_tokens: 5,
      total_tokens: 35,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 6 },
      server_tool_use: { web_search_requests: 2 },
    });
    const message = readMessage(reply);
    expect(message.tool_calls).toBeUndefined();
    expect(message.annotations).toEqual([
      {
        type: "url_citation",
        url_citation: {
          start_index: 9,
          end_index: 12,
          content: "2",
          url: "https://two.example",
          title: "Two",
        },
      },
    ]);
    expect(streamed(perplexity, writeStream(events))).toEqual(reply);
  });

  test("citations already in the text are not repeated", () => {
    const annotations = [
      { type: "url_citation", url: "https://own.example", title: "Own", start_index: 0, end_index: 2 },
    ];
    const own = { ...said, content: [{ type: "output_text", text: "So it is.[2]", annotations }] };
    const message = readMessage(whole(perplexity, { ...response, output: [found, own] }));
    expect(message.annotations?.map((one) => asObject(one.url_citation).url)).toEqual([
      "https://own.example",
    ]);
  });

  test("only calls of declared functions are reported, under the client's names", () => {
    const call = (name: string) => ({
      type: "function_call",
      call_id: `c_${name}`,
      name,
      arguments: '{"a":"b"}',
      thought_signature: "sig",
    });
    const item = call("client_web_search");
    const tools = [functionTool("web_search")];
    const body = { status: "requires_action", output: [call("web_search"), call("other"), item], usage };
    const reply = whole(perplexity, body, { tools });
    expect(reply.choices[0]?.finish_reason).toBe("tool_calls");
    expect(readMessage(reply).tool_calls).toEqual([
      {
        id: "c_client_web_search",
        type: "function",
        function: { name: "web_search", arguments: '{"a":"b"}' },
        extra_content: { google: { thought_signature: "sig" } },
      },
    ]);
    const stream = [
      { type: "response.output_item.added", output_index: 2, item },
      { type: "response.output_item.done", output_index: 2, item },
      { type: "response.completed", response: body },
    ];
    expect(streamed(perplexity, writeStream(stream), { tools })).toEqual(reply);
  });

  const failed = {
    status: "failed",
    output: [],
    error: { message: "Why", type: "internal_error", code: 500 },
  };
  const failures: [string, () => unknown, string][] = [
    ["failed with status 200", () => whole(perplexity, failed), "upstream_error"],
    [
      "cancelled with status 200",
      () => whole(perplexity, { status: "cancelled", output: [] }),
      "upstream_error",
    ],
    [
      "a rejected run",
      () => whole(perplexity, { ...failed, error: { message: "Bad", type: "invalid_request", code: 400 } }),
      "upstream_rejected",
    ],
    [
      "response.failed",
      () =>
        streamed(
          perplexity,
          writeStream([{ type: "response.failed", error: { message: "Why", code: 429 } }]),
        ),
      "provider_busy",
    ],
    [
      "a bare error",
      () =>
        streamed(
          perplexity,
          writeStream([{ type: "error", error: { message: "Why", type: "bad_gateway", code: 502 } }]),
        ),
      "upstream_error",
    ],
    ["an empty stream", () => streamed(perplexity, ""), "upstream_error"],
    [
      "a stream cut before its end",
      () => streamed(perplexity, writeStream(events.slice(0, -1))),
      "upstream_error",
    ],
  ];
  test.each(failures)("%s", (_what, act, code) => {
    expect(catchCode(act)).toBe(code);
  });

  test("an unknown field is named", () => {
    const said = {
      message: 'invalid request body: json: unknown field "x"',
      type: "invalid_request",
      code: 400,
      param: "x",
    };
    const fault = perplexity.explain(400, new Headers(), JSON.stringify({ error: said }), 0);
    expect([fault.code, fault.message, fault.details.shownCode]).toEqual([
      "upstream_rejected",
      said.message,
      "invalid_request",
    ]);
  });
});
