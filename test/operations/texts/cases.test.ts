// The texts that masks see, case by case: keys, JSON in a text, schemas, documents, thinking with its seal, turns in parts.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ChangeText, TextPlace } from "../../../src/core/text/texts.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { listTurn } from "../../../src/operations/chat/turn.ts";
import { makeRequest } from "../../dialects/cases/drive.ts";
import { readGemini, readMessages, readResponses } from "../../surfaces/lane/native-read.ts";

const mask: ChangeText = (text) => text.replaceAll("Ada", "<P1>");

function listPlaces(map: (change: ChangeText) => unknown): readonly (readonly [string, TextPlace])[] {
  const places: (readonly [string, TextPlace])[] = [];
  map((text, place) => {
    places.push([text, place]);
    return text;
  });
  return places;
}

const call = (input: string) => [
  { id: "call_1", type: "function" as const, function: { name: "find", arguments: input } },
];
const asked = (fields: Partial<ChatRequest>) => makeRequest({ messages: [], ...fields });
const argued = (input: string) =>
  asked({ messages: [{ role: "assistant", content: null, tool_calls: call(input) }] });

describe("a call's arguments", () => {
  test.each([
    [
      "keys and values of their JSON",
      '{ "Ada": ["Ada \\u00e9"], "n": 12345678901234567890 }',
      '{ "<P1>": ["<P1> é"], "n": 12345678901234567890 }',
    ],
    ["no JSON", "find Ada", "find <P1>"],
    ["a number", "12", "12"],
    ["an escaped quote", '{"a":"\\"Ada\\""}', '{"a":"\\"<P1>\\""}'],
  ])("are texts: %s", (_what, before, after) => {
    expect(CHAT.mapTexts(argued(before), mask)).toEqual(argued(after));
  });

  test("are seen with their keys marked as such", () => {
    const places = listPlaces((change) => CHAT.mapTexts(argued('{"a":"b"}'), change));
    expect(places.map(([text, { kind, path }]) => [text, kind, path])).toEqual([
      ["find", "text", "messages[0].tool_calls[0].function.name"],
      ["a", "key", "messages[0].tool_calls[0].function.arguments"],
      ["b", "text", "messages[0].tool_calls[0].function.arguments"],
    ]);
  });
});

test("two keys that become the same one both keep their values", () => {
  const raw = readMessages({
    messages: [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "f", input: { k_2: 0, a: 1, b: 2 } }],
      },
    ],
  }).raw;
  const body = raw?.texts.mapRequest(raw.body, (text, { kind }) =>
    kind === "key" && text !== "k_2" ? "k" : text,
  );
  expect(body).toMatchObject({ messages: [{ content: [{ input: { k_2: 0, k: 1, k_3: 2 } }] }] });
});

test("a schema's property keeps one name, and its keywords are no texts", () => {
  const schema = (name: string): JsonObject => ({
    type: "object",
    properties: { [name]: { type: "string", format: "email", enum: [name], description: `of ${name}` } },
    required: [name],
    $defs: { [name]: { default: name } },
    anyOf: [{ $ref: `#/$defs/${name}` }],
  });
  const tool = (parameters: JsonObject) =>
    asked({ tools: [{ type: "function", function: { name: "f", parameters } }] });
  expect(CHAT.mapTexts(tool(schema("Ada")), mask)).toEqual(tool(schema("<P1>")));
  const seen = listPlaces((change) => CHAT.mapTexts(tool(schema("Ada")), change)).map(([text]) => text);
  expect(seen).not.toContainAnyValues(["object", "string", "email"]);
});

test.each([
  ["a text document as a data: URL", "data:text/plain;base64,QWRh", "data:text/plain;base64,PFAxPg=="],
  ["a picture", "data:image/png;base64,QWRh", "data:image/png;base64,QWRh"],
])("a file's name and %s", (_what, before, after) => {
  const file = (file_data: string, filename: string) =>
    asked({ messages: [{ role: "user", content: [{ type: "file", file: { file_data, filename } }] }] });
  expect(CHAT.mapTexts(file(before, "Ada.txt"), mask)).toEqual(file(after, "<P1>.txt"));
});

test("fields that no table lists are seen", () => {
  const ask = asked({
    documents: [{ body: "Ada" }],
    prediction: { type: "content", content: "Ada" },
    user: "Ada",
  });
  const seen = listPlaces((change) => CHAT.mapTexts(ask, change)).map(([, { path }]) => path);
  expect(seen).toEqual(["documents[0].body", "prediction.content", "user"]);
});

test("in a turn of alternating parts, each text is seen alone, and the order holds", () => {
  const details = [{ type: "reasoning.text" as const, text: "Ada?", signature: "s" }];
  const ask = asked({
    messages: [
      {
        role: "assistant",
        content: "Hello Ada.\n\nBye Ada.",
        reasoning_content: "Ada?",
        reasoning_details: details,
        tool_calls: call("{}"),
        parts: [
          { kind: "text", size: 10, details: 0, gap: 0 },
          { kind: "thinking", size: 4, details: 1, gap: 0 },
          { kind: "text", size: 8, details: 0, gap: 2 },
          { kind: "call", size: 1, details: 0, gap: 0 },
        ],
      },
    ],
  });
  const [message] = CHAT.mapTexts(ask, mask).messages;
  if (message?.role !== "assistant") throw new Error("no turn");
  const said = listTurn(message, []).map((part) => (part.kind === "text" ? part.content : part.kind));
  expect(said).toEqual(["Hello <P1>.", "thinking", "Bye <P1>.", "call"]);
  expect(message.reasoning_content).toBe("<P1>?");
});

