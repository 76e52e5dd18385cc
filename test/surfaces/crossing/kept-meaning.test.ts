// Summaries of the conversation so far, and demands for tools that a provider runs: leaving one out would change a request's
// meaning. Each is carried as text, or kept to the providers that understand it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { listSignatures, PARALLEL } from "./conversations.ts";
import { CROSSED_MODELS, cross, readAt, SURFACE_KEYS } from "./crossing.ts";

const SUMMARY = "They chose a blue roof.";
const GO_ON = { role: "user", content: "go on" };

function compacted(block: JsonObject, ...rest: readonly JsonObject[]): JsonObject {
  return { messages: [{ role: "assistant", content: [{ type: "compaction", ...block }, ...rest] }, GO_ON] };
}

describe("a readable summary of Anthropic's", () => {
  test.each([...CROSSED_MODELS])("reaches %s as text", (model) => {
    for (const isStreamed of [false, true]) {
      const { body, dropped } = cross("messages", compacted({ content: SUMMARY }), model, isStreamed);
      const sent = JSON.stringify(body);
      expect(sent).toContain(SUMMARY);
      expect(sent.indexOf(SUMMARY)).toBeLessThan(sent.indexOf("go on"));
      expect(sent).not.toMatch(/"role":"assistant","content":("")|(null)/);
      expect(dropped).toEqual([]);
    }
  });

  test("stands before what its turn goes on to say, and after what it said before", () => {
    const before = { type: "text", text: "before" };
    const after = { type: "text", text: "after" };
    const content = [before, { type: "compaction", content: SUMMARY }, after];
    const { ask, lost } = readAt("messages", { messages: [{ role: "assistant", content }, GO_ON] });
    expect(ask.messages.map(({ role }) => role)).toEqual(["assistant", "user", "assistant", "user"]);
    expect(JSON.stringify(ask.messages[1])).toContain(SUMMARY);
    expect(lost).toEqual([]);
  });

  test("that failed means nothing, and is named", () => {
    const { ask, lost, nativeOnly } = readAt(
      "messages",
      compacted({ content: null }, { type: "text", text: "x" }),
    );
    expect(ask.messages.map(({ role }) => role)).toEqual(["assistant", "user"]);
    expect({ lost, nativeOnly }).toEqual({ lost: ["messages[0].content[0]"], nativeOnly: undefined });
  });
});

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({});
});
afterAll(() => world.stop());

async function ask(path: string, body: JsonObject) {
  const calls = world.simulator.calls.total;
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    calls: world.simulator.calls.total - calls,
    model: response.headers.get("x-poundkey-model"),
  };
}

const SEALED_MESSAGES = compacted({ content: null, encrypted_content: "c2VhbGVk" });
const SEALED_RESPONSES = { input: [{ type: "compaction", id: "cmp_1", encrypted_content: "gAAA" }, GO_ON] };
const OTHERS = [
  "OpenAI#gpt-5.4",
  "Google#gemini-3.8-flash",
  "Mistral#mistral-medium-2604",
  "Bedrock#amazon.nova-pro-v1:0",
];

describe.each([false, true])("a sealed summary, streamed: %p", (stream) => {
  test.each(OTHERS)("of Anthropic's is refused for %s", async (model) => {
    const { status, text, calls } = await ask("/v1/messages", {
      model,
      max_tokens: 50,
      stream,
      ...SEALED_MESSAGES,
    });
    expect({ status, calls }).toEqual({ status: 400, calls: 0 });
    expect(text).toContain("history that is sealed in 'messages[0].content[0]'");
  });

  test.each(["Anthropic#claude-sonnet-5-5", ...OTHERS.slice(1)])(
    "of OpenAI's is refused for %s",
    async (model) => {
      const { status, text, calls } = await ask("/v1/responses", { model, stream, ...SEALED_RESPONSES });
      expect({ status, calls }).toEqual({ status: 400, calls: 0 });
      expect(asObject(JSON.parse(text).error)).toMatchObject({
        code: "unsupported_capability",
        param: "input[0]",
      });
    },
  );
});

test("a group passes over the models that can't read a sealed summary", () => {
  expect(readAt("responses", SEALED_RESPONSES).nativeOnly).toEqual({ path: "input[0]", what: "history" });
  expect(readAt("messages", SEALED_MESSAGES).nativeOnly).toEqual({
    path: "messages[0].content[0]",
    what: "history",
  });
});

/** Tools that nobody runs here. */
const DEMANDS: readonly (readonly ["/v1/messages" | "/v1/responses", JsonObject])[] = [
  ...["code_interpreter", "image_generation"].flatMap((type) => {
    const tools = [{ type, container: { type: "auto" } }];
    const other = { type: "function", name: "f", parameters: { type: "object", properties: {} } };
    return [
      ["/v1/responses", { tools, tool_choice: { type } }] as const,
      ["/v1/responses", { tools, tool_choice: "required" }] as const,
      ["/v1/responses", { tools: [...tools, other], tool_choice: { type } }] as const,
    ];
  }),
  ...[{ type: "tool", name: "code_execution" }, { type: "any" }].map((tool_choice) => {
    return [
      "/v1/messages",
      { tools: [{ type: "code_execution_20250825", name: "code_execution" }], tool_choice },
    ] as const;
  }),
];
const MODELS = [
  "OpenAI#gpt-5.4",
  "OpenAI#gpt-5.3-codex",
  "Anthropic#claude-sonnet-4-5",
  "Google#gemini-3.8-flash",
  "Local#sim-mini",
];

