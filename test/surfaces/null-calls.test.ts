// Calls whose arguments are `null`, as Groq and Cohere write a call without any: clients get an empty object.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { ToolCalls } from "../../src/operations/chat/answer/tool-calls.ts";
import type { ChatMessage } from "../../src/operations/chat/form.ts";
import { encoded } from "../dialects/cases/drive.ts";
import { readId } from "../providers/target.ts";
import type { ChatApi } from "../recorded/load.ts";
import { decodeAnswer, type Subject } from "../recorded/pipeline.ts";
import { subject, writeEvents } from "./interleaved.ts";
import { makeExchange, READINGS } from "./readings.ts";
import { decodePieces, STAMP, writeStream } from "./recorded.ts";

const call = (name: string, text: string) => ({
  id: `call_${name}`,
  type: "function",
  function: { name, arguments: text },
});
const CALLS = [call("one", "null"), call("two", ' {"a":null} '), call("three", "null")];
const SAID = [
  ["one", {}],
  ["two", { a: null }],
  ["three", {}],
] as const;

function chunk(delta: JsonObject, finish: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

const CHUNKS = CALLS.flatMap(({ id, function: { name, arguments: text } }, index) => [
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text.slice(0, 2) } }] }),
  chunk({ tool_calls: [{ index, function: { arguments: text.slice(2) } }] }),
]);
const CHAT_STREAM = `${writeEvents([...CHUNKS, chunk({}, "tool_calls")])}data: [DONE]\n\n`;
const CHAT = { choices: [{ index: 0, message: { tool_calls: CALLS }, finish_reason: "tool_calls" }] };

const COHERE_EVENTS = [
  ...CALLS.map((tool_calls, index) => ({
    type: "tool-call-start",
    index,
    delta: { message: { tool_calls } },
  })),
  { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
];
const COHERE = { message: { tool_calls: CALLS }, finish_reason: "TOOL_CALL" };

const ANSWERS: readonly (readonly [ChatApi, Subject, Subject])[] = [
  [
    "openai-chat",
    subject("openai-chat", true, CHAT_STREAM),
    subject("openai-chat", false, JSON.stringify(CHAT)),
  ],
  [
    "cohere-v2",
    subject("cohere-v2", true, writeEvents(COHERE_EVENTS)),
    subject("cohere-v2", false, JSON.stringify(COHERE)),
  ],
];

describe.each(ANSWERS)("from %s", (_api, streamed, whole) => {
  test("the chat form has an empty object", () => {
    for (const one of [streamed, whole]) {
      const [choice] = decodeAnswer(one).reply.choices;
      const said = choice?.message.tool_calls?.map(
        (made) => made.type === "function" && made.function.arguments,
      );
      expect(said?.map((text) => JSON.parse(String(text)))).toEqual(SAID.map(([, input]) => input));
    }
  });

  for (const [surface, reading] of Object.entries(READINGS)) {
    test(`${surface}, streamed`, async () => {
      for (const isOneByOne of [true, false]) {
        const text = writeStream(makeExchange(surface), decodePieces(streamed, null), isOneByOne);
        expect((await reading.streamed(text)).said.calls).toEqual([...SAID]);
      }
    });

    test(`${surface}, whole`, () => {
      const { reply } = decodeAnswer(whole);
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0, charged: 0 };
      const body = makeExchange(surface).whole({ ...reply, usage }, STAMP);
      expect(reading.whole(body).said.calls).toEqual([...SAID]);
    });
  }
});

describe("pieces of arguments", () => {
  const ROWS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["null is none as soon as it is whole", ["null"], ["{}"]],
    ["also with blanks around it", [" null\n", " "], ["{}", " "]],
    ["also in pieces", ["\t", "nu", "ll"], ["", "{}"]],
    ["blanks are none", [" ", "\n"], ["", "{}"]],
    ["what only begins so stays", ["n", "ot JSON"], ["", "not JSON"]],
    ["also where it ends", ["nul"], ["", "nul"]],
    ["null within an object stays", [' {"a":', "null}"], [' {"a":', "null}"]],
  ];
  test.each(ROWS)("%s", (_, given, sent) => {
    const calls = new ToolCalls(new Set(), "call_4_0");
    const [first = "", ...rest] = given;
    const pieces = [
      ...calls.push([{ index: 0, id: "a", function: { name: "f", arguments: first } }]),
      ...rest.flatMap((text) => calls.push([{ index: 0, function: { arguments: text } }])),
      ...calls.end(false),
    ];
    expect(pieces.map((piece) => piece.function?.arguments)).toEqual([...sent]);
  });

  test("a custom call's text may be null", () => {
    const calls = new ToolCalls(new Set(), "call_4_0");
    const given = { index: 0, id: "a", custom: { name: "f", input: "null" } };
    expect([...calls.push([given]), ...calls.end(false)]).toEqual([{ ...given, type: "custom" }]);
  });
});

describe("in a conversation that goes on", () => {
  const id = "abcDEF123";
  const messages: readonly ChatMessage[] = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "look", arguments: "null" } }],
    },
    { role: "tool", tool_call_id: id, content: "done" },
  ];
  test.each([
    ["Anthropic#claude-opus-5-5", '"input":{}'],
    ["Bedrock#amazon.nova-pro-v1:0", '"input":{}'],
    ["Google#gemini-3.5-flash", '"args":{}'],
    ["Groq#llama-3.3-70b-versatile", '"arguments":"null"'],
  ])("%s gets %s", (model, written) => {
    const { dialect, card } = readId(model);
    expect(JSON.stringify(encoded(dialect, { messages }, card).body)).toContain(written);
  });
});
