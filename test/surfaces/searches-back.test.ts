// Searches of earlier turns that clients send back: to their own provider as they were, to any other as text.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { makeExchange } from "./readings.ts";
import { incoming, STAMP } from "./recorded.ts";

const CHOICE = {
  index: 0,
  finish_reason: "stop" as const,
  logprobs: null,
  message: {
    role: "assistant" as const,
    content: "It is 7.",
    refusal: null,
    web_searches: [{ queries: ["a", "b"], pages: [{ url: "https://a.example/", title: "A" }] }],
  },
};
const REPLY = { choices: [CHOICE] };
const TEXT = '[Searched the web for "a; b". Found:\n- A: https://a.example/]';

/** The answer as its client sends it back, followed by a question. */
function answer(surface: string): JsonObject {
  const body: JsonObject = JSON.parse(JSON.stringify(makeExchange(surface).whole(REPLY, STAMP)));
  return body;
}

function readMessages(content: unknown) {
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content },
    { role: "user", content: "b" },
  ];
  return ANTHROPIC_MESSAGES.read(incoming({ model: "m", max_tokens: 9, messages }));
}

describe("on Messages", () => {
  const { content } = answer("messages");

  test("the gateway's own are texts for everybody", () => {
    const { ask, raw, lost } = readMessages(content);
    const said = [
      { type: "text", text: TEXT },
      { type: "text", text: "It is 7." },
    ];
    expect(asObject(ask.messages[1]).content).toEqual(said);
    expect(asObject(asArray(raw?.body.messages)[1]).content).toEqual(said);
    expect(lost).toEqual([]);
  });

  test("Anthropic's stay what they are for Anthropic", () => {
    const own = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [
          { type: "web_search_result", url: "https://a.example/", title: "A", encrypted_content: "E" },
        ],
      },
      { type: "server_tool_use", id: "srvtoolu_2", name: "web_search", input: { query: "c" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_2",
        content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      },
    ];
    const { ask, raw } = readMessages(own);
    expect(asObject(asArray(raw?.body.messages)[1]).content).toEqual(own);
    expect(asObject(ask.messages[1]).content).toEqual([
      { type: "text", text: '[Searched the web for "a". Found:\n- A: https://a.example/]' },
      { type: "text", text: '[Searched the web for "c": max_uses_exceeded]' },
    ]);
  });
});

test("on Responses the gateway's own are texts, and OpenAI never sees them", () => {
  const { output } = answer("responses");
  const foreign = {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "c", sources: [{ type: "url", url: "https://c.example/" }] },
  };
  const input = [{ role: "user", content: "a" }, ...asArray(output), foreign, { role: "user", content: "b" }];
  const { ask, raw, lost } = OPENAI_RESPONSES.read(incoming({ model: "m", input }));
  const texts = ['[Searched the web for "a", "b"]', "It is 7."];
  const found = '[Searched the web for "c". Found:\n- https://c.example/]';
  expect(asObject(ask.messages[1]).content).toBe([...texts, found].join("\n\n"));
  const types = asArray(raw?.body.input).map((item) => asObject(item).type ?? "message");
  expect(types).toEqual(["message", "message", "web_search_call", "message"]);
  expect(asArray(raw?.body.input)[2]).toEqual(foreign);
  expect(lost).toEqual([]);
});

test("a search whose results nobody reports gets the pages that the answer cites", () => {
  const cited = { start_index: 0, end_index: 2, url: "https://z.example/", title: "Z" };
  const annotations = [{ type: "url_citation" as const, url_citation: cited }];
  const searches = [{ queries: ["a"], pages: [] }];
  const message = { ...CHOICE.message, annotations, web_searches: searches };
  const reply = { choices: [{ ...CHOICE, message }] };
  const { content } = asObject(makeExchange("messages").whole(reply, STAMP));
  const result = asArray(content)
    .map(asObject)
    .find(({ type }) => type === "web_search_tool_result");
  expect(asArray(result?.content).map((page) => asObject(page).title)).toEqual(["Z"]);
});
