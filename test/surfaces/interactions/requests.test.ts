// Requests for interactions: what is read of them, what is named as left out, and what is refused with which words.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { readInteraction } from "./interactions-read.ts";

const TOOL = { type: "function", name: "look", parameters: { type: "object" } };
const OTHER = { type: "function", name: "find" };
const CALL = { type: "function_call", id: "c1", name: "look", arguments: { city: "Oslo" } };
const RESULT = { type: "function_result", call_id: "c1", result: "rain" };
const ASKED = { type: "user_input", content: [{ type: "text", text: "a" }] };
const IMAGE = { type: "image", mime_type: "image/png", data: "aGk=" };

function refuse(body: JsonObject, more: Parameters<typeof readInteraction>[1] = {}): Fault {
  try {
    readInteraction(body, more);
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("The request was taken.");
}

/** A body, the code of its refusal, the field that it names, and words of its message. */
const REFUSED: readonly (readonly [body: JsonObject, code: string, param: string, words: RegExp])[] = [
  [{ agent: "deep-research" }, "unsupported_parameter", "agent", /Name a 'model'/],
  [{ environment: "e" }, "unsupported_parameter", "environment", /on your side/],
  [{ cached_content: "c" }, "unsupported_parameter", "cached_content", /Send the content itself/],
  [{ continuation_token: "t" }, "unsupported_parameter", "continuation_token", /as steps in 'input'/],
  [{ background: true }, "unsupported_parameter", "background", /stream: true/],
  [{ previous_interaction_id: "int_1" }, "unsupported_parameter", "previous_interaction_id", /store: false/],
  [{ input: [] }, "empty_array", "input", /empty array/],
  [{ input: undefined, contents: [] }, "missing_required_parameter", "input", /:generateContent/],
  [
    { input: [{ role: "user", content: "a" }] },
    "invalid_value",
    "input[0].role",
    /'user_input'.*2\.0|2\.0.*'user_input'/,
  ],
  [{ input: [ASKED, { type: "text", text: "b" }] }, "invalid_value", "input[1]", /'user_input'/],
  [{ input: [{ text: "a" }] }, "missing_required_parameter", "input[0].type", /type/],
  [{ input: [{ type: "user_inputs" }] }, "unsupported_capability", "input[0].type", /'user_inputs'/],
  [{ input: [{ type: "user_input", content: [] }] }, "empty_array", "input[0].content", /empty/],
  [{ input: [{ type: "text" }] }, "missing_required_parameter", "input[0].text", /text/],
  [{ input: [{ type: "image", data: "aGk=" }] }, "missing_required_parameter", "input[0].mime_type", /mime/],
  [{ input: [{ ...IMAGE, mime_type: "audio/wav" }] }, "invalid_value", "input[0].mime_type", /'image'/],
  [{ input: [{ type: "image", uri: "files/1" }] }, "unsupported_parameter", "input[0].uri", /https:/],
  [{ input: [{ type: "video", uri: "gs://b/1" }] }, "unsupported_parameter", "input[0].uri", /https:/],
  [
    { input: { type: "document", uri: "https://generativelanguage.googleapis.com/v1beta/files/1" } },
    "unsupported_parameter",
    "input.uri",
    /provider's account/,
  ],
  [{ input: [ASKED, RESULT] }, "invalid_value", "input[1].call_id", /'c1'/],
  [{ input: [ASKED, CALL] }, "invalid_value", "input", /'c1'/],
  [{ input: [ASKED, CALL, RESULT, RESULT] }, "invalid_value", "input[3].call_id", /'c1'/],
  [{ input: [ASKED, { ...CALL, arguments: "{}" }] }, "invalid_type", "input[1].arguments", /object/],
  [{ input: [ASKED, { ...CALL, id: undefined }] }, "missing_required_parameter", "input[1].id", /id/],
  [
    { generation_config: { temperature: 3 } },
    "decimal_above_max_value",
    "generation_config.temperature",
    /2/,
  ],
  [{ generation_config: { top_k: 0 } }, "decimal_below_min_value", "generation_config.top_k", /1/],
  [
    { generation_config: { thinking_level: "max" } },
    "invalid_value",
    "generation_config.thinking_level",
    /xhigh/,
  ],
  [
    { tools: [TOOL], generation_config: { tool_choice: "some" } },
    "invalid_value",
    "generation_config.tool_choice",
    /'validated'/,
  ],
  [
    { tools: [TOOL], generation_config: { tool_choice: { allowed_tools: { tools: ["lok"] } } } },
    "invalid_value",
    "generation_config.tool_choice.allowed_tools.tools[0]",
    /function of 'tools'/,
  ],
  [{ tools: [{ type: "file_search" }] }, "unsupported_parameter", "tools[0]", /file store/],
  [{ tools: [{ type: "retrieval" }] }, "unsupported_parameter", "tools[0]", /data store/],
  [{ tools: [{ type: "mcp_server", url: "u" }] }, "unsupported_parameter", "tools[0]", /URLs/],
  [{ response_format: { type: "image" } }, "unsupported_capability", "response_format.type", /images/],
  [
    { response_format: [{ type: "text" }, { type: "text" }] },
    "unsupported_capability",
    "response_format",
    /one/,
  ],
  [{ response_modalities: ["text", "audio"] }, "unsupported_capability", "response_modalities[1]", /speech/],
  [
    { response_format: { type: "text", mime_type: "application/json", schema: 5 } },
    "invalid_type",
    "response_format.schema",
    /object/,
  ],
  [
    { input: [ASKED, CALL, { ...RESULT, result: 5 }] },
    "invalid_type",
    "input[2].result",
    /a string, an object/,
  ],
  [
    { labels: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "b"])) },
    "object_above_max_properties",
    "labels",
    /16/,
  ],
  [{ labels: { a: "b".repeat(64) } }, "string_above_max_length", "labels.a", /63/],
  [{ labels: { ["k".repeat(64)]: "b" } }, "string_above_max_length", "labels", /63/],
];

