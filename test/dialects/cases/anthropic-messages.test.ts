// The Anthropic dialect's turns: order, merging, tool results, ids, files, prefills and cache marks.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, isObject } from "../../../src/core/json/json.ts";
import { anthropic } from "../../../src/dialects/anthropic/dialect.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import {
  CLASSIC,
  call,
  calls,
  catchFault,
  hi,
  jsonSchema,
  makeCard,
  makeRequest,
  readTurns,
  result,
  sent,
  target,
  weather,
} from "./anthropic-cases.ts";

/** The turns as `role: block | block`, each block as its text, or as its type and identifier. */
function told(messages: readonly ChatMessage[], name = CLASSIC): string[] {
  return readTurns(sent({ messages }, name)).map(({ role, content }) => {
    const blocks = asArray(content).map((one) => {
      const { type, text, id, tool_use_id } = asObject(one);
      return type === "text" ? text : `${type} ${tool_use_id ?? id}`;
    });
    return `${role}: ${blocks.join(" | ")}`;
  });
}

const said = (content: string): ChatMessage => ({ role: "assistant", content });
const texts = (...values: string[]) => values.map((text) => ({ type: "text" as const, text }));
const note = (text: string) => `<system_message>\n${text}\n</system_message>`;

const TURNS: [string, ChatMessage[], string[]][] = [
  ["same roles merge", [hi, { role: "user", content: "you" }], ["user: hi | you"]],
  ["blank text goes", [{ role: "user", content: texts(" \n", "hi") }, said(""), hi], ["user: hi | hi"]],
  ["the first is the user's", [said("Hello."), hi], ["user: Begin.", "assistant: Hello.", "user: hi"]],
  ["system alone", [{ role: "system", content: "Tell a joke." }], ["user: Begin."]],
  [
    "a later system message keeps its place",
    [hi, said("yes"), { role: "developer", content: "brief" }, hi],
    ["user: hi", "assistant: yes", `user: ${note("brief")} | hi`],
  ],
  [
    "results out of order",
    [hi, calls("a", "b"), result("b"), result("a")],
    ["user: hi", "assistant: tool_use a | tool_use b", "user: tool_result b | tool_result a"],
  ],
  [
    "results apart",
    [hi, calls("a", "b"), result("a"), { role: "user", content: "wait" }, said("ok"), result("b"), hi],
    [
      "user: hi",
      "assistant: tool_use a | tool_use b",
      "user: tool_result a | tool_result b | wait",
      "assistant: ok",
      "user: hi",
    ],
  ],
  [
    "results before text",
    [hi, calls("a"), { role: "system", content: "s" }, result("a")],
    ["user: hi", "assistant: tool_use a", `user: tool_result a | ${note("s")}`],
  ],
  [
    "illegal ids",
    [hi, calls("functions.f:0"), result("functions.f:0")],
    ["user: hi", "assistant: tool_use functions_2e_f_3a_0", "user: tool_result functions_2e_f_3a_0"],
  ],
  [
    "ids that come again",
    [hi, calls("f"), result("f"), calls("f"), result("f")],
    [
      "user: hi",
      "assistant: tool_use f",
      "user: tool_result f",
      "assistant: tool_use f_1",
      "user: tool_result f_1",
    ],
  ],
  [
    "a refusal is what was said",
    [hi, { role: "assistant", content: null, refusal: "No." }, hi],
    ["user: hi", "assistant: No.", "user: hi"],
  ],
  ["a prefill without the space at its end", [hi, said("So: ")], ["user: hi", "assistant: So:"]],
];
test.each(TURNS)("%s", (_name, messages, turns) => expect(told(messages)).toEqual(turns));

test("a prefill is converted if the model refuses it, or beside thinking or a format", () => {
  const messages = [hi, said("So:")];
  const going = "user: Go on with your last message exactly where it ends, without repeating any of it.";
  expect(told(messages, "claude-sonnet-4-6")).toEqual(["user: hi", "assistant: So:", going]);
  for (const part of [{ reasoning_effort: "low" as const }, { response_format: jsonSchema }]) {
    const outgoing = sent({ ...part, messages });
    expect(readTurns(outgoing)).toHaveLength(3);
    expect(outgoing.dropped).toEqual(["messages"]);
  }
});

const mark = { cache_control: { type: "ephemeral" } };

