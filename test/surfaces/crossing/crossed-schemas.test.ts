// Schemas of tools and answers on their way to other families: no server gets a union that it refuses, and what the client's
// API guarantees is enforced wherever the server can.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { CROSSED_MODELS, cross, encodeAsk, readAt, SURFACE_KEYS, type SurfaceKey } from "./crossing.ts";

const a = {
  type: "object",
  properties: { a: { type: "string" }, both: { type: "string" } },
  required: ["a", "both"],
};
const b = {
  type: "object",
  properties: { b: { type: "number" }, both: { type: "string" } },
  required: ["b", "both"],
};

/** Unions as tool servers write them; `anyOf` is Notion's. */
const UNIONS: Readonly<Record<string, JsonObject>> = {
  anyOf: { type: "object", anyOf: [a, b] },
  oneOf: { type: "object", oneOf: [a, b] },
  allOf: { type: "object", allOf: [a, b] },
  "anyOf without a type": { anyOf: [a, b] },
  "a reference to one": { $ref: "#/$defs/Either", $defs: { Either: { anyOf: [a, b] } } },
};

/** The dialects' words for a union that may stay. */
const TAKES_UNIONS: readonly string[] = [
  "OpenAI#gpt-5.3-codex",
  "Groq#llama-4",
  "Google#gemini-3.8-flash",
  "Mistral#mistral-medium-2604",
  "Perplexity#anthropic/claude-sonnet-5",
  "Cohere#command-a-vision-07-2025",
];
const MODELS = [...CROSSED_MODELS];

const ASKED = "hi";

function offer(parameters: JsonObject): Readonly<Record<SurfaceKey, JsonObject>> {
  const messages = [{ role: "user", content: ASKED }];
  return {
    chat: { messages, tools: [{ type: "function", function: { name: "find", parameters } }] },
    messages: { messages, tools: [{ name: "find", input_schema: parameters }] },
    responses: { input: ASKED, tools: [{ type: "function", name: "find", parameters }] },
    gemini: {
      contents: [{ role: "user", parts: [{ text: ASKED }] }],
      tools: [{ functionDeclarations: [{ name: "find", parametersJsonSchema: parameters }] }],
    },
  };
}

/** Returns the schema of the only tool, wherever the dialect puts it. */
function findSchema(body: JsonObject): JsonObject {
  const { tools, toolConfig } = body;
  const [tool] = asArray(tools ?? asObject(toolConfig).tools).map(asObject);
  const [declared] = asArray(tool?.functionDeclarations).map(asObject);
  const { inputSchema } = asObject(tool?.toolSpec);
  const { parameters, parametersJsonSchema, input_schema } = {
    ...tool,
    ...asObject(tool?.function),
    ...declared,
  };
  return asObject(parameters ?? parametersJsonSchema ?? input_schema ?? asObject(inputSchema).json);
}

describe.each(Object.entries(UNIONS))("a tool's schema with %s at its top", (_, union) => {
  describe.each([...SURFACE_KEYS])("from %s", (surface) => {
    test.each(MODELS)("to %s", (model) => {
      for (const isStreamed of [false, true]) {
        const schema = findSchema(cross(surface, offer(union)[surface], model, isStreamed).body);
        const variants = ["anyOf", "oneOf", "allOf", "$ref"].filter((keyword) => keyword in schema);
        if (TAKES_UNIONS.includes(model)) expect(JSON.stringify(schema)).toContain('"both"');
        else {
          expect({ variants, type: schema.type }).toEqual({ variants: [], type: "object" });
          expect(Object.keys(asObject(schema.properties)).sort()).toEqual(["a", "b", "both"]);
          expect(schema.required).toContain("both");
          expect(schema.description).toContain("valid under this JSON Schema");
        }
      }
    });
  });
});