test.each(REFUSED)("%j is refused: %s", (body, code, param, words) => {
  const fault = refuse(body);
  expect<unknown>({ code: fault.code, param: fault.details.param }).toEqual({ code, param });
  expect(fault.message).toMatch(words);
});

test("an MCP server that the operator would let through has no dialect that carries it", () => {
  const limits = { choicesMax: 1, messagesMax: 10, remoteTools: true };
  const fault = refuse({ tools: [{ type: "mcp_server", url: "u" }] }, { limits });
  expect(fault).toMatchObject({ code: "unsupported_capability", details: { param: "tools[0]" } });
});

describe("an input", () => {
  const user = (...texts: readonly string[]) => ({
    role: "user",
    content: texts.map((text) => ({ type: "text", text })),
  });

  test.each<readonly [unknown, unknown]>([
    ["a", [{ role: "user", content: "a" }]],
    [{ type: "text", text: "a" }, [user("a")]],
    [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      [user("a", "b")],
    ],
    [
      [ASKED, { type: "user_input", content: "b" }],
      [user("a"), { role: "user", content: "b" }],
    ],
    [ASKED, [user("a")]],
  ])("%j becomes messages", (input, messages) => {
    expect<unknown>(readInteraction({ input }).ask.messages).toEqual(messages);
  });

  test("keeps thoughts, texts and calls of a turn in their order, and parallel calls in one turn", () => {
    const other = { ...CALL, id: "c2" };
    const input = [
      ASKED,
      { type: "model_output", content: [{ type: "text", text: "One." }] },
      CALL,
      { type: "model_output", content: [{ type: "text", text: "Two." }] },
      other,
      // The AI SDK puts results into the user's contents.
      { type: "user_input", content: [RESULT, { type: "text", text: "and?" }] },
      { ...RESULT, call_id: "c2", result: { degrees: 7 }, is_error: true },
    ];
    const [, turn, ...rest] = readInteraction({ input }).ask.messages;
    expect(turn).toMatchObject({
      role: "assistant",
      content: "One.Two.",
      tool_calls: [{ id: "c1" }, { id: "c2" }],
    });
    expect(turn?.parts).toMatchObject([
      { kind: "text" },
      { kind: "call" },
      { kind: "text" },
      { kind: "call" },
    ]);
    expect<unknown>(rest).toEqual([
      { role: "tool", tool_call_id: "c1", content: "rain" },
      user("and?"),
      { role: "tool", tool_call_id: "c2", content: '{"degrees":7}', is_error: true },
    ]);
  });

  test("passes pictures, sounds, documents and videos on", () => {
    const input = [
      IMAGE,
      { type: "image", uri: "https://a.test/1" },
      { type: "audio", mime_type: "audio/mp3", data: "aGk" },
      { type: "document", mime_type: "application/pdf", data: "aGk=" },
      { type: "video", uri: "https://a.test/1.mp4" },
      { type: "video", mime_type: "video/mp4", data: "_-8_" },
    ];
    const [message] = readInteraction({ input }).ask.messages;
    expect<unknown>(message?.content).toEqual([
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      { type: "image_url", image_url: { url: "https://a.test/1" } },
      { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,aGk=" } },
      { type: "video_url", video_url: { url: "https://a.test/1.mp4" } },
      { type: "video_url", video_url: { url: "data:video/mp4;base64,/+8/" } },
    ]);
  });

  test("tells a model what tools elsewhere gave, and names the others", () => {
    const search = { type: "google_search_call", id: "s1", arguments: { queries: ["weather"] } };
    const found = {
      type: "google_search_result",
      call_id: "s1",
      result: [{ url: "https://a.test", title: "A" }],
    };
    const code = { type: "code_execution_call", id: "x", arguments: { code: "1+1", language: "python" } };
    const place = { type: "google_maps_call", id: "m", arguments: {} };
    const { ask, lost } = readInteraction({ input: [ASKED, search, found, code, place, ASKED] });
    const text = JSON.stringify(ask.messages[1]);
    for (const word of ["weather", "https://a.test", "1+1"]) expect(text).toContain(word);
    expect(lost).toEqual(["input[4]"]);
  });
});

test("settings, tools and formats become fields of a chat request", () => {
  const { ask, dropped, lost } = readInteraction({
    model: "models/any",
    system_instruction: "Be brief.",
    generation_config: {
      temperature: 1,
      top_p: 0.5,
      top_k: 7,
      max_output_tokens: 9,
      seed: 3,
      stop_sequences: ["x"],
      thinking_level: "low",
      thinking_summaries: "auto",
      tool_choice: { allowed_tools: { mode: "validated", tools: ["look"] } },
      speech_config: {},
    },
    tools: [TOOL, OTHER, { type: "google_search" }, { type: "code_execution" }, { type: "later" }],
    response_format: [{ type: "text", mime_type: "application/json", schema: { type: "object" } }],
    labels: { team: "search" },
    safety_settings: [
      { type: "hate_speech", threshold: "block_none" },
      { type: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
    ],
    service_tier: "flex",
    unheard: 1,
    stream: true,
  });
  const { messages, tools, ...fields } = ask;
  expect(messages[0]).toEqual({ role: "system", content: "Be brief." });
  expect(tools?.length).toBe(2);
  expect<unknown>(fields).toEqual({
    model: "any",
    temperature: 1,
    top_p: 0.5,
    top_k: 7,
    max_completion_tokens: 9,
    seed: 3,
    stop: ["x"],
    reasoning_effort: "low",
    include_reasoning: true,
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "look" } }] },
    },
    validates_calls: true,
    web_search_options: {},
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", schema: { type: "object" } },
      is_guaranteed: true,
    },
    metadata: { team: "search" },
    safety_settings: [
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "BLOCK_NONE" },
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
    ],
    stream: true,
  });
  expect(dropped).toEqual(["tools[3]", "tools[4]"]);
  expect(lost).toEqual(["generation_config.speech_config", "service_tier", "unheard"]);
});

