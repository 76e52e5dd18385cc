// Names and ids within a provider's bounds: shortened alike each time, apart from each other, and whole in answers.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import type { ChatDialect } from "../../src/dialects/dialect.ts";
import type { ChatMessage, ChatRequest, Tool } from "../../src/operations/chat/form.ts";
import { findDialect } from "../../src/providers/index.ts";
import { CHAT_NAME, encode, listNamed, type Server } from "./bound-lint.ts";
import { streamed, whole, writeStream } from "./cases/drive.ts";

const LONG = `mcp__${"a".repeat(100)}_read`;
const OTHER = `mcp__${"a".repeat(100)}_write`;
const fn = (name: string): Tool => ({ type: "function", function: { name } });
const openai = findDialect("openai");
const chat: Server = {
  label: "Local#some-model",
  dialect: { ...openai, chat: requireChat() },
  name: "some-model",
};

function requireChat(): ChatDialect["chat"] {
  if (openai.chat === undefined) throw new Error("no chat");
  return openai.chat;
}

function listSent(request: Partial<ChatRequest>) {
  const messages = request.messages ?? [{ role: "user" as const, content: "hi" }];
  const body = encode(chat, { model: "m", ...request, messages })?.body ?? {};
  return { body, ...listNamed(body) };
}

describe("shortened names", () => {
  const tools = [fn(LONG), fn(OTHER), fn("short")];

  test("are different, legal, and the same in each request", () => {
    const { names } = listSent({ tools });
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe("short");
    for (const name of names) expect(name).toMatch(CHAT_NAME);
    expect(listSent({ tools: [fn(OTHER), fn(LONG)] }).names.toSorted()).toEqual(names.slice(0, 2).toSorted());
  });

  test("give way to a tool that has one of them", () => {
    const [taken = ""] = listSent({ tools: [fn(LONG)] }).names;
    const { names } = listSent({ tools: [fn(LONG), fn(taken)] });
    expect([new Set(names).size, names[1]]).toEqual([2, taken]);
  });

  test("are whole in the answer, also that of a tool which only the history has", () => {
    const call = (name: string) => ({
      id: "c",
      type: "function" as const,
      function: { name, arguments: "{}" },
    });
    const messages: ChatMessage[] = [
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [call(OTHER)] },
      { role: "tool", tool_call_id: "c", content: "done" },
    ];
    const request = { tools: [fn(LONG)], messages };
    const { names } = listSent(request);
    expect(names.map((name) => CHAT_NAME.test(name))).toEqual([true, true]);
    // The history stands before the tools.
    for (const [at, given] of [OTHER, LONG].entries()) {
      const made = { index: 0, id: "d", type: "function", function: { name: names[at], arguments: "{}" } };
      const body = { choices: [{ index: 0, message: { tool_calls: [made] }, finish_reason: "tool_calls" }] };
      const stream = writeStream([
        { choices: [{ index: 0, delta: { tool_calls: [made] } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
        "[DONE]",
      ]);
      for (const { choices } of [whole(openai, body, request), streamed(openai, stream, request)])
        expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: given } }]);
    }
  });
});

describe("call ids", () => {
  const turn = (id: string): ChatMessage[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
      reasoning_details: [{ type: "reasoning.encrypted", data: "x", id, format: "google-gemini-v1" }],
    },
    { role: "tool", tool_call_id: id, content: "done" },
  ];

  test("of other providers are shortened, and pair a call with its result and its signature", () => {
    const ids = ["toolu_".padEnd(80, "x"), "toolu_".padEnd(81, "x"), "call_1"];
    const messages = [{ role: "user" as const, content: "hi" }, ...ids.flatMap(turn)];
    const { calls, results, body } = listSent({ messages });
    expect(results).toEqual(calls);
    expect([new Set(calls).size, calls[2]]).toEqual([3, "call_1"]);
    const details = asArray(body.messages).flatMap((one) => asArray(asObject(one).reasoning_details));
    expect(details.map((detail) => asObject(detail).id)).toEqual(calls);
  });

  test("are the same however the conversation goes on", () => {
    const first = listSent({ messages: turn("y".repeat(90)) }).calls;
    expect(listSent({ messages: [...turn("y".repeat(90)), ...turn("z".repeat(90))] }).calls[0]).toBe(
      first[0] ?? "",
    );
  });
});

test("fields of the right length leave as they came", () => {
  const metadata = { run: "v".repeat(512) };
  const { body } = listSent({ user: "u".repeat(64), metadata, tools: [fn("f".repeat(64))] });
  expect([body.user, body.metadata]).toEqual(["u".repeat(64), metadata]);
  expect(parseJson(JSON.stringify(body.tools))).toMatchObject([{ function: { name: "f".repeat(64) } }]);
});
