// The lane of Responses requests: each row of its tables, whole and nested.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ReasoningDetail } from "../../../src/operations/chat/form.ts";
import { TOOLS } from "../../../src/surfaces/openai-responses/known.ts";
import { NAMES, REASONING } from "../../../src/surfaces/openai-responses/lane.ts";
import { signThinking } from "../../../src/surfaces/signature.ts";
import { PLAIN_SEALER } from "../recorded.ts";
import { FUNCTION, findRefusal, readRequest, SEALED } from "../responses/responses-read.ts";

const input = "a";

describe("objects in the provider's account", () => {
  test.each(REASONING.rows.map(({ field }) => [field]))("reasoning.%s is left out, and named", (field) => {
    const { dropped, raw, ask } = readRequest({ input, reasoning: { effort: "low", [field]: "pro" } });
    expect(dropped).toEqual([`reasoning.${field}`]);
    expect([raw?.body.reasoning, ask.reasoning_effort]).toEqual([{ effort: "low" }, "low"]);
  });

  /** Each place in which a field may occur, as a body with the field in it. */
  const places: readonly (readonly [string, (fields: JsonObject) => JsonObject])[] = [
    [
      "input[0].content[0]",
      (fields) => ({ input: [{ role: "user", content: [{ type: "input_file", ...fields }] }] }),
    ],
    [
      "input[0].output[0]",
      (fields) => ({
        input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image", ...fields }] }],
      }),
    ],
    [
      "input[0].output",
      (fields) => ({
        input: [
          { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", ...fields } },
        ],
      }),
    ],
    ["input[0]", (fields) => ({ input: [{ type: "code_interpreter_call", id: "ci_1", ...fields }] })],
    [
      "input[0].environment",
      (fields) => ({
        input: [
          { type: "shell_call", call_id: "c", environment: { type: "container_reference", ...fields } },
        ],
      }),
    ],
    [
      "instructions[0].content[0]",
      (fields) => ({ input, instructions: [{ role: "user", content: [{ type: "input_file", ...fields }] }] }),
    ],
    ["tools[0].environment", (fields) => ({ input, tools: [{ type: "shell", environment: fields }] })],
    [
      "tools[0].environment.skills[0]",
      (fields) => ({ input, tools: [{ type: "shell", environment: { type: "local", skills: [fields] } }] }),
    ],
    [
      "tools[0].tools[0]",
      (fields) => ({
        input,
        tools: [{ type: "namespace", name: "n", tools: [{ type: "custom", name: "a", ...fields }] }],
      }),
    ],
    [
      "input[0].tools[0]",
      (fields) => ({
        input: [{ type: "additional_tools", tools: [{ type: "custom", name: "a", ...fields }] }],
      }),
    ],
    [
      "input[0].tools[0]",
      (fields) => ({
        input: [{ type: "tool_search_output", tools: [{ type: "custom", name: "a", ...fields }] }],
      }),
    ],
  ];
  for (const { field } of NAMES.rows) {
    test.each(places)(`${field} at %s`, (path, makeBody) => {
      const value = field.endsWith("s") ? ["x"] : "x";
      expect(findRefusal(makeBody({ [field]: value }))).toMatchObject({
        code: "unsupported_parameter",
        details: { param: `${path}.${field}` },
      });
    });
  }

  const refused = TOOLS.rows.filter(({ treatment }) => treatment === "refuse" || treatment === "remote");
  for (const field of refused.flatMap(({ names }) => names)) {
    test.each([
      ["tools[0]", (tool: JsonObject) => ({ input, tools: [tool] })],
      [
        "tools[0].tools[0]",
        (tool: JsonObject) => ({ input, tools: [{ type: "namespace", name: "n", tools: [tool] }] }),
      ],
      ["input[0].tools[0]", (tool: JsonObject) => ({ input: [{ type: "additional_tools", tools: [tool] }] })],
      [
        "input[0].tools[0]",
        (tool: JsonObject) => ({ input: [{ type: "tool_search_output", tools: [tool] }] }),
      ],
    ] as const)(`the tool ${field} at %s`, (path, makeBody) => {
      expect(findRefusal(makeBody({ type: field }))).toMatchObject({
        code: "unsupported_parameter",
        details: { param: path },
      });
    });
  }

  test.each([
    ["by its type", { type: "item_reference", id: "msg_1" }],
    ["by its id alone", { id: "msg_1" }],
    ["a picture without its data", { type: "image_generation_call", id: "ig_1", status: "completed" }],
    ["a picture with any data", { type: "image_generation_call", id: "ig_1", result: "AA==" }],
  ])("an item reference by %s", (_name, item) => {
    expect(findRefusal({ input: [{ role: "user", content: "a" }, item] })).toMatchObject({
      code: "unsupported_parameter",
      details: { param: "input[1]" },
    });
  });

  test("thinking that is only referenced is dropped, with the ids that refer to it", () => {
    for (const reference of [{ type: "item_reference", id: "rs_1" }, { id: "rs_1" }]) {
      const call = { type: "function_call", id: "fc_1", call_id: "c", name: "look", arguments: "{}" };
      const items = [{ role: "user", content: "a" }, reference, call];
      const { raw, dropped, ask } = readRequest({ input: items });
      const { id: _id, ...bare } = call;
      expect(raw?.body.input).toEqual([items[0], bare]);
      expect([dropped, ask.messages.length]).toEqual([["input[1]"], 2]);
    }
  });

  test("schemas, arguments and citations may have fields of the same names", () => {
    const tool = {
      ...FUNCTION,
      parameters: { type: "object", properties: { file_id: { type: "string" } }, file_id: "x" },
    };
    const items = [
      { role: "user", content: "a" },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "b", annotations: [{ type: "file_citation", file_id: "x" }] }],
      },
      { type: "tool_search_call", call_id: "c", arguments: { file_id: "x" } },
    ];
    const { raw } = readRequest({ input: items, tools: [tool] });
    expect(raw?.body).toMatchObject({ input: items, tools: [tool] });
  });
});

