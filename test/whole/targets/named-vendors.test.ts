// Rules of named vendors, kept from the first request on: on every surface, whole and streamed, at the known provider and at a
// row of the operator's with its address.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { sampleRows } from "../../harness/long.ts";
import type { SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import {
  LM_STUDIO,
  NAMED_WAYS,
  type NamedVendors,
  startNamedVendors,
  type Vendor,
  writeBodies,
} from "./named-vendors.ts";

let vendors: NamedVendors;
beforeAll(async () => {
  vendors = await startNamedVendors();
});
afterAll(() => vendors.stop());

const SAY = "say: good day";
const EMPTY = { type: "object", properties: {} };
const MAGIC = "21st_magic_component_builder";

const listModels = (vendor: Vendor, ...names: readonly string[]) =>
  names.flatMap((name) => [`${vendor}#${name}`, `Mine${vendor}#${name}`]);

function listFunctions(sent: JsonObject): readonly JsonObject[] {
  return asArray(sent.tools).map((tool) => asObject(asObject(tool).function));
}

/** Each surface names what it calls by its own name. */
const EFFORT_FIELDS: Readonly<Record<SurfaceKey, RegExp>> = {
  chat: /effort/,
  messages: /effort|thinking/,
  responses: /effort|reasoning/,
  gemini: /thinking/,
};

describe.each(NAMED_WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
  /** Half of them whole, the others streamed. */
  const take = (models: readonly string[]) => sampleRows(models, 2, Number(stream));
  const GROKS = ["grok-4.20-0309-reasoning", "grok-build-0.1", "grok-code-fast-1"];
  test.each([...take([...listModels("xAI", ...GROKS), ...GROKS.map((name) => `Direct#${name}`)])])(
    "%s gets no effort, and the answer says so",
    async (model) => {
      const body = writeBodies({ text: SAY, effort: "high" })[surface];
      const answer = await vendors.ask(surface, model, body, stream);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("good")]);
      expect(answer.dropped).toMatch(EFFORT_FIELDS[surface]);
      expect(answer.sent.reasoning_effort).toBeUndefined();
      expect(answer.sent.reasoning).toBeUndefined();
    },
  );

  test.each([...take([...listModels("xAI", "grok-4.3", "grok-4.7"), "Direct#grok-4.7"])])(
    "%s gets the effort",
    async (model) => {
      const body = writeBodies({ text: SAY, effort: "high" })[surface];
      const { status, dropped, sent } = await vendors.ask(surface, model, body, stream);
      expect([status, dropped]).toEqual([200, null]);
      expect(sent.reasoning_effort ?? asObject(sent.reasoning).effort).toBe("high");
    },
  );

  const SCHEMA = {
    type: "object",
    properties: {
      r: { $ref: "#/$defs/R", description: "Where to look." },
      tree: { $ref: "#/$defs/Tree" },
      view: { enum: ["text", "raw"] },
      level: { enum: [1, null] },
      any: { description: "Anything." },
    },
    required: ["view"],
    $defs: {
      R: { type: "string", description: "A place." },
      Tree: {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
      },
    },
  };
  const TREE = { type: "object", properties: { children: { type: "array", items: { type: "object" } } } };

  test.each([...take(listModels("Moonshot", "kimi-k2.6", "kimi-k3"))])(
    "%s gets tools in its flavour of JSON Schema",
    async (model) => {
      const body = writeBodies({ text: SAY, tools: [{ name: "look", schema: SCHEMA }] })[surface];
      const answer = await vendors.ask(surface, model, body, stream);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("good")]);
      const [look] = listFunctions(answer.sent);
      const { $defs, properties } = asObject(look?.parameters);
      expect($defs).toBeUndefined();
      expect(properties).toMatchObject({
        r: { type: "string", description: "Where to look." },
        tree: TREE,
        view: { type: "string", enum: ["text", "raw"] },
        level: { anyOf: [{ type: "number", enum: [1] }, { type: "null" }] },
        any: { description: "Anything.", anyOf: expect.arrayContaining([{ type: "string" }]) },
      });
    },
  );

  test.each([...take(listModels("Moonshot", "kimi-k2.6", "kimi-k3"))])(
    "%s gets names that begin with a letter, and calls come back by the client's",
    async (model) => {
      const tools = [MAGIC, "_private", "plain"].map((name) => ({ name, schema: EMPTY }));
      const body = writeBodies({ text: "Go on.", tools, choice: MAGIC, called: MAGIC })[surface];
      const answer = await vendors.ask(surface, model, body, stream);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"${MAGIC}"`)]);
      expect(answer.text).not.toContain("tool_21st");
      const sent = JSON.stringify(answer.sent);
      expect(sent).not.toContain(`"${MAGIC}"`);
      const calls = asArray(answer.sent.messages).flatMap((one) => asArray(asObject(one).tool_calls));
      const [name] = calls.map((call) => asObject(asObject(call).function).name);
      expect(name).toStartWith("tool_21st_magic_component_builder_");
      expect(listFunctions(answer.sent).map((one) => one.name)).toContain(name);
    },
  );

  const ONE = { name: "one", schema: EMPTY };
  const TWO = { name: "two", schema: EMPTY };

  test.each([...take(listModels("Moonshot", "kimi-k2.5", "kimi-k2.6"))])(
    "%s doesn't think where a named tool must be called",
    async (model) => {
      const body = writeBodies({ text: "Go.", tools: [ONE, TWO], choice: "two" })[surface];
      const { status, text, sent } = await vendors.ask(surface, model, body, stream);
      expect([status, text]).toEqual([200, expect.stringContaining('"two"')]);
      expect(sent).toMatchObject({ thinking: { type: "disabled" }, tool_choice: expect.anything() });
    },
  );

  test.each([...take(listModels("Moonshot", "kimi-k3"))])(
    "%s is offered the named tool alone, which must be called",
    async (model) => {
      const body = writeBodies({ text: "Go.", tools: [ONE, TWO], choice: "two" })[surface];
      const { status, text, dropped, sent } = await vendors.ask(surface, model, body, stream);
      expect([status, text]).toEqual([200, expect.stringContaining('"two"')]);
      expect([dropped, sent.tool_choice]).toEqual([null, "required"]);
      expect(listFunctions(sent).map((one) => one.name)).toEqual(["two"]);
    },
  );

  test.each([...take(listModels("ZAI", "glm-4.7", "glm-5.3"))])(
    "%s keeps the thinking that comes back",
    async (model) => {
      const tools = [ONE];
      const back = writeBodies({ text: SAY, tools, called: "one" })[surface];
      const { status, sent } = await vendors.ask(surface, model, back, stream);
      expect([status, JSON.stringify(sent)]).toEqual([200, expect.stringContaining("Hm, let me look.")]);
      expect(sent.thinking).toEqual({ type: "enabled", clear_thinking: false });
      const fresh = await vendors.ask(surface, model, writeBodies({ text: SAY, tools })[surface], stream);
      expect([fresh.status, fresh.sent.thinking]).toEqual([200, undefined]);
    },
  );

  test.each([...take(listModels("MiniMax", "MiniMax-M3"))])(
    "%s gets the parameters of each tool",
    async (model) => {
      const body = writeBodies({ text: SAY, tools: [{ name: "one", schema: {} }] })[surface];
      const { status, sent } = await vendors.ask(surface, model, body, stream);
      expect([status, listFunctions(sent)[0]?.parameters]).toEqual([200, EMPTY]);
    },
  );

  const LOCAL = `${LM_STUDIO}#lmstudio-community/qwen3-8b`;

  test(`${LOCAL} is offered a named tool alone, which must be called`, async () => {
    const body = writeBodies({ text: "Go.", tools: [ONE, TWO], choice: "two" })[surface];
    const { status, text, sent } = await vendors.ask(surface, LOCAL, body, stream);
    expect([status, text, sent.tool_choice]).toEqual([200, expect.stringContaining('"two"'), "required"]);
    expect(listFunctions(sent).map((one) => one.name)).toEqual(["two"]);
  });

  // The Messages API has no JSON without a schema.
  test.each(surface === "messages" ? [] : [LOCAL])("%s is asked for JSON by a schema", async (model) => {
    const body = writeBodies({ text: `${SAY} as JSON`, isJson: true })[surface];
    const { status, dropped, sent } = await vendors.ask(surface, model, body, stream);
    expect([status, dropped]).toEqual([200, null]);
    expect(sent.response_format).toMatchObject({ json_schema: { schema: { type: "object" } } });
  });

  test.each([...take(listModels("Cerebras", "gpt-oss-120b", "zai-glm-4.7"))])(
    "%s gets neither strict tools nor a word on parallel calls",
    async (model) => {
      const body = PARALLEL[surface];
      const { status, dropped, sent } = await vendors.ask(surface, model, body, stream);
      expect([status, sent.parallel_tool_calls]).toEqual([200, undefined]);
      expect(listFunctions(sent).map(({ strict }) => strict)).toEqual([undefined]);
      if (surface === "gemini") return;
      expect(dropped).toMatch(/strict/);
      expect(dropped).toMatch(surface === "messages" ? /tool_choice/ : /parallel_tool_calls/);
    },
  );
});

const CLOSED = { ...EMPTY, required: [], additionalProperties: false };
const PLAIN = writeBodies({ text: SAY, tools: [{ name: "one", schema: CLOSED }] });
/** Gemini's API can't say either. */
const PARALLEL: Readonly<Record<SurfaceKey, JsonObject>> = {
  ...PLAIN,
  chat: {
    ...PLAIN.chat,
    tools: [{ type: "function", function: { name: "one", parameters: CLOSED, strict: true } }],
    parallel_tool_calls: false,
  },
  messages: {
    ...PLAIN.messages,
    tools: [{ name: "one", input_schema: CLOSED, strict: true }],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  },
  responses: {
    ...PLAIN.responses,
    tools: [{ type: "function", name: "one", parameters: CLOSED, strict: true }],
    parallel_tool_calls: false,
  },
};
