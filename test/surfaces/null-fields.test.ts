// A null optional field counts as left out, wherever a surface's schema has one, and stays where null has a meaning.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { isObject, type JsonObject } from "../../src/core/json/json.ts";
import { findTag, type Rules } from "../../src/core/json/schema-rules.ts";
import type { Form } from "../../src/operations/form.ts";
import { messagesSchema } from "../../src/surfaces/anthropic-messages/schema.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { batchEmbedSchema, embedSchema, GEMINI_EMBEDDING } from "../../src/surfaces/gemini/embeddings.ts";
import { generateSchema } from "../../src/surfaces/gemini/schema.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { MODERATIONS, moderationRequestSchema } from "../../src/surfaces/moderations/surface.ts";
import { chatRequestSchema } from "../../src/surfaces/openai-chat/schema.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import {
  completionRequestSchema,
  OPENAI_COMPLETIONS,
} from "../../src/surfaces/openai-completions/surface.ts";
import { embeddingsRequestSchema, OPENAI_EMBEDDINGS } from "../../src/surfaces/openai-embeddings/surface.ts";
import { imagesRequestSchema, OPENAI_IMAGES } from "../../src/surfaces/openai-images/surface.ts";
import { responsesSchema } from "../../src/surfaces/openai-responses/schema.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { OPENAI_SPEECH, speechRequestSchema } from "../../src/surfaces/openai-speech/surface.ts";
import { RERANKING, rerankRequestSchema } from "../../src/surfaces/rerank/surface.ts";
import type { Surface } from "../../src/surfaces/surface.ts";
import { findRefusal, readGemini, readMessages, readResponses } from "./lane/native-read.ts";
import { incoming } from "./recorded.ts";

interface Case {
  readonly name: string;
  /** A valid body with every object that the schema describes on the way to one field, which is null. */
  readonly body: JsonObject;
  readonly without: JsonObject;
}

/** Returns a valid value, as small as can be. */
function makeValue(rules: Rules): unknown {
  const [first] = rules.anyOf ?? [];
  if (first) return makeValue(first);
  if (rules.type === "object") return makeObject(rules);
  if (rules.type === "array") return rules.items && (rules.minItems ?? 0) > 0 ? [makeValue(rules.items)] : [];
  if (rules.type === "string") return rules.enum?.[0] ?? "x";
  if (rules.type === "boolean") return true;
  return rules.type === "null" ? null : Math.max(1, rules.minimum ?? 1);
}

function makeObject({ required = [], properties = {} }: Rules): JsonObject {
  return Object.fromEntries(required.map((field) => [field, makeValue(properties[field] ?? {})]));
}

/** Yields, for each optional field within the rules, a value in which it is null and one in which it is missing. */
function* eachNull(rules: Rules, path: string): Generator<readonly [path: string, unknown, unknown]> {
  for (const one of rules.anyOf ?? []) {
    const kind = one.properties && findTag([one])?.words[0];
    yield* eachNull(one, kind ? `${path}(${kind})` : path);
  }
  if (rules.items) {
    for (const [at, ...values] of eachNull(rules.items, `${path}[]`)) yield [at, [values[0]], [values[1]]];
  }
  const made = makeObject(rules);
  for (const [field, own] of Object.entries(rules.properties ?? {})) {
    const { [field]: _own, ...others } = made;
    if (!rules.required?.includes(field)) yield [`${path}.${field}`, { ...others, [field]: null }, others];
    for (const [at, has, lacks] of eachNull(own, `${path}.${field}`)) {
      yield [at, { ...others, [field]: has }, { ...others, [field]: lacks }];
    }
  }
}

function listCases(schema: Rules, more: JsonObject): readonly Case[] {
  return [...eachNull(schema, "")].map(([name, body, without]) => {
    if (!isObject(body) || !isObject(without)) throw new Error("A body is an object.");
    return { name: name.slice(1), body: { ...body, ...more }, without: { ...without, ...more } };
  });
}