describe("tools run by the provider", () => {
  test.each([
    ["code_interpreter", { type: "code_interpreter", container: { type: "auto" } }],
    ["image_generation", { type: "image_generation" }],
    ["a shell in a container", { type: "shell", environment: { type: "container_auto" } }],
    ["one that nobody knows", { type: "from_next_year" }],
  ])("%s is dropped and named", (_name, tool) => {
    const { raw, dropped } = readRequest({ input, tools: [FUNCTION, tool] });
    expect(raw?.body.tools).toEqual([FUNCTION]);
    expect(dropped).toEqual(["tools[1]"]);
  });

  test.each([
    ["in the tools", { input, tools: [{ type: "web_search" }] }],
    [
      "among those that come on the way",
      { input: [{ type: "additional_tools", tools: [{ type: "web_search_preview" }] }] },
    ],
  ])("searches %s are bounded and held", (_name, body) => {
    expect(readRequest(body)).toMatchObject({ searches: 5, raw: { body: { max_tool_calls: 5 } } });
    expect(readRequest({ ...body, max_tool_calls: 2 })).toMatchObject({
      searches: 2,
      raw: { body: { max_tool_calls: 2 } },
    });
  });

  test("a demand for the only tool that is dropped is refused, and one for others is kept", () => {
    const picture = { type: "image_generation" };
    for (const tool_choice of ["required", picture])
      expect(() => readRequest({ input, tools: [picture], tool_choice })).toThrow(
        "'tool_choice' demands a tool",
      );
    const { raw, dropped } = readRequest({ input, tools: [picture, FUNCTION], tool_choice: "required" });
    expect([raw?.body.tool_choice, dropped]).toEqual(["required", ["tools[0]"]]);
  });
});

describe("a choice names only tools of the request", () => {
  const inner = { type: "function", name: "close", parameters: {} };
  const tools = [FUNCTION, { type: "namespace", name: "agents", tools: [inner] }];
  const choose = (name: string) => ({ type: "function", name });
  const allow = (...names: readonly string[]) => ({
    type: "allowed_tools",
    mode: "auto",
    tools: names.map(choose),
  });

  test.each([
    ["one of them", choose("look"), choose("look"), []],
    ["one of a namespace", choose("close"), choose("close"), []],
    ["another", choose("other"), undefined, ["tool_choice"]],
    ["several of them", allow("look", "close"), allow("look", "close"), []],
    ["one of them and another", allow("look", "other"), allow("look"), ["tool_choice"]],
    ["only others", allow("other"), undefined, ["tool_choice"]],
  ])("%s", (_name, given, kept, named) => {
    const { raw, dropped, ask } = readRequest({ input, tools, tool_choice: given });
    expect([raw?.body.tool_choice, dropped]).toEqual([kept, named]);
    expect(ask.tool_choice === undefined).toBe(kept === undefined);
  });
});

describe("thinking sent to OpenAI", () => {
  const items = (encrypted: string) => [
    { role: "user", content: "a" },
    { type: "reasoning", id: "rs_1", summary: [], ...(encrypted ? { encrypted_content: encrypted } : {}) },
    { type: "function_call", id: "fc_1", call_id: "c1", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "rain" },
  ];
  const sent = (encrypted: string) =>
    asArray(readRequest({ input: items(encrypted) }).raw?.body.input).map(asObject);

  test("is kept unchanged if it is OpenAI's", () => {
    expect(sent("e")).toEqual(items("e"));
  });

  test("is dropped if it is another vendor's, with the ids that refer to it", () => {
    for (const foreign of [SEALED, ""]) {
      expect(sent(foreign).map(({ type, id }) => [type, id])).toEqual([
        [undefined, undefined],
        ["function_call", undefined],
        ["function_call_output", undefined],
      ]);
    }
  });

  test("is opened if it was sealed here", () => {
    const sealed = signThinking(PLAIN_SEALER, "", [
      { type: "reasoning.encrypted", data: "e", id: "rs_9", format: "openai-responses-v1" },
    ]);
    expect(sent(sealed)[1]).toMatchObject({ type: "reasoning", id: "rs_9", encrypted_content: "e" });
  });

  test("is as many items as share a signature, each with its own summary", () => {
    const format = "openai-responses-v1";
    const detail = (id: string, data: string, summary: string): readonly ReasoningDetail[] => [
      { type: "reasoning.summary", id, format, summary },
      { type: "reasoning.encrypted", id, format, data },
    ];
    const sealed = signThinking(PLAIN_SEALER, "", [
      ...detail("rs_8", "e", "First."),
      ...detail("rs_9", "f", "Then."),
    ]);
    const [, first, second, call] = sent(sealed);
    const thought = (id: string, data: string, text: string) => ({
      type: "reasoning",
      id,
      summary: [{ type: "summary_text", text }],
      encrypted_content: data,
    });
    expect([first, second]).toEqual([thought("rs_8", "e", "First."), thought("rs_9", "f", "Then.")]);
    // The call belongs to them, and keeps its id.
    expect(call?.id).toBe("fc_1");
  });
});

test("nothing is stored upstream, and unknown fields pass", () => {
  const body = { input, store: true, metadata: { a: "b" }, client_metadata: { c: 1 }, from_next_year: true };
  expect(readRequest(body).raw).toMatchObject({
    family: "responses",
    headers: {},
    body: { model: "m", ...body, store: false },
  });
});
