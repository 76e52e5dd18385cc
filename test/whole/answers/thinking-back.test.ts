// Thinking that a client sends back with the result of a call, through the whole gateway: read by the vendors' own SDKs,
// streamed and whole, and sent to strict providers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

let under: UnderTest;
beforeAll(async () => {
  const row = (name: string, url: string) =>
    `  ${name}: { keys: ["sim-key"], base_url: "${url}/openai/v1", unlisted_models: true }`;
  under = await startUnderTest({ more: (url) => `${row("DeepSeek", url)}\n${row("OpenRouter", url)}` });
});
afterAll(() => under.stop());

const MODELS = [
  "Anthropic#claude-sonnet-4-5",
  "Bedrock#us.anthropic.claude-sonnet-4-5-v1:0",
  "Bedrock#openai.gpt-oss-120b-1:0",
  "Cohere#command-a-reasoning",
  "DeepSeek#sim-think",
  "Google#gemini-3-pro",
  "Local#sim-think",
  "Mistral#magistral-medium",
  "OpenRouter#sim-think",
  "Responses#gpt-5.6",
];

const TASK = 'call weather({"city":"Oslo"})';
const SCHEMA = { type: "object" as const, properties: { city: { type: "string" } } };

interface Got {
  readonly status: number;
  readonly attempts: string | null;
  readonly text: string;
}

interface Way {
  /** Returns the turns of the first answer as the SDK reads them. */
  readonly first: (model: string, streams: boolean) => Promise<readonly unknown[]>;
  /** Sends them back with the result of their call. */
  readonly second: (model: string, turns: readonly unknown[]) => Promise<Got>;
}

async function post(path: string, body: JsonObject): Promise<Got> {
  const response = await fetch(under.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${under.secret}` },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  return { status, attempts: headers.get("x-poundkey-attempts"), text: await response.text() };
}

const ASKED = { role: "user" as const, content: TASK };

const MESSAGES = {
  body: (model: string) => ({
    model,
    max_tokens: 4000,
    thinking: { type: "enabled" as const, budget_tokens: 2000 },
    tools: [{ name: "weather", input_schema: SCHEMA }],
  }),
  async first(model: string, streams: boolean) {
    const client = new Anthropic({ apiKey: under.secret, baseURL: under.url, maxRetries: 0 });
    const body = { ...this.body(model), messages: [ASKED] };
    const { messages } = client;
    const { content } = await (streams ? messages.stream(body).finalMessage() : messages.create(body));
    return [{ role: "assistant", content }];
  },
  second(model: string, turns: readonly unknown[]) {
    const blocks = asArray(asObject(turns[0]).content).map(asObject);
    const { id } = blocks.find(({ type }) => type === "tool_use") ?? {};
    const result = { type: "tool_result", tool_use_id: id, content: "sunny" };
    const messages = [ASKED, ...turns, { role: "user", content: [result] }];
    return post("/v1/messages", { ...this.body(model), messages });
  },
};

const RESPONSES = {
  body: (model: string) => ({
    model,
    reasoning: { effort: "high" as const, summary: "auto" as const },
    tools: [{ type: "function" as const, name: "weather", parameters: SCHEMA, strict: false }],
  }),
  async first(model: string, streams: boolean) {
    const client = new OpenAI({ apiKey: under.secret, baseURL: `${under.url}/v1`, maxRetries: 0 });
    const body = { ...this.body(model), input: TASK };
    const { responses } = client;
    const { output } = await (streams ? responses.stream(body).finalResponse() : responses.create(body));
    // The SDK's own addition, which OpenAI refuses.
    return output.map((item) => ({ ...item, parsed_arguments: undefined }));
  },
  second(model: string, turns: readonly unknown[]) {
    const { call_id } = turns.map(asObject).find(({ type }) => type === "function_call") ?? {};
    const result = { type: "function_call_output", call_id, output: "sunny" };
    return post("/v1/responses", { ...this.body(model), input: [ASKED, ...turns, result] });
  },
};

const GEMINI = {
  tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: SCHEMA }] }],
  thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 },
  async first(model: string, streams: boolean) {
    const client = new GoogleGenAI({ apiKey: under.secret, httpOptions: { baseUrl: under.url } });
    const config = { tools: this.tools, thinkingConfig: this.thinkingConfig };
    const request = { model: model.replace("#", "/"), contents: TASK, config };
    const { models } = client;
    const pieces = streams
      ? await Array.fromAsync(await models.generateContentStream(request))
      : [await models.generateContent(request)];
    const parts = pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    // The last piece of a stream has an empty text.
    return [{ role: "model", parts: parts.filter((part) => part.text !== "" || part.thoughtSignature) }];
  },
  second(model: string, turns: readonly unknown[]) {
    const parts = asArray(asObject(turns[0]).parts).map(asObject);
    const { id } = asObject(parts.find(({ functionCall }) => functionCall)?.functionCall);
    const functionResponse = { name: "weather", id, response: { output: "sunny" } };
    const asked = { role: "user", parts: [{ text: TASK }] };
    const contents = [asked, ...turns, { role: "user", parts: [{ functionResponse }] }];
    const body = { contents, tools: this.tools, generationConfig: { thinkingConfig: this.thinkingConfig } };
    return post(`/v1beta/models/${model.replace("#", "/")}:generateContent`, body);
  },
};

const THOUGHT = JSON.stringify(`Thinking about: ${TASK}`).slice(1, -1);

/** A thought without a signature reaches these as a detail of each piece, too. */
const TAKING_DETAILS = ["Local#sim-think", "OpenRouter#sim-think"];

const SURFACES: readonly (readonly [name: string, way: Way, models: readonly string[]])[] = [
  ["messages", MESSAGES, MODELS],
  ["responses", RESPONSES, MODELS],
  ["gemini", GEMINI, MODELS.filter((model) => !TAKING_DETAILS.includes(model))],
];

describe.each(SURFACES)("%s", (_surface, way, models) => {
  describe.each([
    ["streamed", true],
    ["whole", false],
  ] as const)("%s", (_name, streams) => {
    test.each(models)("the thinking of %s comes back to it once", async (model) => {
      const turns = await way.first(model, streams);
      const got = await way.second(model, turns);
      expect([got.status, got.attempts]).toEqual([200, "1"]);
      expect(got.text).toContain("weather → sunny");
      const sent = JSON.stringify(under.simulator.calls.last()?.body);
      expect(sent.split(THOUGHT).length - 1).toBe(JSON.stringify(turns).includes("Thinking") ? 1 : 0);
    });
  });
});

test.each(MODELS)(
  "any model goes on after %s, without its provider having refused anything",
  async (maker) => {
    for (const [, way] of SURFACES) {
      const turns = await way.first(maker, false);
      for (const taker of MODELS) {
        const { status, attempts, text } = await way.second(taker, turns);
        expect([taker, status, attempts, text]).toEqual([taker, 200, "1", expect.stringContaining("sunny")]);
      }
    }
  },
);