/** Returns the request as it is asked and sent on, or its refusal. Nulls that a schema takes may stay. */
function readBoth<F extends Form>(surface: Surface<F>, path: string, body: JsonObject): unknown {
  try {
    const { ask, raw, dropped, lost, unreadBytes } = surface.read(incoming(body, path));
    const read = { ask, body: raw?.body, dropped, lost, unreadBytes };
    return JSON.parse(JSON.stringify(read), (_, value) => (value === null ? undefined : value));
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
}

function check<F extends Form>(surface: Surface<F>, schema: Rules, path: string, more: JsonObject = {}) {
  const cases = listCases(schema, more);
  test(`${path}: ${cases.length} fields`, () => {
    for (const { name, body, without } of cases) {
      const sent = structuredClone(body);
      const read = readBoth(surface, path, body);
      expect({ name, read }).toEqual({ name, read: readBoth(surface, path, without) });
      expect(body).toEqual(sent);
    }
  });
}

describe("a null optional field counts as left out", () => {
  check(OPENAI_CHAT, chatRequestSchema, "/v1/chat/completions", { stream: true });
  check(OPENAI_RESPONSES, responsesSchema, "/v1/responses", { instructions: "x" });
  check(ANTHROPIC_MESSAGES, messagesSchema, "/v1/messages");
  check(GEMINI, generateSchema, "/v1beta/models/m:generateContent");
  check(GEMINI_EMBEDDING, embedSchema, "/v1beta/models/m:embedContent");
  check(GEMINI_EMBEDDING, batchEmbedSchema, "/v1beta/models/m:batchEmbedContents");
  check(OPENAI_COMPLETIONS, completionRequestSchema, "/v1/completions");
  check(OPENAI_EMBEDDINGS, embeddingsRequestSchema, "/v1/embeddings");
  check(RERANKING, rerankRequestSchema, "/v1/rerank");
  check(MODERATIONS, moderationRequestSchema, "/v1/moderations");
  check(OPENAI_IMAGES, imagesRequestSchema, "/v1/images/generations");
  check(OPENAI_SPEECH, speechRequestSchema, "/v1/audio/speech");
});

describe("fields that no schema describes", () => {
  const asked = { contents: [{ role: "user", parts: [{ text: "a" }] }] };
  const readConfig = (generationConfig: JsonObject) => readBoth(GEMINI, PATH, { ...asked, generationConfig });
  const PATH = "/v1beta/models/m:generateContent";

  test("settings of the operator's are neither refused nor named if they are null", () => {
    expect(readConfig({ outputConfig: null, routingConfig: null })).toEqual(readConfig({}));
    expect(readResponses({ reasoning: { mode: null } }).dropped).toEqual([]);
  });

  test("of a setting's two spellings, the one that is null doesn't count", () => {
    const plain = readConfig({ maxOutputTokens: 5 });
    expect(readConfig({ maxOutputTokens: null, max_output_tokens: 5 })).toEqual(plain);
    expect(readConfig({ max_output_tokens: 5, maxOutputTokens: null })).toEqual(plain);
    expect(readConfig({ max_output_tokens: null, maxOutputTokens: 5 })).toEqual(plain);
  });

  test("an unknown field of a part is no block if it is null, and what only Google reads is counted beside one", () => {
    const read = (part: JsonObject) => readGemini({ contents: [{ role: "user", parts: [part] }] });
    expect(read({ text: "a", futurePart: null }).ask.messages).toHaveLength(1);
    const code = { executableCode: { code: "x".repeat(1000) } };
    expect(read({ ...code, text: null, inlineData: null }).unreadBytes).toBeGreaterThan(1000);
  });

  test("keywords of Google's own schemas are left out, their data isn't", () => {
    const responseSchema = { type: "STRING", format: null, maxLength: null, enum: ["a"], default: null };
    const { ask } = readGemini({
      generationConfig: { responseMimeType: "application/json", responseSchema },
    });
    const schema = { type: "string", enum: ["a"], default: null };
    expect(ask.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "answer", schema },
    });
  });

  test("an image's file id is none", () => {
    const images = [{ image_url: "https://images.test/a.png", file_id: null }];
    const body = { model: "m", prompt: "p", images };
    const { ask } = OPENAI_IMAGES.read(incoming(body, "/v1/images/edits"));
    expect(ask.sources).toEqual([{ url: "https://images.test/a.png" }]);
  });
});

