// Schemas in Google's own form, of answers and of functions, as the JSON Schema that other vendors read.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { encoded } from "../../dialects/cases/drive.ts";
import { readId } from "../../providers/target.ts";
import { incoming } from "../recorded.ts";

const contents = [{ role: "user", parts: [{ text: "Well?" }] }];
const JSON_TYPE = "application/json";

function read(fields: JsonObject) {
  return GEMINI.read(incoming({ contents, ...fields }, "/v1beta/models/m:generateContent"));
}

/** Returns the schema that a request for JSON under Google's schema asks for. */
function convert(responseSchema: JsonObject): unknown {
  const { ask } = read({ generationConfig: { responseMimeType: JSON_TYPE, responseSchema } });
  return asObject(asObject(ask.response_format).json_schema).schema;
}

const ROWS: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ["a nullable type", { type: "STRING", nullable: true }, { type: ["string", "null"] }],
  ["a type that is not nullable", { type: "STRING", nullable: false }, { type: "string" }],
  [
    "a nullable enumeration",
    { type: "STRING", format: "enum", enum: ["a", "b"], nullable: true },
    { type: ["string", "null"], enum: ["a", "b", null] },
  ],
  ["an enumeration of numbers", { type: "INTEGER", enum: ["1", "2"] }, { type: "integer", enum: [1, 2] }],
  [
    "a nullable choice, and what is in it",
    { nullable: true, anyOf: [{ type: "STRING", nullable: true }, { type: "INTEGER" }] },
    { anyOf: [{ type: ["string", "null"] }, { type: "integer" }, { type: "null" }] },
  ],
  [
    "entries and their bounds",
    { type: "ARRAY", minItems: "2", maxItems: 3, items: { type: "STRING", maxLength: "5", nullable: true } },
    { type: "array", minItems: 2, maxItems: 3, items: { type: ["string", "null"], maxLength: 5 } },
  ],
  [
    "properties with the names of keywords, and values that look like schemas",
    {
      type: "OBJECT",
      properties: {
        type: { type: "STRING", default: { type: "STRING", nullable: true } },
        nullable: { type: "BOOLEAN" },
        minItems: { type: "NUMBER", minimum: 0.5 },
      },
      required: ["type"],
    },
    {
      type: "object",
      properties: {
        type: { type: "string", default: { type: "STRING", nullable: true } },
        nullable: { type: "boolean" },
        minItems: { type: "number", minimum: 0.5 },
      },
      required: ["type"],
    },
  ],
  ["no type", { type: "TYPE_UNSPECIFIED", description: "Any" }, { description: "Any" }],
];

describe("a schema", () => {
  test.each(ROWS)("%s", (_, given, schema) => {
    const held = { type: "OBJECT", properties: { a: given } };
    expect(convert(held)).toEqual({ type: "object", properties: { a: schema } });
    const { ask } = read({ tools: [{ functionDeclarations: [{ name: "f", parameters: held }] }] });
    expect(ask.tools).toMatchObject([
      { function: { parameters: { type: "object", properties: { a: schema } } } },
    ]);
  });

  test.each(["Anthropic#claude-sonnet-4-5", "OpenAI#gpt-5.4", "Responses#gpt-5.4"])(
    "allows null at %s",
    (id) => {
      const schema = {
        type: "OBJECT",
        properties: { a: { type: "STRING", nullable: true } },
        required: ["a"],
      };
      const { ask } = read({ generationConfig: { responseMimeType: JSON_TYPE, responseSchema: schema } });
      const { dialect, card } = readId(id);
      const sent = JSON.stringify(
        encoded(dialect, ask, { ...card, capabilities: new Set(["structured"]) }).body,
      );
      expect(sent).toContain('"null"');
      expect(sent).not.toContain("nullable");
    },
  );

  test("JSON Schema stays as it is", () => {
    const responseJsonSchema = {
      type: "object",
      properties: { a: { type: ["string", "null"], minLength: 1 } },
    };
    const { ask } = read({ generationConfig: { responseMimeType: JSON_TYPE, responseJsonSchema } });
    expect(asObject(ask.response_format).json_schema).toMatchObject({ schema: responseJsonSchema });
  });
});

describe("a form that only Google has", () => {
  test("is named with its schema", () => {
    const schema = { type: "STRING", enum: ["a", "b"] };
    const config = { responseMimeType: "text/x.enum", responseSchema: schema };
    expect(read({ generationConfig: config }).lost).toEqual([
      "generationConfig.responseMimeType",
      "generationConfig.responseSchema",
    ]);
    expect(read({ generationConfig: { responseMimeType: "text/plain" } }).lost).toEqual([]);
    expect(read({ generationConfig: { ...config, responseMimeType: JSON_TYPE } }).lost).toEqual([]);
  });
});