test("token log probabilities go when they spell a changed text", () => {
  const logprobs = { content: [{ token: "Ada" }] };
  const reply = (content: string) => ({
    choices: [
      {
        index: 0,
        message: { role: "assistant" as const, content, refusal: null },
        finish_reason: "stop" as const,
        logprobs,
      },
    ],
  });
  expect(CHAT.mapReply(reply("Ada"), mask, null).choices[0]?.logprobs).toBeNull();
  expect(CHAT.mapReply(reply("Bob"), mask, null).choices[0]?.logprobs).toBe(logprobs);
});

describe("sealed thinking", () => {
  const sealed = (read: { readonly raw: ReturnType<typeof readMessages>["raw"] }) => {
    const { raw } = read;
    if (raw === null) throw new Error("translated");
    const places = listPlaces((change) => raw.texts.mapRequest(raw.body, change));
    return places.filter(([, { isSealed }]) => isSealed).map(([text, { kind }]) => [text, kind]);
  };

  test("is told apart on each native surface", () => {
    const thinking = { type: "thinking", thinking: "Ada?", signature: "c2ln" };
    const turn = { role: "assistant", content: [thinking, { type: "text", text: "Hi" }] };
    expect(sealed(readMessages({ messages: [turn] }))).toEqual([["Ada?", "thinking"]]);
    const summary = [{ type: "summary_text", text: "Ada?" }];
    const item = { type: "reasoning", id: "rs_1", summary, encrypted_content: "c2ln" };
    expect(sealed(readResponses({ input: [item, { role: "user", content: "a" }] }))).toEqual([
      ["Ada?", "thinking"],
    ]);
    const parts = [{ text: "Ada?", thought: true, thoughtSignature: "c2ln" }, { text: "Hi" }];
    expect(sealed(readGemini({ contents: [{ role: "model", parts }] }))).toEqual([["Ada?", "thinking"]]);
  });

  test("is told apart in a chat request, with the text that repeats it", () => {
    const details = [{ type: "reasoning.text" as const, text: "Ada?", signature: "s" }];
    const message = {
      role: "assistant" as const,
      content: "Hi",
      reasoning_content: "Ada?",
      reasoning_details: details,
    };
    const places = listPlaces((change) => CHAT.mapTexts(asked({ messages: [message] }), change));
    expect(places.map(([text, { kind, isSealed }]) => [text, kind, isSealed])).toEqual([
      ["Hi", "text", false],
      ["Ada?", "thinking", true],
      ["Ada?", "thinking", true],
    ]);
  });
});

describe("only a native request carries", () => {
  test.each([
    [
      "what a citation quotes",
      {
        type: "text",
        text: "a",
        citations: [{ type: "char_location", cited_text: "Ada", document_title: "a" }],
      },
    ],
    [
      "a search's results",
      {
        type: "search_result",
        source: "https://a.test",
        title: "a",
        content: [{ type: "text", text: "Ada" }],
      },
    ],
    ["a compacted conversation", { type: "compaction", content: "Ada" }],
    [
      "a server's tool results",
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "t",
        content: { type: "bash_code_execution_result", stdout: "Ada" },
      },
    ],
  ])("%s", (_what, block) => {
    const { raw } = readMessages({ messages: [{ role: "assistant", content: [block] }] });
    const body = raw?.texts.mapRequest(raw.body, mask);
    expect(JSON.stringify(body)).toContain("<P1>");
    expect(JSON.stringify(body)).not.toContain("Ada");
  });

  test.each([
    ["instructions", { instructions: "Ada" }],
    [
      "a search's queries",
      { input: [{ type: "web_search_call", id: "w", action: { type: "search", query: "Ada" } }] },
    ],
    ["a tool's free input", { input: [{ type: "custom_tool_call", call_id: "c", name: "f", input: "Ada" }] }],
    ["a tool in a namespace", { tools: [{ type: "namespace", name: "n", description: "Ada", tools: [] }] }],
    [
      "an answer's format",
      { text: { format: { type: "json_schema", name: "Ada", schema: { title: "Ada" } } } },
    ],
    [
      "an inline document",
      {
        input: [
          { role: "user", content: [{ type: "input_file", file_data: "data:text/plain;base64,QWRh" }] },
        ],
      },
    ],
  ])("%s", (_what, fields) => {
    const { raw } = readResponses(fields);
    const body = raw?.texts.mapRequest(raw.body, mask);
    expect(JSON.stringify(body)).not.toMatch(/Ada|QWRh/);
    expect(body).toMatchObject({ model: "m" });
  });
});
