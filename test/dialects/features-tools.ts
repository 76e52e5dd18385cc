// Features of tools: calls made, results sent back, the choice among tools, schemas of every kind.
import { expect } from "bun:test";
import { readCalls, readFinish, readMessage } from "./asking.ts";
import { answered, type Feature, feature, makes, mentions, type Turn, user } from "./feature.ts";

const fn = (name: string, parameters?: object, more: object = {}) => ({
  type: "function",
  function: { name, description: `Gives the ${name}.`, ...(parameters ? { parameters } : {}), ...more },
});
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const WEATHER = fn("weather", object({ city: { type: "string" } }, { required: ["city"] }));
const CLOCK = fn("clock", object({ zone: { type: "string" } }, { required: ["zone"] }));
export const TOOLS = [WEATHER, CLOCK];

export const BOTH = 'call weather({"city":"Oslo"}) and call clock({"zone":"CET"})';
export const ONE = 'call weather({"city":"Oslo"})';
export const SAME = 'call weather({"city":"Oslo"}) and call weather({"city":"Rome"})';
export const asks = (text: string, more: object = {}) => ({ tools: TOOLS, messages: [user(text)], ...more });

export const CALLED = makes(["weather", { city: "Oslo" }], ["clock", { zone: "CET" }]);
const CALL_FEATURES: readonly Feature[] = [
  feature("one call", asks(ONE), makes(["weather", { city: "Oslo" }])),
  feature("two calls", asks(BOTH), CALLED),
  feature(
    "the same call twice",
    asks(SAME),
    makes(["weather", { city: "Oslo" }], ["weather", { city: "Rome" }]),
  ),
  feature(
    "no parallel calls",
    asks(BOTH, { parallel_tool_calls: false }),
    makes(["weather", { city: "Oslo" }]),
  ),
  feature("a call without arguments", asks("call clock({})"), makes(["clock", {}])),
  feature(
    "a call with deep arguments",
    asks('call weather({"city":"Łódź \\"x\\" (1)","a":{"b":[1,2.5,true,null]}})'),
    makes(["weather", { city: 'Łódź "x" (1)', a: { b: [1, 2.5, true, null] } }]),
  ),
];

const choose = (name: string) => ({ type: "function", function: { name } });
const allow = (mode: string) => ({
  tool_choice: { type: "allowed_tools", allowed_tools: { mode, tools: [choose("clock")] } },
});
const noCalls: Turn["expects"] = (answer) => {
  answered(answer);
  expect(readCalls(answer.reply)).toEqual([]);
  expect(readFinish(answer)).toBe("stop");
};
const CHOICE_FEATURES: readonly Feature[] = [
  feature("tool_choice auto", asks(ONE, { tool_choice: "auto" }), makes(["weather", { city: "Oslo" }])),
  feature(
    "tool_choice required",
    asks("hello", { tool_choice: "required" }),
    makes(["weather", { city: "sample" }]),
  ),
  feature(
    "tool_choice named",
    asks("hello", { tool_choice: choose("clock") }),
    makes(["clock", { zone: "sample" }]),
  ),
  feature("tool_choice none", asks(ONE, { tool_choice: "none" }), noCalls),
  feature("allowed tools, auto", asks("call clock({})", allow("auto")), makes(["clock", {}])),
  feature("allowed tools, required", asks("hello", allow("required")), makes(["clock", { zone: "sample" }])),
];

const RICH = object(
  {
    kind: { enum: ["a", "b"] },
    level: { type: ["integer", "null"], minimum: 1, maximum: 9 },
    either: {
      anyOf: [
        { type: "string", format: "date-time" },
        { type: "number", exclusiveMinimum: 0 },
      ],
    },
    other: { oneOf: [{ const: 1 }, { const: "x" }] },
    inner: { $ref: "#/$defs/Inner" },
    list: { type: "array", items: { type: "string", pattern: "^x" }, minItems: 2, uniqueItems: true },
    map: { type: "object", additionalProperties: { type: "boolean" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
    all: { allOf: [{ type: "object", properties: { q: { type: "string", default: "d" } } }] },
  },
  {
    $schema: "http://json-schema.org/draft-07/schema#",
    $defs: { Inner: object({ n: { type: "integer", enum: [1, 2] } }, { required: ["n"], title: "Inner" }) },
    required: ["kind"],
    additionalProperties: false,
  },
);
const STRICT = object(
  { n: { type: "integer", minimum: 1 }, s: { type: ["string", "null"], description: "May be null." } },
  { required: ["n", "s"], additionalProperties: false },
);
const offers = (text: string, ...tools: readonly object[]) => ({ tools, messages: [user(text)] });

const SCHEMA_FEATURES: readonly Feature[] = [
  feature(
    "a tool with every keyword",
    offers('call rich({"kind":"a"})', fn("rich", RICH)),
    makes(["rich", { kind: "a" }]),
  ),
  feature("a strict tool", offers("call s({})", fn("s", STRICT, { strict: true })), makes(["s", {}])),
  feature("a tool without parameters", offers("call bare({})", fn("bare")), makes(["bare", {}])),
  feature(
    "a tool with a reserved name",
    offers("call web_search({}) call client_web_search({})", fn("web_search", object({}))),
    makes(["web_search", {}]),
  ),
  feature(
    "functions, as they were called once",
    {
      functions: TOOLS.map((tool) => tool.function),
      function_call: { name: "clock" },
      messages: [user("hello")],
    },
    makes(["clock", { zone: "sample" }]),
  ),
];

const SHELL = {
  type: "custom",
  custom: {
    name: "shell",
    description: "Runs a line.",
    format: { type: "grammar", grammar: { syntax: "regex", definition: "^.+$" } },
  },
};
/** A substitute function receives the text as its argument `input`, a custom tool everything within brackets. */
const shellCall: Turn["expects"] = (answer) => {
  answered(answer);
  const [call, ...others] = readCalls(answer.reply);
  expect([call?.name, others]).toEqual(["shell", []]);
  expect(call?.input).toMatch(/^(\{"input":")?ls -la("\})?$/);
};
const CUSTOM_FEATURES: readonly Feature[] = [
  {
    name: "a custom tool",
    turns: [
      { ask: () => offers('call shell({"input":"ls -la"})', SHELL), expects: shellCall },
      {
        ask: ([first]) => ({
          tools: [SHELL],
          messages: [
            user('call shell({"input":"ls -la"})'),
            first ? readMessage(first) : {},
            ...readCalls(first?.reply ?? {}).map(({ id }) => ({
              role: "tool",
              tool_call_id: id,
              content: "a.txt",
            })),
          ],
        }),
        expects: mentions("shell → a.txt"),
      },
    ],
  },
];

export const TOOL_FEATURES: readonly Feature[] = [
  ...CALL_FEATURES,
  ...CHOICE_FEATURES,
  ...SCHEMA_FEATURES,
  ...CUSTOM_FEATURES,
];