test("system prompt, calls, results and cache marks have their native format", () => {
  const url = "data:image/jpg;base64,AA==";
  const { body } = sent({
    messages: [
      { role: "system", content: [{ type: "text", text: "A", ...mark }] },
      { role: "developer", content: "B" },
      { role: "user", content: "hi", ...mark },
      {
        role: "assistant",
        content: "Wait.",
        tool_calls: [call("a", '{"city":"Rome"}'), call("b", "broken")],
      },
      {
        role: "tool",
        tool_call_id: "a",
        content: [
          { type: "text", text: "sun" },
          { type: "image_url", image_url: { url } },
        ],
        ...mark,
      },
      { role: "tool", tool_call_id: "b", content: "" },
    ],
    tools: [{ ...weather, ...mark }],
  });
  const image = { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AA==" } };
  expect(body.system).toEqual([
    { type: "text", text: "A", ...mark },
    { type: "text", text: "B" },
  ]);
  expect(body.tools).toMatchObject([mark]);
  expect(body.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "hi", ...mark }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Wait." },
        { type: "tool_use", id: "a", name: "weather", input: { city: "Rome" } },
        { type: "tool_use", id: "b", name: "weather", input: { arguments: "broken" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "sun" }, image], ...mark },
        { type: "tool_result", tool_use_id: "b" },
      ],
    },
  ]);
});

test("OpenAI's explicit breakpoint becomes a cache mark", () => {
  const part = { type: "text" as const, text: "hi", prompt_cache_breakpoint: { mode: "explicit" } };
  const [turn] = readTurns(sent({ messages: [{ role: "user", content: [part] }] }));
  expect(turn?.content).toEqual([{ type: "text", text: "hi", ...mark }]);
});

test("with more than four cache marks the first and the last three are kept", () => {
  const parts = (digits: string) => texts(...digits).map((part) => ({ ...part, ...mark }));
  const outgoing = sent({
    messages: [
      { role: "system", content: parts("01") },
      { role: "user", content: parts("2345") },
    ],
  });
  const kept = JSON.stringify(outgoing.body).matchAll(/"text":"(\d)","cache_control"/g);
  expect([...kept].map(([, digit]) => digit).sort()).toEqual(["0", "3", "4", "5"]);
  expect(outgoing.dropped).toEqual(["cache_control"]);
});

const pdf = { type: "base64", media_type: "application/pdf", data: "AA==" };
const FILES: [object, object][] = [
  [
    { type: "image_url", image_url: { url: "https://x/y.png" } },
    { type: "image", source: { type: "url", url: "https://x/y.png" } },
  ],
  [
    { type: "file", file: { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" } },
    { type: "document", title: "a.pdf", source: pdf },
  ],
  [
    { type: "file", file: { file_data: "AA==" } },
    { type: "document", source: pdf },
  ],
  [
    { type: "file", file: { file_data: `data:text/csv;base64,${btoa("a;b")}` } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "a;b" } },
  ],
];
test.each(FILES)("%j", (part, block) => {
  const content = [part] as ChatMessage["content"] & object;
  const [turn] = readTurns(sent({ messages: [{ role: "user", content }] }));
  expect(turn).toEqual({ role: "user", content: [block] });
});

test("audio and files that Claude can't read are refused by name", () => {
  for (const part of [
    { type: "input_audio" as const, input_audio: { data: "AA==", format: "wav" } },
    { type: "image_url" as const, image_url: { url: "data:image/svg+xml,<svg/>" } },
    { type: "file" as const, file: { file_data: "data:application/zip;base64,AA==" } },
  ]) {
    const content = [...texts("this"), part];
    const fault = catchFault(() => sent({ messages: [hi, { role: "user", content }] }));
    expect(fault.code).toBe("unsupported_capability");
    expect(fault.details.param).toBe("messages[1].content[1]");
  }
});

describe("automatic cache marks", () => {
  const asked = {
    messages: [
      { role: "system", content: "Be brief." },
      hi,
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "assistant", content: "so" },
      { role: "user", content: "and?" },
    ] satisfies ChatMessage[],
    tools: [weather, { ...weather, function: { ...weather.function, name: "other" } }],
  };
  const marksIn = (part: Partial<ChatRequest>, isMarking: boolean) => {
    const { body } = anthropic.chat.encode(makeRequest(part), makeCard(CLASSIC), {
      ...target,
      ...(isMarking ? { marks: "5m" as const } : {}),
    });
    const isMarked = (one: unknown) => isObject(one) && one.cache_control !== undefined;
    return {
      tools: asArray(body.tools).map(isMarked),
      system: asArray(body.system).map(isMarked),
      turns: asArray(body.messages).map((turn) => asArray(asObject(turn).content).map(isMarked)),
    };
  };

  test("are set on the last tool, the last system block and the last two user turns", () => {
    expect(marksIn(asked, true)).toEqual({
      tools: [false, true],
      system: [true],
      turns: [[false], [false, false], [false, true], [false], [true]],
    });
  });

  test("are not set if the operator disables them or the client sets its own", () => {
    const none = {
      tools: [false, false],
      turns: [[false], [false, false], [false, false], [false], [false]],
    };
    expect(marksIn(asked, false)).toEqual({ ...none, system: [false] });
    const system = {
      role: "system" as const,
      content: [{ type: "text" as const, text: "Be brief.", ...mark }],
    };
    const own = { ...asked, messages: [system, ...asked.messages.slice(1)] };
    expect(marksIn(own, true)).toEqual({ ...none, system: [true] });
  });
});
