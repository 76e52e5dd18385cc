// Strict tools of Messages clients, which may have optional properties: where OpenAI's rules refuse their schema, they are
// sent as plain tools, and named.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({});
});
afterAll(() => world.stop());

const place = { type: "string", description: "The city." };
const closed = { type: "object", properties: { place }, required: ["place"], additionalProperties: false };

function withOptional(property: JsonObject): JsonObject {
  return { ...closed, properties: { place, other: property } };
}

function makeTool(name: string, input_schema: JsonObject, more: JsonObject = {}): JsonObject {
  return { name, input_schema, ...more };
}

async function ask(path: string, body: JsonObject) {
  const messages = [{ role: "user", content: "hello" }];
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ max_tokens: 50, messages, ...body }),
  });
  const sent = asObject(world.simulator.calls.last()?.body);
  const tools = asArray(sent.tools).map((tool) => asObject(asObject(tool).function ?? tool));
  const strict = Object.fromEntries(tools.map((tool) => [tool.name, tool.strict]));
  const text = await response.text();
  return { status: response.status, text, dropped: response.headers.get("x-poundkey-dropped"), strict, sent };
}

describe.each(["OpenAI#gpt-5.4", "Local#sim-mini", "Responses#gpt-5.4", "Perplexity#openai/gpt-5.4"])(
  "%s",
  (model) => {
    test("keeps strict what meets the rules, and names what doesn't by its place", async () => {
      const tools = [
        { type: "web_fetch_20250910", name: "web_fetch" },
        makeTool("closed", closed, { strict: true }),
        makeTool("open", withOptional({ type: "string" })),
        makeTool("optional", withOptional({ type: "string", default: "x" }), { strict: true }),
      ];
      const { status, text, dropped, strict, sent } = await ask("/v1/messages", { model, tools });
      expect([status, text]).toEqual([200, expect.stringContaining("hello")]);
      expect(strict).toMatchObject({ closed: true, optional: false });
      expect(strict.open).not.toBe(true);
      expect(dropped?.split(", ")).toEqual(expect.arrayContaining(["tools[0]", "tools[3].strict"]));
      expect(dropped).not.toContain("tools[1]");
      expect(JSON.stringify(sent)).not.toContain("strict_at");
    });

    test("says nothing where all meet the rules", async () => {
      const tools = [makeTool("closed", closed, { strict: true })];
      const { status, dropped, strict } = await ask("/v1/messages", { model, tools });
      expect({ status, dropped: dropped ?? "", strict }).toEqual({
        status: 200,
        dropped: "",
        strict: { closed: true },
      });
    });
  },
);

describe("the rules", () => {
  const node = { type: "object", properties: {}, required: [], additionalProperties: false };
  const SCHEMAS: readonly (readonly [string, JsonObject, boolean])[] = [
    ["an optional property", withOptional({ type: "string" }), false],
    ["an open object", { ...closed, additionalProperties: true }, false],
    ["an object of which nothing is said", { ...closed, additionalProperties: undefined }, false],
    ["an open object within a list", list({ ...node, additionalProperties: undefined }), false],
    ["a closed object within a list", list(node), true],
    ["a nullable object that is open", list({ type: ["object", "null"] }), false],
    ["a default", list({ type: "string", default: "x" }), false],
    ["a bound of a length", list({ type: "string", minLength: 1 }), false],
    ["a bound of a number", list({ type: "integer", minimum: 1 }), true],
    ["a known format", list({ type: "string", format: "date" }), true],
    ["another format", list({ type: "string", format: "uri" }), false],
    ["branches", list({ anyOf: [{ type: "string" }, node] }), true],
    ["branches of which one is open", list({ anyOf: [{ type: "string" }, { type: "object" }] }), false],
    ["branches of which exactly one counts", list({ oneOf: [{ type: "string" }, node] }), false],
    ["a definition", { ...list({ $ref: "#/$defs/a" }), $defs: { a: node } }, true],
    ["an open definition", { ...list({ $ref: "#/$defs/a" }), $defs: { a: { type: "object" } } }, false],
    ["a choice at the root", { ...node, anyOf: [node] }, false],
    ["no properties", node, true],
  ];
  test.each(SCHEMAS)("%s", async (_, schema, isKept) => {
    const tools = [makeTool("f", schema, { strict: true })];
    const { status, dropped, strict } = await ask("/v1/messages", { model: "OpenAI#gpt-5.4", tools });
    expect([status, strict.f, dropped]).toEqual([200, isKept, isKept ? null : "tools[0].strict"]);
  });

  function list(items: JsonObject): JsonObject {
    const properties = { all: { type: "array", items } };
    return { type: "object", properties, required: ["all"], additionalProperties: false };
  }
});

test("models of other families keep optional properties strict", async () => {
  const tools = [makeTool("optional", withOptional({ type: "string" }), { strict: true })];
  const { status, strict, dropped } = await ask("/v1/messages", {
    model: "Anthropic#claude-opus-5-5",
    tools,
  });
  expect([status, strict, dropped]).toEqual([200, { optional: true }, null]);
});

test("a tool of the chat form is left to the server, which says what is wrong", async () => {
  const fn = { name: "f", parameters: withOptional({ type: "string" }), strict: true };
  const tools = [{ type: "function", function: fn }];
  const { status, text } = await ask("/v1/chat/completions", { model: "OpenAI#gpt-5.4", tools });
  expect([status, text]).toEqual([400, expect.stringContaining("Missing 'other'")]);
});
