// The Anthropic dialect's answers: streamed and whole, each must fold to the same reply.
import { expect, test } from "bun:test";
import { anthropic } from "../../../src/dialects/anthropic/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import {
  CLASSIC,
  close,
  type Event,
  finish,
  json,
  jsonSchema,
  makeCard,
  makeRequest,
  open,
  piece,
  start,
  streamed,
  text,
  whole,
} from "./anthropic-cases.ts";

interface Answer {
  readonly name: string;
  /** The stream between its start and its finish, and the same content as blocks of a whole message. */
  readonly events: readonly Event[];
  readonly blocks: readonly object[];
  readonly reason: string;
  readonly request?: Partial<ChatRequest>;
  readonly message: object;
  readonly finished: string;
}

const words = { type: "text", text: "" };
const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
const use = (id: string, name: string, input: object = {}) => ({ type: "tool_use", id, name, input });
const made = (id: string, name: string, given: string) => ({
  id,
  type: "function",
  function: { name, arguments: given },
});
const citation = { type: "web_search_result_location", url: "https://x", title: null, cited_text: "c" };
const cited = { start_index: 3, end_index: 8, content: "c", url: "https://x", title: "https://x" };
const page = {
  type: "page_location",
  cited_text: "p",
  document_index: 1,
  document_title: "d.pdf",
  file_id: null,
};
const paged = { ...page, start_page_number: 2, end_page_number: 3 };
const document = { start_index: 3, end_index: 8, content: "p", document_index: 1, title: "d.pdf" };

const ANSWERS: readonly Answer[] = [
  {
    name: "text, a ping, and blocks that are not the client's",
    events: [
      open(0, words),
      { type: "ping" },
      text(0, "Hel"),
      text(0, "lo"),
      close(0),
      open(1, search),
      json(1, '{"q":1}'),
      close(1),
      { type: "something_new" },
    ],
    blocks: [{ type: "text", text: "Hello" }, search],
    reason: "pause_turn",
    message: { content: "Hello", refusal: null },
    finished: "stop",
  },
  {
    name: "calls are counted apart from blocks, one has no arguments",
    events: [
      open(0, words),
      text(0, "ok"),
      close(0),
      open(1, use("t1", "f")),
      json(1, ""),
      json(1, '{"a":'),
      json(1, "1}"),
      close(1),
      open(2, use("t2", "g")),
      close(2),
    ],
    blocks: [{ type: "text", text: "ok" }, use("t1", "f", { a: 1 }), use("t2", "g")],
    reason: "tool_use",
    message: { content: "ok", tool_calls: [made("t1", "f", '{"a":1}'), made("t2", "g", "{}")] },
    finished: "tool_calls",
  },
  {
    name: "a custom tool's call",
    events: [open(0, use("t1", "sql")), json(0, '{"input":"select'), json(0, ' 1"}'), close(0)],
    blocks: [use("t1", "sql", { input: "select 1" })],
    reason: "tool_use",
    request: { tools: [{ type: "custom", custom: { name: "sql" } }] },
    message: {
      content: null,
      tool_calls: [{ id: "t1", type: "custom", custom: { name: "sql", input: "select 1" } }],
    },
    finished: "tool_calls",
  },
  {
    name: "constrained output that came as a call",
    events: [open(0, use("t1", "poundkey_output")), json(0, '{"a"'), json(0, ':"b"}'), close(0)],
    blocks: [use("t1", "poundkey_output", { a: "b" })],
    reason: "tool_use",
    request: { response_format: jsonSchema },
    message: { content: '{"a":"b"}' },
    finished: "stop",
  },
  {
    name: "citations",
    events: [
      open(0, words),
      text(0, "So "),
      close(0),
      open(1, words),
      piece(1, { type: "citations_delta", citation }),
      text(1, "it is"),
      piece(1, { type: "citations_delta", citation: paged }),
      close(1),
    ],
    blocks: [
      { type: "text", text: "So " },
      { type: "text", text: "it is", citations: [citation, paged] },
    ],
    reason: "end_turn",
    message: {
      content: "So it is",
      annotations: [
        { type: "url_citation", url_citation: cited },
        {
          type: "document_citation",
          document_citation: { ...document, location: { unit: "page", start: 2, end: 3 } },
        },
      ],
    },
    finished: "stop",
  },
  {
    name: "cut by the limit",
    events: [open(0, words), text(0, "x"), close(0)],
    blocks: [{ type: "text", text: "x" }],
    reason: "model_context_window_exceeded",
    message: { content: "x" },
    finished: "length",
  },
  {
    name: "a refusal without words",
    events: [],
    blocks: [],
    reason: "refusal",
    message: { content: null, refusal: "The model declined to answer this request." },
    finished: "content_filter",
  },
  { name: "nothing", events: [], blocks: [], reason: "end_turn", message: { content: "" }, finished: "stop" },
];

