// Names that the gateway doesn't know, at every place where a client can write one, and those that the operator lets
// pass.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Limits } from "../../../src/core/settings.ts";
import { ASKED, findRefusal, letPass, readGemini, readMessages, readResponses } from "./native-read.ts";

describe("betas", () => {
  const pass = (beta: string, limits: Partial<Limits> = {}) => {
    const { raw, dropped } = readMessages({}, limits, beta);
    return [raw?.headers["anthropic-beta"], dropped];
  };

  test("that the gateway doesn't know are left out and named", () => {
    expect(pass("effort-2025-11-24, from-next-year-2027-01-01,pdfs-2024-09-25")).toEqual([
      "effort-2025-11-24,pdfs-2024-09-25",
      ["anthropic-beta.from-next-year-2027-01-01"],
    ]);
  });

  test.each([
    "server-side-fallback-2026-07-01",
    "message-threads-2026-08-12",
    "user-profiles-2026-09-04",
    "mcp-client-2025-11-20",
    "mcp-tunnels-2026-06-22",
    "code-execution-2025-08-25",
    "managed-agents-2026-04-01",
    "fast-mode-2026-02-01",
    "files-api-2025-04-14",
    "skills-2025-10-02",
  ])("%s is left out: it costs more, or names what all clients share", (beta) => {
    expect(pass(beta)).toEqual([undefined, [`anthropic-beta.${beta}`]]);
  });

  test("that the operator allows pass", () => {
    const known = letPass({ betas: ["from-next-year-2027-01-01"] });
    expect(pass("from-next-year-2027-01-01", known)).toEqual(["from-next-year-2027-01-01", []]);
    expect(pass("mcp-client-2025-11-20", { remoteTools: true })).toEqual(["mcp-client-2025-11-20", []]);
  });

  test("are at most a hundred", () => {
    expect(pass("effort-2025-11-24,".repeat(99))[1]).toEqual([]);
    expect(() => pass("effort-2025-11-24,".repeat(100))).toThrow("expected at most 100 names");
  });

  test("of Claude Code all pass", () => {
    const sent = [
      "claude-code-20250219",
      "context-1m-2025-08-07",
      "interleaved-thinking-2025-05-14",
      "thinking-token-count-2026-05-13",
      "context-management-2025-06-27",
      "effort-2025-11-24",
      "prompt-caching-scope-2026-01-05",
      "mid-conversation-system-2026-04-07",
      "structured-outputs-2025-12-15",
      "advanced-tool-use-2025-11-20",
    ].join(",");
    expect(pass(sent)).toEqual([sent, []]);
  });
});

const unknown = { type: "from_next_year", text: "b" };
type Read = (more: JsonObject, limits?: Partial<Limits>) => { readonly raw: unknown };

describe.each([
  ["messages[0].content[0]", readMessages, { messages: [{ role: "user", content: [unknown] }] }],
  ["system[0]", readMessages, { system: [unknown] }],
  [
    "messages[0].content[0].content[0]",
    readMessages,
    {
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [unknown] }] }],
    },
  ],
  [
    "messages[0].content[0].extra",
    readMessages,
    {
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {}, extra: unknown }] },
      ],
    },
  ],
  [
    "messages[0].content[0].source",
    readMessages,
    { messages: [{ role: "user", content: [{ type: "image", source: unknown }] }] },
  ],
  ["input[0]", readResponses, { input: [unknown] }],
  ["input[0].content[0]", readResponses, { input: [{ role: "user", content: [unknown] }] }],
  [
    "input[0].output[0]",
    readResponses,
    { input: [{ type: "function_call_output", call_id: "c", output: [unknown] }] },
  ],
  [
    "contents[0].parts[0].from_next_year",
    readGemini,
    { contents: [{ parts: [{ text: "a", from_next_year: {} }] }] },
  ],
] as readonly (readonly [string, Read, JsonObject])[])("an unknown block at %s", (param, readBody, body) => {
  test("is refused", () => {
    expect(findRefusal(() => readBody(body))).toEqual(["unsupported_capability", param]);
  });
});

