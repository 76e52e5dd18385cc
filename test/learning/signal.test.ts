// Signs of a failed answer: refusals, cuts, JSON and tool calls that don't fit the request. Lookalikes are no signs.
import { describe, expect, test } from "bun:test";
import { weighSignal } from "../../src/learning/signal.ts";
import type { ChatChunk, ChatRequest, FinishReason } from "../../src/operations/chat/form.ts";
import { Grader, type Signal } from "../../src/operations/chat/grader.ts";
import { matchesSchema } from "../../src/operations/chat/json-schema.ts";

const PERSON = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name", "age"],
  additionalProperties: false,
};
const TOOLS = [{ type: "function", function: { name: "look", parameters: PERSON } }] as const;
const ASKED: ChatRequest = { model: "Router#best", messages: [{ role: "user", content: "Hi" }] };
const JSON_ASKED = { ...ASKED, response_format: { type: "json_object" } } as const;
const SCHEMA_ASKED = {
  ...ASKED,
  response_format: { type: "json_schema", json_schema: { name: "person", schema: PERSON } },
} as const;

type Delta = ChatChunk["choices"][number]["delta"];

function signalOf(
  request: ChatRequest,
  deltas: readonly Delta[],
  finish: FinishReason = "stop",
  tokens: number | null = 10,
): Signal | null {
  const grader = new Grader(request);
  for (const delta of deltas) grader.add([{ choices: [{ index: 0, delta, finish_reason: null }] }]);
  grader.add([{ choices: [{ index: 0, delta: {}, finish_reason: finish }] }]);
  return grader.signal(tokens);
}

const said = (...parts: readonly string[]) => parts.map((content) => ({ content }));
const called = (name: string, ...parts: readonly string[]): readonly Delta[] => [
  { tool_calls: [{ index: 0, id: "a", type: "function", function: { name, arguments: "" } }] },
  ...parts.map((input) => ({ tool_calls: [{ index: 0, function: { arguments: input } }] })),
];

describe("signs of a broken answer", () => {
  const answers: readonly (readonly [
    what: string,
    signal: Signal | null,
    request: ChatRequest,
    deltas: readonly Delta[],
    finish?: FinishReason,
    tokens?: number | null,
  ])[] = [
    ["in words", null, ASKED, said("Hello")],
    ["that refuses", "refused", ASKED, [{ refusal: "I " }, { refusal: "can't." }]],
    ["with an empty refusal", null, ASKED, [{ refusal: "" }, ...said("Yes.")]],
    ["that a filter ended", "refused", ASKED, said("Well"), "content_filter"],
    ["that is cut off", "cut_off", ASKED, said("Once upon"), "length", 4096],
    ["cut off by the client's limit", null, { ...ASKED, max_tokens: 16 }, said("Once"), "length", 16],
    ["cut off, tokens unknown", null, { ...ASKED, max_tokens: 16 }, said("Once"), "length", null],
    ["cut off far below it", "cut_off", { ...ASKED, max_completion_tokens: 9000 }, said("a"), "length", 4096],
    ["of JSON", null, JSON_ASKED, said('{"a"', ": 1}")],
    ["of JSON that is no object", "not_json", JSON_ASKED, said("[1]")],
    ["of words for JSON", "not_json", JSON_ASKED, said("Here you are: {}")],
    ["of nothing for JSON", "not_json", JSON_ASKED, []],
    ["of JSON that is cut off by the client", null, { ...JSON_ASKED, max_tokens: 9 }, said("{"), "length", 9],
    ["of the schema", null, SCHEMA_ASKED, said('{"name":"A","age":3}')],
    ["beside the schema", "breaks_schema", SCHEMA_ASKED, said('{"name":"A"}')],
    ["that refuses a schema", "refused", SCHEMA_ASKED, [{ refusal: "No." }]],
    [
      "that calls",
      null,
      { ...ASKED, tools: TOOLS },
      called("look", '{"name":"A",', '"age":3}'),
      "tool_calls",
    ],
    [
      "that calls badly",
      "bad_arguments",
      { ...ASKED, tools: TOOLS },
      called("look", '{"name":'),
      "tool_calls",
    ],
    [
      "that calls beside",
      "bad_arguments",
      { ...ASKED, tools: TOOLS },
      called("look", '{"name":1}'),
      "tool_calls",
    ],
    ["that calls nobody", "bad_arguments", { ...ASKED, tools: TOOLS }, called("book", "{}"), "tool_calls"],
    ["of JSON and a call", null, { ...JSON_ASKED, tools: TOOLS }, called("look", '{"name":"A","age":3}')],
    ["of too much JSON", null, JSON_ASKED, said("x".repeat(300_000))],
  ];
  test.each(answers)("%s: %p", (_, signal, request, deltas, ...[finish, tokens]) => {
    expect(signalOf(request, deltas, finish, tokens)).toBe(signal);
  });

  test("count if one choice is broken", () => {
    const grader = new Grader({ ...JSON_ASKED, n: 2 });
    for (const [index, content] of ["{}", "no"].entries())
      grader.add([{ choices: [{ index, delta: { content }, finish_reason: "stop" }] }]);
    expect(grader.signal(null)).toBe("not_json");
  });
});