test.each(ANSWERS.map((answer) => [answer.name, answer] as const))("%s", (_name, answer) => {
  const { events, blocks, reason, request, message, finished } = answer;
  const replies = [streamed([start, ...events, ...finish(reason)], request), whole(blocks, reason, request)];
  for (const reply of replies) {
    expect(reply.choices).toHaveLength(1);
    expect(reply.choices[0]?.message).toMatchObject(message);
    expect(reply.choices[0]?.finish_reason as string).toBe(finished);
    expect(reply.usage).toEqual({
      prompt_tokens: 17,
      completion_tokens: 7,
      total_tokens: 24,
      prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  }
});

test("calls are numbered from 0, whatever blocks precede them", () => {
  const decoder = anthropic.chat.decoder(makeCard(CLASSIC), makeRequest({}));
  const events = [
    open(3, use("t1", "f")),
    close(3),
    open(7, use("t2", "g")),
    close(7),
    ...finish("tool_use"),
  ];
  const chunks = events.flatMap((event) => decoder.push({ event: "", data: JSON.stringify(event) }));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const indexes = choices.flatMap(({ delta }) => (delta.tool_calls ?? []).map(({ index }) => index));
  expect(indexes).toEqual([0, 0, 1, 1]);
  expect(choices.at(-1)?.finish_reason).toBe("tool_calls");
});

test("a refusal is explained", () => {
  const details = { stop_details: { category: "cyber", explanation: "Not this." } };
  const refused = [streamed([start, ...finish("refusal", details)]), whole([], "refusal", {}, details)];
  for (const reply of refused) expect(reply.choices[0]?.message.refusal).toBe("Not this.");
});

test("a whole message has ended, whatever its stop reason is", () => {
  for (const stop_reason of [null, ["end_turn"], 7, {}]) {
    const reply = anthropic.chat.reply(
      { type: "message", role: "assistant", content: [[{ type: "text", text: "A cat." }]], stop_reason },
      makeCard(CLASSIC),
      makeRequest({}),
      new Headers(),
    );
    expect(reply.choices.map(({ finish_reason }) => finish_reason)).toEqual(["stop"]);
  }
});

test("the server's own rounds are summed, except an advisor's, and searches are counted", () => {
  const round = { output_tokens: 1, cache_read_input_tokens: 100 };
  const iterations = [
    { ...round, type: "compaction", input_tokens: 50 },
    { ...round, type: "advisor_message", input_tokens: 9000 },
    { ...round, type: "message", input_tokens: 3 },
  ];
  const usage = {
    input_tokens: 3,
    output_tokens: 1,
    iterations,
    server_tool_use: { web_search_requests: 2 },
  };
  expect(whole([], "end_turn", {}, { usage }).usage).toMatchObject({
    prompt_tokens: 253,
    completion_tokens: 2,
    server_tool_use: { web_search_requests: 2 },
  });
});
