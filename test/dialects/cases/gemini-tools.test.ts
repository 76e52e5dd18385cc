// Tools as Gemini's function declarations: choices among them, and schemas in the supported subset.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { encoded, makeCard, makeRequest, part, tool } from "./gemini-cases.ts";

describe("tools", () => {
  const choices: [ChatRequest["tool_choice"], JsonObject | undefined][] = [
    [undefined, undefined],
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [
      { type: "function", function: { name: "add" } },
      { mode: "ANY", allowedFunctionNames: ["add"] },
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "add" } }] },
      },
      { mode: "ANY", allowedFunctionNames: ["add"] },
    ],
  ];
  test.each(choices)("choice %j", (choice, config) => {
    const { body } = encoded({ tools: [tool()], ...(choice ? { tool_choice: choice } : {}) });
    expect(asObject(body.toolConfig).functionCallingConfig).toEqual(config);
    expect(body.tools).toEqual([{ functionDeclarations: [{ name: "add" }] }]);
  });

  describe("a free choice among some tools", () => {
    const named = (name: string) => ({ type: "function", function: { name } }) as const;
    const choose = (names: readonly string[], model?: string, baseUrl?: string) =>
      encoded(
        {
          tools: [tool(), named("sub")],
          tool_choice: {
            type: "allowed_tools",
            allowed_tools: { mode: "auto", tools: names.map(named) },
          },
        },
        model,
        baseUrl,
      ).body;
    const calling = (config: JsonObject) => ({ functionCallingConfig: config });

    test("declares all of them, and names those", () => {
      const { tools, toolConfig } = choose(["sub"]);
      expect(tools).toEqual([{ functionDeclarations: [{ name: "add" }, { name: "sub" }] }]);
      expect(toolConfig).toEqual(calling({ mode: "VALIDATED", allowedFunctionNames: ["sub"] }));
    });

    test("of which the request has none allows none", () => {
      const { tools, toolConfig } = choose(["div"]);
      expect(tools).toEqual([{ functionDeclarations: [{ name: "add" }, { name: "sub" }] }]);
      expect(toolConfig).toEqual(calling({ mode: "NONE" }));
    });

    test.each([
      ["gemini-2.5-flash", undefined],
      ["gemini-3.8-flash", "https://aiplatform.googleapis.com/v1/projects/p/locations/global"],
    ])("declares only those where no mode takes names: %s at %s", (model, baseUrl) => {
      const { tools, toolConfig } = choose(["sub"], model, baseUrl);
      expect(tools).toEqual([{ functionDeclarations: [{ name: "sub" }] }]);
      expect(toolConfig).toEqual(calling({ mode: "AUTO" }));
    });
  });

  test("a custom tool is a function with one string, and its call is a custom call again", () => {
    const tools = [{ type: "custom", custom: { name: "run", description: "Runs." } }] as const;
    expect(JSON.stringify(encoded({ tools }).body.tools)).toContain('"required":["input"]');
    const body = part([{ functionCall: { name: "run", args: { input: "ls" } } }], "STOP");
    const reply = gemini.chat.reply(
      body,
      makeCard("gemini-3.8-flash"),
      makeRequest({ tools }),
      new Headers(),
    );
    expect(reply.choices[0]?.message.tool_calls).toMatchObject([
      { type: "custom", custom: { name: "run", input: "ls" } },
    ]);
  });

  test("a name that begins with a digit is renamed and restored", () => {
    const tools = [{ type: "function", function: { name: "3d_render" } }] as const;
    const { body } = encoded({ tools, tool_choice: { type: "function", function: { name: "3d_render" } } });
    expect(JSON.stringify([body.tools, body.toolConfig]).match(/"_3d_render"/g)).toHaveLength(2);
    const answer = part([{ functionCall: { name: "_3d_render" } }], "STOP");
    const reply = gemini.chat.reply(
      answer,
      makeCard("gemini-3.8-flash"),
      makeRequest({ tools }),
      new Headers(),
    );
    expect(reply.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "3d_render" } }]);
  });

  const schemas: [string, JsonObject, JsonObject][] = [
    ["no type", { properties: { a: {} } }, { type: "object", properties: { a: {} } }],
    [
      "references, recursive ones cut",
      {
        type: "object",
        properties: { n: { $ref: "#/$defs/node", description: "d" } },
        $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      },
      {
        type: "object",
        properties: { n: { type: "object", properties: { next: { type: "object" } }, description: "d" } },
      },
    ],
    [
      "oneOf, const, formats and unknown keywords",
      {
        $schema: "x",
        type: "object",
        properties: {
          a: { oneOf: [{ const: 1 }, { type: ["string", "null"], format: "uri" }] },
          b: { not: {}, format: "date" },
        },
      },
      {
        type: "object",
        properties: { a: { anyOf: [{ enum: [1] }, { type: ["string", "null"] }] }, b: { format: "date" } },
      },
    ],
    [
      "allOf",
      {
        allOf: [
          { type: "object", properties: { a: {} }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
        description: "d",
      },
      { type: "object", properties: { a: {}, b: {} }, required: ["a", "b"], description: "d" },
    ],
  ];
  test.each(schemas)("schema: %s", (_what, given, expected) => {
    const { body } = encoded({ tools: [tool(given)] });
    expect(body.tools).toEqual([{ functionDeclarations: [{ name: "add", parametersJsonSchema: expected }] }]);
  });

  test("endlessly expanding references are cut off", () => {
    const $defs: JsonObject = { d0: { type: "string" } };
    for (let depth = 1; depth < 40; depth++) {
      const $ref = `#/$defs/d${depth - 1}`;
      $defs[`d${depth}`] = { type: "object", properties: { a: { $ref }, b: { $ref } } };
    }
    const { body } = encoded({ tools: [tool({ $ref: "#/$defs/d39", $defs })] });
    expect(JSON.stringify(body).length).toBeLessThan(2_000_000);
  });
});
