// The Anthropic dialect's tools, the choice among them, constrained output and the schemas of both.
import { expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { makeInputSchema } from "../../../src/dialects/_chat/schemas/tool-schema.ts";
import { cleanSchema } from "../../../src/dialects/anthropic/schema.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import {
  CLASSIC,
  calls,
  hi,
  jsonSchema,
  NEWEST,
  OLD,
  result,
  schema,
  sent,
  weather,
} from "./anthropic-cases.ts";

const choose = (name: string) => ({ type: "function" as const, function: { name } });
const toolOf = (name: string, rest: object = {}) => ({
  type: "function" as const,
  function: { name, ...rest },
});

const CHOICES: [string, Partial<ChatRequest>, unknown, string[]][] = [
  [CLASSIC, { tool_choice: "required" }, { type: "any" }, []],
  [CLASSIC, { tool_choice: choose("weather") }, { type: "tool", name: "weather" }, []],
  [CLASSIC, { tool_choice: "none" }, { type: "none" }, []],
  [CLASSIC, { tool_choice: "auto", parallel_tool_calls: true }, undefined, []],
  [CLASSIC, { parallel_tool_calls: false }, { type: "auto", disable_parallel_tool_use: true }, []],
  [NEWEST, { tool_choice: "required" }, undefined, ["tool_choice"]],
  ["claude-sonnet-4-6", { tool_choice: "required", reasoning_effort: "low" }, undefined, ["tool_choice"]],
  ["claude-sonnet-5", { tool_choice: "required" }, { type: "any" }, []],
];
test.each(CHOICES)("%s %j", (model, part, choice, dropped) => {
  const outgoing = sent({ tools: [weather], ...part }, model);
  expect(outgoing.body.tool_choice).toEqual(choice);
  expect(outgoing.body.tools).toEqual([
    { name: "weather", input_schema: { type: "object", properties: {} } },
  ]);
  expect(outgoing.dropped).toEqual(dropped);
});

test("only allowed_tools are offered", () => {
  const allowed = { mode: "required" as const, tools: [choose("other")] };
  const choice = { type: "allowed_tools" as const, allowed_tools: allowed };
  const { body } = sent({ tools: [weather, toolOf("other")], tool_choice: choice });
  expect(body.tools).toMatchObject([{ name: "other" }]);
  expect(body.tool_choice).toEqual({ type: "any" });
});

test("a history with calls doesn't require tools (since February 2025)", () => {
  const { body } = sent({ messages: [hi, calls("a"), result("a")] });
  expect(Object.keys(body)).toEqual(["model", "max_tokens", "messages"]);
});

test("tools are strict as far as the model and the schema allow", () => {
  const strict = toolOf("f", { strict: true, parameters: schema });
  const free = toolOf("g", { strict: true, parameters: { type: "object", additionalProperties: {} } });
  const bare = toolOf("h", { strict: true });
  const { body, dropped } = sent({ tools: [strict, free, bare] });
  const closed = { type: "object", properties: {}, required: [], additionalProperties: false };
  expect(body.tools).toEqual([
    { name: "f", input_schema: schema, strict: true },
    { name: "g", input_schema: { type: "object", additionalProperties: {} } },
    { name: "h", input_schema: closed, strict: true },
  ]);
  expect(dropped).toEqual(["tools"]);
  expect(sent({ tools: [strict] }).dropped).toEqual([]);
  expect(sent({ tools: [strict] }, OLD)).toMatchObject({
    body: { tools: [{ name: "f", input_schema: schema }] },
    dropped: ["tools"],
  });
  const many = [...Array(21).keys()].map((n) => toolOf(`f${n}`, { strict: true, parameters: schema }));
  expect(asArray(sent({ tools: many }).body.tools).some((tool) => "strict" in asObject(tool))).toBe(false);
});

test("a custom tool becomes a function with one string", () => {
  const format = { type: "grammar", grammar: { syntax: "lark", definition: "start: X" } };
  const custom = { id: "c1", type: "custom" as const, custom: { name: "sql", input: "select 1" } };
  const messages: ChatMessage[] = [hi, { role: "assistant", tool_calls: [custom] }, result("c1")];
  const { body } = sent({
    messages,
    tools: [{ type: "custom", custom: { name: "sql", description: "Runs SQL.", format } }],
  });
  expect(body.tools).toMatchObject([{ name: "sql", input_schema: { required: ["input"] } }]);
  expect(JSON.stringify(body.tools)).toContain(
    "Runs SQL.\\n\\nThe input must match this lark grammar:\\nstart: X",
  );
  const use = { type: "tool_use", id: "c1", name: "sql", input: { input: "select 1" } };
  expect(body.messages).toMatchObject([{}, { content: [use] }, {}]);
});

test("json_schema is native if the model supports it, along with effort", () => {
  const format = { type: "json_schema", schema };
  expect(sent({ response_format: jsonSchema })).toMatchObject({
    body: { output_config: { format } },
    dropped: [],
  });
  const { body } = sent({ response_format: jsonSchema, reasoning_effort: "low" }, NEWEST);
  expect(body.output_config).toEqual({ effort: "low", format });
});