describe.each(DEMANDS)("a demand at %s of %j", (path, demand) => {
  test.each(MODELS)("is refused for %s", async (model) => {
    for (const stream of [false, true]) {
      const asked = path === "/v1/messages" ? { max_tokens: 50, messages: [GO_ON] } : { input: "go on" };
      const { status, text, calls } = await ask(path, { model, stream, ...asked, ...demand });
      expect({ status, calls }).toEqual({ status: 400, calls: 0 });
      expect(text).toContain("'tool_choice' demands a tool");
    }
  });
});

test("tools that only run code are refused for a named model of another family, and left out elsewhere", async () => {
  const code = { type: "code_interpreter", container: { type: "auto" } };
  const other = { type: "function", name: "f", parameters: { type: "object", properties: {} } };
  const send = async (model: string, tools: readonly object[], tool_choice = "auto") =>
    (await ask("/v1/responses", { model, input: "go on", tools, tool_choice })).status;
  const claude = "Anthropic#claude-sonnet-4-5";
  expect(await send(claude, [code])).toBe(400);
  expect(await send(claude, [code], "none")).toBe(200);
  expect(await send(claude, [code, other])).toBe(200);
  expect(await send("OpenAI#gpt-5.4", [code])).toBe(200);
  const execution = { type: "code_execution_20250825", name: "code_execution" };
  const body = { max_tokens: 50, messages: [GO_ON], tools: [execution] };
  const refused = await ask("/v1/messages", { model: "OpenAI#gpt-5.4", ...body });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("function of your own")]);
  expect((await ask("/v1/messages", { model: claude, ...body })).status).toBe(200);
});

test("a demand for a tool that the family's providers run is refused elsewhere", async () => {
  const tools = [{ type: "web_fetch_20250910", name: "web_fetch" }];
  const body = { max_tokens: 50, messages: [GO_ON], tools, tool_choice: { type: "tool", name: "web_fetch" } };
  const elsewhere = await ask("/v1/messages", { model: "OpenAI#gpt-5.4", ...body });
  expect(elsewhere.status).toBe(400);
  expect(elsewhere.text).toContain("can't run the tool that 'tool_choice' demands");
  expect((await ask("/v1/messages", { model: "Anthropic#claude-sonnet-4-5", ...body })).status).toBe(200);
});

test("a choice of a tool that the request doesn't offer is still left out", () => {
  const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }];
  const { nativeOnly, dropped } = readAt("responses", {
    input: "hi",
    tools,
    tool_choice: { type: "computer" },
  });
  expect({ nativeOnly, dropped }).toEqual({ nativeOnly: undefined, dropped: ["tool_choice"] });
});

test("a choice defines no tools of its own", () => {
  const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }];
  const mcp = { type: "mcp", server_label: "x", server_url: "https://mcp.test" };
  const send = (tool_choice: JsonObject) => readAt("responses", { input: "hi", tools, tool_choice });
  expect(send(mcp).raw?.body.tool_choice).toBeUndefined();
  const allowed = { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }, mcp] };
  const { raw, dropped } = send(allowed);
  expect(raw?.body.tool_choice).toEqual({ ...allowed, tools: [{ type: "function", name: "f" }] });
  expect(dropped).toEqual(["tool_choice"]);
  const own = { ...allowed, tools: [{ type: "function", name: "f" }] };
  expect(send(own).raw?.body.tool_choice).toBe(own);
});

test("betas and tools in the wrong place don't pass", () => {
  const { raw, dropped } = readAt("messages", { messages: [GO_ON], betas: ["fast-mode-2026-02-01"] });
  expect({ betas: raw?.body.betas, dropped }).toEqual({ betas: undefined, dropped: ["betas"] });
  const parts = [{ text: "hi" }];
  const stray = { tools: [{ codeExecution: {} }] };
  for (const body of [
    { contents: [{ role: "user", parts, ...stray }] },
    { contents: [{ role: "user", parts }], systemInstruction: { parts, ...stray } },
  ]) {
    expect(() => readAt("gemini", body)).toThrow();
  }
  const args = { tools: ["hammer"] };
  const call = {
    contents: [
      { role: "user", parts },
      { role: "model", parts: [{ functionCall: { name: "f", args } }] },
    ],
  };
  expect(() => readAt("gemini", call)).not.toThrow();
});

test.each([...SURFACE_KEYS])(
  "of parallel calls from %s, only the first has what stands for a signature",
  (surface) => {
    for (const model of ["Google#gemini-3.8-flash", "Vertex#gemini-3.1-pro-preview"]) {
      for (const isStreamed of [false, true]) {
        const { body } = cross(surface, PARALLEL[surface], model, isStreamed);
        expect(listSignatures(body)).toEqual(["skip_thought_signature_validator", undefined]);
      }
    }
  },
);
