// Features of structured output: JSON of any shape, JSON with a schema, strict and loose, beside tools and text.
import { expect } from "bun:test";
import { parseJson } from "../../src/core/json/json.ts";
import { readWords } from "./asking.ts";
import { answered, type Feature, feature, says, type Turn, user } from "./feature.ts";
import { TOOLS } from "./features-tools.ts";

const ask = [user("Give me JSON.")];
const shaped = (schema: object, more: object = {}) => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema, ...more } },
});
const gives =
  (value: unknown): Turn["expects"] =>
  (answer) => {
    answered(answer);
    expect(parseJson(readWords(answer))).toEqual(value);
  };

const STRICT = {
  type: "object",
  properties: {
    title: { type: "string" },
    tags: { type: "array", items: { enum: ["x", "y"] } },
    inner: { $ref: "#/$defs/Inner" },
  },
  required: ["title", "tags", "inner"],
  additionalProperties: false,
  $defs: {
    Inner: {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false,
    },
  },
};
const LOOSE = {
  type: "object",
  properties: {
    word: { type: "string", minLength: 2, maxLength: 8, pattern: "^s" },
    count: { type: "integer", minimum: 0, maximum: 9, multipleOf: 1 },
    either: { oneOf: [{ type: "boolean" }, { type: "null" }] },
  },
  required: ["word", "count", "either"],
};

export const FORMAT_FEATURES: readonly Feature[] = [
  feature("text as format", { messages: [user("say: yes")], response_format: { type: "text" } }, says("yes")),
  feature(
    "json_object",
    { messages: ask, response_format: { type: "json_object" } },
    gives({ said: "Give me JSON." }),
  ),
  feature(
    "a strict schema",
    { messages: ask, ...shaped(STRICT, { strict: true }) },
    gives({ title: "sample", tags: [], inner: { ok: false } }),
  ),
  feature(
    "a loose schema",
    { messages: ask, ...shaped(LOOSE, { description: "Any." }) },
    gives({ word: "sample", count: 0, either: false }),
  ),
  feature(
    "a schema without strict tools in the way",
    { messages: ask, tools: TOOLS, ...shaped(STRICT, { strict: true }) },
    answered,
  ),
  feature(
    "a schema and no tool to call",
    { messages: ask, tools: TOOLS, tool_choice: "none", ...shaped(LOOSE) },
    answered,
  ),
  feature(
    "json_object beside tools",
    { messages: ask, tools: TOOLS, response_format: { type: "json_object" } },
    answered,
  ),
];