test("json_schema is a forced call for older models, one of several beside tools", () => {
  const single = { disable_parallel_tool_use: true };
  const alone = sent({ response_format: jsonSchema }, OLD).body;
  expect(alone.tool_choice).toEqual({ type: "tool", name: "poundkey_output", ...single });
  expect(alone.tools).toMatchObject([{ name: "poundkey_output", input_schema: schema }]);
  const beside = sent({ response_format: jsonSchema, tools: [weather] }, OLD).body;
  expect(beside.tool_choice).toEqual({ type: "any", ...single });
  expect(beside.tools).toMatchObject([{ name: "weather" }, { name: "poundkey_output" }]);
});

const SENTENCES: [string, Partial<ChatRequest>, RegExp][] = [
  [NEWEST, { tools: [weather], tool_choice: "required" }, /call at least one/],
  [NEWEST, { tools: [weather], tool_choice: choose("weather") }, /call the tool `weather`/],
  [CLASSIC, { response_format: { type: "json_object" } }, /one JSON object/],
  [
    OLD,
    { response_format: jsonSchema, reasoning_effort: "high" },
    /JSON Schema.*"additionalProperties":false/s,
  ],
];
test.each(SENTENCES)("%s %j is stated at the end of the prompt", (model, part, sentence) => {
  const outgoing = sent({ ...part, messages: [{ role: "system", content: "Be kind." }, hi] }, model);
  expect(outgoing.body.system).toEqual([{ type: "text", text: "Be kind." }]);
  const [user, system] = asArray(outgoing.body.messages).map(asObject);
  const said = { type: "text", text: expect.stringMatching(sentence) };
  const own = { type: "text", text: "hi" };
  if (model === NEWEST) expect([user?.content, system]).toEqual([[own], { role: "system", content: [said] }]);
  else expect([user?.content, system]).toEqual([[own, said], undefined]);
  expect(outgoing.dropped).toEqual([part.tools ? "tool_choice" : "response_format"]);
});

test("limits become descriptions, objects are closed, and oneOf becomes anyOf", () => {
  const cleaned = cleanSchema({
    $schema: "x",
    type: "object",
    definitions: { d: { type: "integer", minimum: 1, description: "A day." } },
    properties: {
      day: { $ref: "#/definitions/d" },
      kind: {
        oneOf: [
          { type: "string", format: "email" },
          { type: "string", format: "odd" },
        ],
      },
    },
  });
  expect(cleaned?.schema).toEqual({
    type: "object",
    properties: {
      day: { $ref: "#/$defs/d" },
      kind: {
        anyOf: [
          { type: "string", format: "email" },
          { type: "string", description: '{format: "odd"}' },
        ],
      },
    },
    required: [],
    additionalProperties: false,
    $defs: { d: { type: "integer", description: "A day.\n\n{minimum: 1}" } },
  });
  expect(cleaned).toMatchObject({ optional: 2, unions: 1 });
});

test("a root that is only a reference is replaced by its target", () => {
  const given = { $ref: "#/$defs/Answer", $defs: { Answer: schema } };
  expect(cleanSchema(given)?.schema).toEqual({ ...schema, $defs: { Answer: schema } });
  expect(makeInputSchema(given)).toEqual({ ...schema, $defs: { Answer: schema } });
});

const next = { $ref: "#/$defs/node" };
const INEXPRESSIBLE: Record<string, JsonObject> = {
  recursion: { properties: { next }, $defs: { node: { type: "object", properties: { next } } } },
  "too many optional": {
    properties: Object.fromEntries([..."abcdefghijklmnopqrstuvwxyz"].map((p) => [p, next])),
  },
  "a free-form map": { additionalProperties: { type: "string" } },
  "any object": {},
  "any value": { properties: { a: {} } },
  "a tuple": { properties: { a: { type: "array", prefixItems: [] } } },
};
test.each(Object.entries(INEXPRESSIBLE))("%s falls back to the next best form", (_name, rest) => {
  const given = { type: "object", $defs: { node: { type: "string" } }, ...rest };
  const format = { type: "json_schema" as const, json_schema: { name: "n", schema: given } };
  expect(sent({ response_format: format }).body.tool_choice).toMatchObject({ type: "tool" });
  const newest = sent({ response_format: format }, NEWEST);
  expect(newest.dropped).toEqual(["response_format"]);
  expect(newest.body.output_config).toBeUndefined();
});

test("a tool's schema is an object without alternatives at its root", () => {
  expect(makeInputSchema(undefined)).toEqual({ type: "object", properties: {} });
  expect(makeInputSchema({ properties: {} })).toEqual({ type: "object", properties: {} });
  const forms = ["a", "b"].map((name) => ({ properties: { [name]: {}, c: {} }, required: [name, "c"] }));
  const union = makeInputSchema({ anyOf: forms });
  expect(union).toMatchObject({ type: "object", properties: { a: {}, b: {}, c: {} }, required: ["c"] });
  expect(union.anyOf).toBeUndefined();
  expect(makeInputSchema({ allOf: forms })).toMatchObject({ required: ["a", "c", "b"] });
});