test("blocks that the operator knows pass", () => {
  const known = letPass({ blocks: ["from_next_year", "fromNextYear"] });
  const body = { messages: [{ role: "user", content: [unknown] }] };
  expect(readMessages(body, known).raw?.body).toMatchObject(body);
  expect(readResponses({ input: [ASKED, { type: "from_next_year" }] }, known).raw?.body.input).toHaveLength(
    2,
  );
  const contents = [{ parts: [{ from_next_year: { a: 1 } }] }];
  expect(readGemini({ contents }, known).raw?.body.contents).toEqual(contents);
});

describe("tools of Responses and Gemini", () => {
  const hosted = { type: "code_interpreter", container: { type: "auto" } };
  test.each([
    ["tools[0]", { tools: [hosted] }],
    ["tools[0].tools[0]", { tools: [{ type: "namespace", name: "n", tools: [hosted] }] }],
    ["input[1].tools[0]", { input: [ASKED, { type: "additional_tools", tools: [hosted] }] }],
    ["input[1].tools[0]", { input: [ASKED, { type: "tool_search_output", tools: [hosted] }] }],
  ] as readonly (readonly [string, JsonObject])[])("one at %s is left out and named", (place, body) => {
    const { raw, dropped } = readResponses(body);
    expect(dropped).toEqual([place]);
    expect(JSON.stringify(raw)).not.toContain("code_interpreter");
    const { raw: passed } = readResponses(body, letPass({ tools: ["code_interpreter"] }));
    expect(JSON.stringify(passed)).toContain("code_interpreter");
  });

  test.each([
    [
      "input[0].tools",
      { input: [{ type: "additional_tools", tools: { type: "mcp", server_url: "https://a.test" } }] },
    ],
    ["tools[0].tools", { tools: [{ type: "namespace", name: "n", tools: { type: "mcp" } }] }],
    [
      "input[0].output",
      { input: [{ type: "function_call_output", call_id: "c", output: { type: "input_file" } }] },
    ],
  ] as readonly (readonly [string, JsonObject])[])(
    "an object where a list belongs is refused: %s",
    (place, body) => {
      expect(findRefusal(() => readResponses(body))).toEqual(["invalid_type", place]);
    },
  );

  test("a change of settings within the conversation can't choose a dearer mode", () => {
    const change = { type: "configuration_update", reasoning: { effort: "low", mode: "pro" } };
    const { raw, dropped } = readResponses({ input: [ASKED, change] });
    expect(dropped).toEqual(["input[1].reasoning.mode"]);
    expect(asObject(raw?.body).input).toEqual([ASKED, { ...change, reasoning: { effort: "low" } }]);
  });

  test("Gemini's are left out by their field, unless the operator knows them", () => {
    const tools = [{ functionDeclarations: [{ name: "f" }], code_execution: {}, from_next_year: {} }];
    const { raw, dropped } = readGemini({ tools });
    expect(dropped).toEqual(["tools[0].codeExecution", "tools[0].fromNextYear"]);
    expect(raw?.body.tools).toEqual([{ functionDeclarations: [{ name: "f" }] }]);
    const { raw: passed } = readGemini({ tools }, letPass({ tools: ["fromNextYear"] }));
    expect(passed?.body.tools).toEqual([{ functionDeclarations: [{ name: "f" }], fromNextYear: {} }]);
  });
});

test("only the input of a call is the client's own: its other fields name no files", () => {
  const image = { type: "image", source: { type: "file", file_id: "file_1" } };
  const call = { type: "tool_use", id: "t", name: "f", input: image };
  const ask = (fields: JsonObject) => () =>
    readMessages({ messages: [{ role: "assistant", content: [{ ...call, ...fields }] }] });
  expect(ask({})).not.toThrow();
  const place = "messages[0].content[0].content[0].source.file_id";
  expect(findRefusal(ask({ content: [image] }))).toEqual(["unsupported_parameter", place]);
});
