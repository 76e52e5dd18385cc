// Contents of earlier turns that a translation has no place for: they are named, and what has a place is carried.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ChatMessage } from "../../src/operations/chat/form.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { encoded } from "../dialects/cases/drive.ts";
import { readId } from "../providers/target.ts";
import { incoming } from "./recorded.ts";

const question = { role: "user", content: "Well?" };

function readMessages(...messages: readonly JsonObject[]) {
  const { ask, lost } = ANTHROPIC_MESSAGES.read(incoming({ model: "m", max_tokens: 10, messages }));
  return { messages: ask.messages.map(asObject), lost };
}

describe("messages", () => {
  const source = { type: "base64", media_type: "image/png", data: "aGk=" };
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
  const mark = { cache_control: { type: "ephemeral" } };

  test("a document of blocks keeps its pictures between its texts, and its mark", () => {
    const pages = [
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
      { type: "image", source },
      { type: "text", text: "Three." },
    ];
    const document = (content: unknown) => ({
      type: "document",
      title: "T",
      source: { type: "content", content },
      ...mark,
    });
    const { messages, lost } = readMessages({ role: "user", content: [document(pages)] });
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "T\n\nOne.\n\nTwo." },
      picture,
      { type: "text", text: "Three.", ...mark },
    ]);
    expect(lost).toEqual([]);
    const plain = readMessages({ role: "user", content: [document("One.")] });
    expect(plain.messages[0]?.content).toEqual([{ type: "text", text: "T\n\nOne.", ...mark }]);
    const last = readMessages({ role: "user", content: [document([{ type: "image", source }])] });
    expect(last.messages[0]?.content).toEqual([
      { type: "text", text: "T" },
      { ...picture, ...mark },
    ]);
  });

  test("what Anthropic ran for itself is named, block by block, and a search is a text", () => {
    const ran = (name: string) => ({ type: "server_tool_use", id: `s_${name}`, name, input: {} });
    const result = (name: string) => ({
      type: `${name}_tool_result`,
      tool_use_id: `s_${name}`,
      content: [],
    });
    const { messages, lost } = readMessages(
      question,
      {
        role: "assistant",
        content: [
          ran("code_execution"),
          result("code_execution"),
          ran("web_fetch"),
          result("web_fetch"),
          ran("web_search"),
          result("web_search"),
          { type: "text", text: "So." },
        ],
      },
      question,
    );
    expect(lost).toEqual([0, 1, 2, 3].map((at) => `messages[1].content[${at}]`));
    expect(JSON.stringify(messages[1])).toContain("So.");
  });
});

describe("gemini", () => {
  const read = (...parts: readonly JsonObject[]) =>
    GEMINI.read(
      incoming(
        {
          contents: [
            { role: "user", parts: [{ text: "Draw." }] },
            { role: "model", parts },
            { role: "user", parts: [{ text: "Again." }] },
          ],
        },
        "/v1beta/models/m:generateContent",
      ),
    );

  test.each<[string, JsonObject]>([
    ["a picture", { inlineData: { mimeType: "image/png", data: "aGk=" } }],
    ["code", { executableCode: { language: "PYTHON", code: "1+1" } }],
    ["its result", { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }],
  ])("%s in a model's turn is named", (_, part) => {
    const { ask, lost, unreadBytes } = read({ text: "Here." }, part);
    expect(lost).toEqual(["contents[1].parts[1]"]);
    expect(asObject(ask.messages[1])).toEqual({ role: "assistant", content: "Here." });
    // The native lane sends it, and holds for it.
    expect(unreadBytes).toBeGreaterThan(0);
  });

  test("a signature alone is no such part", () => {
    expect(read({ text: "Here." }, { thoughtSignature: "c2ln" }).lost).toEqual([]);
  });
});

describe("names", () => {
  const send = (id: string, messages: readonly ChatMessage[]) => {
    const { dialect, card } = readId(id);
    return encoded(dialect, { messages }, card);
  };
  const vote: readonly ChatMessage[] = [
    { role: "user", name: "alice", content: "Yes." },
    { role: "user", name: "bob", content: "No." },
  ];

  test.each([
    "Anthropic#claude-sonnet-4-5",
    "Google#gemini-2.5-flash",
    "Mistral#mistral-medium-latest",
    "Cohere#command-a-03-2025",
    "Perplexity#sonar",
    "Bedrock#amazon.nova-pro-v1:0",
    "Groq#llama",
  ])("of participants are named where %s has no place for them", (id) => {
    const { body, dropped } = send(id, vote);
    const isSent = JSON.stringify(body).includes("alice");
    expect(dropped).toEqual(isSent ? [] : ["messages.name"]);
    expect(send(id, [{ role: "user", content: "Yes." }]).dropped).toEqual([]);
  });

  test("OpenAI's chat API has one", () => {
    const { body, dropped } = send("Local#any", vote);
    expect(JSON.stringify(body)).toContain('"name":"bob"');
    expect(dropped).toEqual([]);
  });
});

describe("an answer that the client began", () => {
  const counting = (marks: JsonObject): readonly ChatMessage[] => [
    { role: "user", content: "Count." },
    { role: "assistant", content: "One, two,", ...marks },
  ];
  const send = (id: string, marks: JsonObject = {}) => {
    const { dialect, card } = readId(id);
    return encoded(dialect, { messages: counting(marks) }, card);
  };

  test.each([
    ["Anthropic#claude-sonnet-4-5", []],
    ["Anthropic#claude-opus-4-7", ["messages"]],
    ["Google#gemini-2.5-flash", []],
    ["Google#gemini-3.7-flash", ["messages"]],
    ["Mistral#mistral-medium-latest", []],
  ])("is continued by %s, and named if the model is asked for it in words", (id, names) => {
    expect(send(id).dropped).toEqual(names);
    expect(send(id, { prefix: true }).dropped).toEqual(names);
  });

  test.each(["OpenAI#gpt-4o", "Groq#llama", "Cohere#command-a-03-2025", "Perplexity#sonar", "xAI#grok-4"])(
    "%s has no mark for it, so a mark is named",
    (id) => {
      for (const mark of ["prefix", "partial"]) {
        const { body, dropped } = send(id, { [mark]: true });
        expect(JSON.stringify(body)).not.toContain(mark);
        expect(dropped).toEqual([`messages.${mark}`]);
      }
      expect(send(id).dropped).toEqual([]);
    },
  );

  test.each([
    ["Local#any", "prefix"],
    ["Moonshot#kimi-k2.6", "partial"],
    ["Qwen#qwen3-max", "partial"],
  ])("%s gets the mark '%s'", (id, mark) => {
    const { body, dropped } = send(id, { [mark]: true });
    expect(JSON.stringify(body)).toContain(`"${mark}":true`);
    expect(dropped).toEqual([]);
  });

  test("is named as the client's API calls it", () => {
    const responses = OPENAI_RESPONSES.read(incoming({ model: "m", input: "x" }));
    const gemini = GEMINI.read(incoming({ contents: [{ parts: [] }] }, "/v1beta/models/m:generateContent"));
    expect([responses.names?.messages, gemini.names?.messages]).toEqual(["input", "contents"]);
  });
});
