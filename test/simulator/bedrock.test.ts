// The simulated Bedrock: its validators' refusals for Converse and for Claude by InvokeModel, and its frames.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { ask, spoken } from "./asking.ts";
import { type Simulator, startSimulator } from "./server.ts";

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator();
});
afterAll(() => sim.stop());

const turn = (role: string, ...content: readonly object[]) => ({ role, content });
const asked = turn("user", { text: "x" });
const called = turn("assistant", { toolUse: { toolUseId: "a", name: "f", input: {} } });
const answered = (status?: string) =>
  turn("user", { toolResult: { toolUseId: "a", content: [{ text: "x" }], ...(status ? { status } : {}) } });
const tools = [{ toolSpec: { name: "f", inputSchema: { json: { type: "object" } } } }];
const point = { cachePoint: { type: "default" } };

const CONVERSE: readonly (readonly [string, JsonObject, RegExp])[] = [
  ["an unknown field", { stream: true }, /stream/],
  ["a blank text", { messages: [turn("user", { text: " " })] }, /is blank/],
  ["turns of one role", { messages: [asked, asked, asked] }, /alternate/],
  ["an end with the assistant", { messages: [asked, turn("assistant", { text: "x" })] }, /must end with/],
  ["a result without a call", { messages: [answered()] }, /exceeds the number of toolUse/],
  ["calls without tools", { messages: [asked, called, answered()] }, /toolConfig field must be defined/],
  ["a forced call", { toolConfig: { tools, toolChoice: { any: {} } } }, /toolChoice/],
  ["a status", { toolConfig: { tools }, messages: [asked, called, answered("error")] }, /status field/],
  ["a cache point", { messages: [turn("user", { text: "x" }, point)] }, /prompt caching/],
  ["an image without bytes", { messages: [turn("user", { image: { url: "x" } })] }, /image.format/],
  ["a temperature above 1", { inferenceConfig: { temperature: 2 } }, /range: 0..1/],
];

describe("Converse refuses, for a model that supports none of it", () => {
  test.each(CONVERSE)("%s", async (_what, fields, says) => {
    const { status, text } = await ask(sim, "bedrock", { model: "meta.llama3-1-8b", with: fields });
    expect([400, 403]).toContain(status);
    expect(text).toMatch(says);
  });
});

const claude = { anthropic_version: "bedrock-2023-05-31", max_tokens: 100 };

async function invoke(fields: JsonObject, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${sim.url}/bedrock/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer a-key", ...headers },
    body: JSON.stringify({ ...claude, messages: [{ role: "user", content: "Hi" }], ...fields }),
  });
}

const INVOKE: readonly (readonly [string, JsonObject, RegExp])[] = [
  ["another version", { anthropic_version: "2023-06-01" }, /API version/],
  ["the model in the body", { model: "x" }, /model: Extra inputs/],
  ["a stream by the body", { stream: true }, /stream: Extra inputs/],
  ["a tier", { service_tier: "auto" }, /service_tier: Extra inputs/],
  ["an unknown beta", { anthropic_beta: ["files-api-2025-04-14"] }, /invalid beta flag/],
  ["context management without its beta", { context_management: {} }, /Extra inputs/],
];

describe("InvokeModel refuses", () => {
  test.each(INVOKE)("%s", async (_what, fields, says) => {
    const response = await invoke(fields);
    expect(response.status).toBe(400);
    expect(response.headers.get("x-amzn-errortype")).toMatch(/^ValidationException:http/);
    expect(await response.text()).toMatch(says);
  });

  test("an invalid signature", async () => {
    const response = await invoke({}, { authorization: "AWS4-HMAC-SHA256 Credential=AKID/1/x" });
    expect(response.status).toBe(403);
  });
});

test("Converse streams text without a start event, and metadata last", async () => {
  const reply = await ask(sim, "bedrock", { text: "say: one two", streamed: true });
  expect(spoken("bedrock", reply)).toBe("one two");
  const names = [...reply.text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  expect(names.slice(0, 2)).toEqual(["messageStart", "contentBlockDelta"]);
  expect(names.slice(-3)).toEqual(["contentBlockStop", "messageStop", "metadata"]);
});