test("a strict tool with a union is flattened, and its strictness named", () => {
  const fn = { name: "find", strict: true, parameters: { type: "object", anyOf: [a, b] } };
  const body = { messages: [{ role: "user", content: ASKED }], tools: [{ type: "function", function: fn }] };
  const { body: sent, dropped } = cross("chat", body, "OpenAI#gpt-5.4");
  expect(asArray(sent.tools)).toMatchObject([
    { function: { strict: false, parameters: { type: "object" } } },
  ]);
  expect(dropped).toContain("tools[0].function.strict");
});

test("a plain schema leaves as it came", () => {
  const { ask } = readAt("chat", offer(a).chat);
  const [tool] = asArray(encodeAsk({ ...readAt("chat", offer(a).chat), ask }, "OpenAI#gpt-5.4").body.tools);
  expect(tool).toBe(ask.tools?.[0]);
});

const CLOSED = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const DEEP = (depth: number): JsonObject =>
  depth === 0 ? { type: "string" } : { ...CLOSED, properties: { a: DEEP(depth - 1) } };
/** Schemas that OpenAI takes as strict, and others. */
const ANSWERS: readonly (readonly [string, JsonObject, boolean])[] = [
  ["closed, with all properties required", CLOSED, true],
  ["nested", { ...CLOSED, properties: { a: { type: "array", items: CLOSED } } }, true],
  ["with an optional property", { ...CLOSED, required: [] }, false],
  ["open", { ...CLOSED, additionalProperties: true }, false],
  [
    "with a keyword beyond the rules",
    { ...CLOSED, properties: { a: { type: "string", minLength: 1 } } },
    false,
  ],
  ["too deep", DEEP(12), false],
];
const STRICT_SERVERS = [
  "OpenAI#gpt-5.4",
  "OpenAI#gpt-5.3-codex",
  "xAI#grok-4",
  "Groq#openai/gpt-oss-120b",
  "Mistral#mistral-medium-2604",
];

function demand(surface: "messages" | "gemini", schema: JsonObject): JsonObject {
  if (surface === "gemini") {
    const generationConfig = { responseMimeType: "application/json", responseJsonSchema: schema };
    return { contents: [{ role: "user", parts: [{ text: ASKED }] }], generationConfig };
  }
  const messages = [{ role: "user", content: ASKED }];
  return { messages, output_config: { format: { type: "json_schema", schema } } };
}

function findFormat(body: JsonObject): JsonObject {
  const format = asObject(body.response_format ?? asObject(body.text).format);
  return format.json_schema === undefined ? format : asObject(format.json_schema);
}

describe.each(ANSWERS)("an answer's schema that is %s", (_, schema, isStrict) => {
  describe.each(["messages", "gemini"] as const)("from %s", (surface) => {
    test.each(STRICT_SERVERS)("to %s", (model) => {
      for (const isStreamed of [false, true]) {
        const { body, dropped } = cross(surface, demand(surface, schema), model, isStreamed);
        const format = findFormat(body);
        expect({ strict: format.strict === true, schema: format.schema }).toEqual({
          strict: isStrict,
          schema,
        });
        expect(dropped.includes("response_format")).toBe(!isStrict);
        expect(JSON.stringify(body)).not.toContain("is_guaranteed");
      }
    });
  });
});

test("a server without strict formats gets none, which is named", () => {
  const { body, dropped } = cross("messages", demand("messages", CLOSED), "Groq#llama-4");
  expect(findFormat(body)).not.toHaveProperty("strict");
  expect(dropped).toContain("response_format");
});

test.each(["chat", "responses"] as const)("a client of %s says itself what is strict", (surface) => {
  const format = { name: "answer", schema: CLOSED };
  const body =
    surface === "chat"
      ? {
          messages: [{ role: "user", content: ASKED }],
          response_format: { type: "json_schema", json_schema: format },
        }
      : { input: ASKED, text: { format: { type: "json_schema", ...format } } };
  const { body: sent, dropped } = cross(surface, body, "OpenAI#gpt-5.4");
  expect(findFormat(sent).strict).not.toBe(true);
  expect(dropped).not.toContain("response_format");
});