test.each<readonly [JsonObject, unknown]>([
  [{ response_format: { type: "object", properties: {} } }, "json_schema"],
  [{ response_format: { type: "text", mime_type: "application/json" } }, "json_object"],
  [{ response_mime_type: "application/json" }, "json_object"],
  [{ response_format: { type: "text", mime_type: "text/plain" } }, undefined],
])("%j asks for the format %s", (body, type) => {
  expect(readInteraction(body).ask.response_format?.type).toBe(type as never);
});

test("a choice without a function, and a store that nobody has, are named", () => {
  const { ask, dropped } = readInteraction({ generation_config: { tool_choice: "any" }, store: true });
  expect(ask.tool_choice).toBeUndefined();
  expect(dropped).toEqual(["store", "generation_config.tool_choice"]);
});

test("an answer that was cut off is gone on from without the calls that nobody has run", () => {
  const kept = (status: string) => ({
    previous: {
      id: "int_1",
      itemIds: [],
      input: [],
      response: { status, input: "a", steps: [{ type: "model_output", content: "One." }, CALL] },
    },
    items: new Map(),
  });
  const go = (status: string, input: unknown) =>
    readInteraction({ input, previous_interaction_id: "int_1" }, { keeping: kept(status) }).ask.messages;
  expect(go("incomplete", "go on").map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(go("incomplete", [RESULT]).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(go("incomplete", "go on")[1]).not.toHaveProperty("tool_calls");
  expect(() => go("requires_action", "go on")).toThrow("'c1'");
  expect(() => go("failed", "go on")).toThrow("has not ended");
});