describe("a null that has a meaning stays", () => {
  const schema = {
    type: "object",
    properties: { a: { enum: ["a", null], default: null, description: null } },
  };
  const input = { a: null, role: null, detail: null };

  test("in a chat", () => {
    const call = { name: "f", arguments: JSON.stringify(input) };
    const messages = [
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: "https://a.test/a.png", detail: null } }],
      },
      { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: call }] },
      { role: "tool", tool_call_id: "c", content: "x" },
    ];
    const tools = [{ type: "function", function: { name: "f", parameters: schema } }];
    const { ask } = OPENAI_CHAT.read(incoming({ model: "m", messages, tools, own: { a: null } }));
    const [asked, ...others] = messages;
    const content = [{ type: "image_url", image_url: { url: "https://a.test/a.png" } }];
    expect(ask).toMatchObject({ messages: [{ ...asked, content }, ...others], tools, own: { a: null } });
  });

  test("in Messages", () => {
    const tools = [{ name: "f", description: null, type: null, input_schema: schema, cache_control: null }];
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: null, is_error: null }] },
    ];
    const { raw } = readMessages({ tools, messages });
    expect(raw?.body.tools).toEqual([{ name: "f", input_schema: schema, cache_control: null }]);
    expect(raw?.body.messages).toEqual(messages);
  });

  test("in Responses", () => {
    const tools = [{ type: "function", name: "f", description: null, parameters: schema, strict: null }];
    const { raw } = readResponses({ tools, input: [{ type: null, role: "user", content: "a", id: null }] });
    expect(raw?.body.tools).toEqual(tools);
    expect(raw?.body.input).toEqual([{ role: "user", content: "a", id: null }]);
  });

  test("in Gemini's API", () => {
    const contents = [
      { role: null, parts: [{ text: "a", inlineData: null }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: input } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: input } }] },
    ];
    const { raw } = readGemini({ contents, generationConfig: { topK: null, responseJsonSchema: schema } });
    const { role: _role, ...first } = contents[0] ?? {};
    expect(raw?.body).toEqual({
      contents: [first, ...contents.slice(1)],
      generationConfig: { responseJsonSchema: schema },
    });
  });
});

test("requests that only count tokens are read likewise", () => {
  const contents = [{ role: null, parts: [{ text: "a" }] }];
  const body = { generateContentRequest: { contents, systemInstruction: null } };
  const counted = GEMINI.counting?.read(incoming(body, "/v1beta/models/m:countTokens"));
  expect(counted?.messages).toEqual([{ role: "user", content: [{ type: "text", text: "a" }] }]);
});

test("what is required, or in a list, isn't left out", () => {
  const refuse = (body: JsonObject) => findRefusal(() => OPENAI_CHAT.read(incoming({ model: "m", ...body })));
  const messages = [{ role: "user", content: "a" }];
  expect(refuse({ messages: [{ role: null, content: "a" }] })).toEqual(["invalid_type", "messages[0].role"]);
  expect(refuse({ messages: [{ role: "user", content: null }] })).toEqual([
    "invalid_type",
    "messages[0].content",
  ]);
  expect(refuse({ messages: [...messages, null] })).toEqual(["invalid_type", "messages[1]"]);
  expect(refuse({ messages, stop: [null] })).toEqual(["invalid_type", "stop[0]"]);
  expect(refuse({ messages, stream: true, stream_options: { include_usage: null, usage: 1 } })).toEqual([
    "unknown_parameter",
    "stream_options.usage",
  ]);
});