describe("the effect of signals", () => {
  const SIGNALS = ["refused", "cut_off", "not_json", "breaks_schema", "bad_arguments"] as const;

  test.each(SIGNALS)("of %s is bounded, and smaller than a judgment's", (signal) => {
    for (const sound of [0, 1, 3, 20, 1000]) {
      const { score, weight } = weighSignal(signal, 0.8, sound);
      expect(weight).toBeWithin(0.1, 0.5 + 1e-9);
      expect(score).toBeWithin(0, 0.8);
      expect(weight * (0.8 - score)).toBeLessThanOrEqual(0.4 * 0.8 + 1e-9);
    }
  });

  test("approaches the share of broken answers, however rare", () => {
    for (const sound of [1, 9, 99]) {
      const { score } = weighSignal("not_json", 0.8, sound);
      expect(score / 0.8).toBeCloseTo(sound / (sound + 1), 10);
    }
  });
});

describe("a value and a schema", () => {
  const list = { type: "array", items: { $ref: "#/$defs/one" }, minItems: 1, $defs: { one: PERSON } };
  const tree = { type: "object", properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } } };
  const rows: readonly (readonly [boolean, unknown, unknown])[] = [
    [true, 1, {}],
    [true, 1, true],
    [false, 1, false],
    [true, 1, { type: "integer" }],
    [false, 1.5, { type: "integer" }],
    [true, null, { type: ["string", "null"] }],
    [false, 0, { type: ["string", "null"] }],
    [true, "b", { enum: ["a", "b"] }],
    [false, "c", { enum: ["a", "b"] }],
    [false, 2, { const: 1 }],
    [false, "é", { minLength: 2 }],
    [true, "𝄞𝄞", { maxLength: 2 }],
    [false, 5, { maximum: 4 }],
    [false, 4, { exclusiveMaximum: 4 }],
    [true, { name: "A", age: 0 }, PERSON],
    [false, { name: "A", age: -1 }, PERSON],
    [false, { name: "A", age: 1, more: 1 }, PERSON],
    [false, [], list],
    [true, [{ name: "A", age: 1 }], list],
    [false, [{ name: "A", age: 1 }, {}], list],
    [true, { next: { next: null } }, tree],
    [false, { next: { next: 5 } }, tree],
    [false, 1, { allOf: [{ minimum: 0 }, { minimum: 2 }] }],
    [true, 1, { oneOf: [{ type: "string" }, { type: "number" }] }],
    [false, true, { oneOf: [{ type: "string" }, { type: "number" }] }],
    [true, [1, "a"], { prefixItems: [{ type: "number" }], items: { type: "string" } }],
    [false, [1, 2], { prefixItems: [{ type: "number" }], items: { type: "string" } }],
    [true, { a: 1 }, { additionalProperties: { type: "number" } }],
    [false, { a: "1" }, { additionalProperties: { type: "number" } }],
    [true, 7, { type: "strange", $ref: "http://elsewhere", pattern: "^x" }],
    [true, 7, "no schema"],
  ];
  test.each(rows)("%p: %j of %j", (fits, value, schema) => {
    expect(matchesSchema(value, schema)).toBe(fits);
  });

  test("endless references come to an end", () => {
    const endless = { anyOf: [{ $ref: "#" }, { $ref: "#" }] };
    expect(matchesSchema({}, endless)).toBe(true);
    let deep: unknown = null;
    for (let at = 0; at < 5000; at++) deep = { next: deep };
    expect(matchesSchema(deep, tree)).toBe(true);
  });

  test("checks that take too long stop, and what follows counts as valid", () => {
    const names = Array.from({ length: 2000 }, (_, at) => `name ${at}`);
    const text = "x".repeat(200_000);
    const costly: readonly (readonly [value: string, schema: object])[] = [
      ["name 1999", { items: { enum: names } }],
      [text, { items: { type: "string", maxLength: 250_000 } }],
    ];
    for (const [value, schema] of costly) {
      const answer = (count: number) => [...Array.from({ length: count }, () => value), 7];
      expect([matchesSchema(answer(5), schema), matchesSchema(answer(50), schema)]).toEqual([false, true]);
    }
  });
});
