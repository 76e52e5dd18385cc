// The last majors of OpenAI's, Anthropic's and Google's own SDKs read the answers of their surface.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import type OpenAI from "openai";
import { asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ASK_ONE, DIALECTS, THINKING, WEATHER, WEATHER_FUNCTION } from "../setting.ts";
import { ANTHROPIC_SDKS, GOOGLE_SDKS, INSTALLED, OPENAI_SDKS, Readings } from "./majors.ts";

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest();
});
afterAll(() => under.stop());

const MODELS = [...DIALECTS, THINKING];
const TEXT = "say: good day";
const plain = (text: string | null | undefined) => (text ?? "").replace(/\[1\]$/, "");
const CITY = { city: "Oslo" };

type Cases<Client> = Readonly<Record<string, (client: Client, model: string) => Promise<void>>>;

/** The error that the work fails with. */
async function catchError(work: PromiseLike<unknown>): Promise<Readonly<Record<string, unknown>>> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  return { ...Object(thrown), message: Object(thrown).message };
}

const chat = (model: string, content: string, more: object = {}) => ({
  model,
  messages: [{ role: "user" as const, content }],
  ...more,
});
const CHAT_TOOLS = { tools: [{ type: "function" as const, function: { ...WEATHER } }] };

const OPENAI_CASES: Cases<OpenAI> = {
  async "chat, text"(client, model) {
    const { choices, usage } = await client.chat.completions.create(chat(model, TEXT));
    expect([plain(choices[0]?.message.content), choices[0]?.finish_reason]).toEqual(["good day", "stop"]);
    expect(usage?.prompt_tokens).toBeGreaterThan(0);
  },
  async "chat, streamed text"(client, model) {
    const streamed = await client.chat.completions.create({ ...chat(model, TEXT), stream: true });
    const chunks = await Array.fromAsync(streamed);
    expect(plain(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""))).toBe("good day");
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
  },
  async "chat, calls"(client, model) {
    const { choices } = await client.chat.completions.create(chat(model, ASK_ONE, CHAT_TOOLS));
    const [call] = choices[0]?.message.tool_calls ?? [];
    if (call?.type !== "function") throw new Error("no call");
    expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual([WEATHER.name, CITY]);
  },
  async "chat, streamed calls"(client, model) {
    const stream = client.chat.completions.stream(chat(model, ASK_ONE, CHAT_TOOLS));
    const { choices } = await stream.finalChatCompletion();
    const [call] = choices[0]?.message.tool_calls ?? [];
    if (call?.type !== "function") throw new Error("no call");
    expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual([WEATHER.name, CITY]);
  },
  async "chat, refusal"(client, model) {
    const { choices } = await client.chat.completions.create(chat(model, "refuse"));
    expect(choices).toHaveLength(1);
  },
  async "responses, text"(client, model) {
    const answer = await client.responses.create({ model, input: TEXT });
    expect([plain(answer.output_text), answer.status, answer.error]).toEqual(["good day", "completed", null]);
    expect(answer.usage?.input_tokens).toBeGreaterThan(0);
  },
  async "responses, streamed text"(client, model) {
    const { output } = await client.responses.stream({ model, input: TEXT }).finalResponse();
    const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
    const said = parts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
    expect(plain(said)).toBe("good day");
  },
  async "responses, calls"(client, model) {
    const request = { model, input: ASK_ONE, tools: [WEATHER_FUNCTION] };
    const whole = await client.responses.create(request);
    const streamed = await client.responses.stream(request).finalResponse();
    for (const { output } of [whole, streamed]) {
      const call = output.find(({ type }) => type === "function_call");
      if (call?.type !== "function_call") throw new Error("no call");
      expect([call.name, JSON.parse(call.arguments)]).toEqual([WEATHER.name, CITY]);
    }
  },
  async "responses, refusal"(client, model) {
    const whole = await client.responses.create({ model, input: "refuse" });
    const streamed = await client.responses.stream({ model, input: "refuse" }).finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(whole.output.map(({ type }) => type));
  },
};

const message = (model: string, content: string, more: object = {}) => ({
  model,
  max_tokens: 2000,
  messages: [{ role: "user" as const, content }],
  ...more,
});
const MESSAGE_TOOLS = {
  tools: [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.parameters }],
};

const ANTHROPIC_CASES: Cases<Anthropic> = {
  async text(client, model) {
    const whole = await client.messages.create(message(model, TEXT));
    const streamed = await client.messages.stream(message(model, TEXT)).finalMessage();
    for (const { content, stop_reason: reason, usage } of [whole, streamed]) {
      const said = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      expect([plain(said), reason]).toEqual(["good day", "end_turn"]);
      expect(usage.output_tokens).toBeGreaterThan(0);
    }
  },
  async calls(client, model) {
    const request = message(model, ASK_ONE, MESSAGE_TOOLS);
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const { content, stop_reason: reason } of [whole, streamed]) {
      const call = content.find(({ type }) => type === "tool_use");
      expect([call, reason]).toMatchObject([{ name: WEATHER.name, input: CITY }, "tool_use"]);
    }
  },
  async refusal(client, model) {
    const whole = await client.messages.create(message(model, "refuse"));
    const streamed = await client.messages.stream(message(model, "refuse")).finalMessage();
    expect(streamed.stop_reason).toBe(whole.stop_reason);
  },
};

const GOOGLE_TOOLS = {
  config: {
    tools: [
      {
        functionDeclarations: [
          { name: WEATHER.name, description: WEATHER.description, parametersJsonSchema: WEATHER.parameters },
        ],
      },
    ],
  },
};

const GOOGLE_CASES: Cases<GoogleGenAI> = {
  async text({ models }, model) {
    const whole = await models.generateContent({ model, contents: TEXT });
    expect(plain(whole.text)).toBe("good day");
    expect(whole.usageMetadata?.promptTokenCount).toBeGreaterThan(0);
    let text = "";
    for await (const chunk of await models.generateContentStream({ model, contents: TEXT }))
      text += chunk.text ?? "";
    expect(plain(text)).toBe("good day");
  },
  async calls({ models }, model) {
    const request = { model, contents: ASK_ONE, ...GOOGLE_TOOLS };
    const whole = await models.generateContent(request);
    expect(whole.functionCalls).toMatchObject([{ name: WEATHER.name, args: CITY }]);
    const calls: unknown[] = [];
    for await (const chunk of await models.generateContentStream(request))
      calls.push(...(chunk.functionCalls ?? []));
    expect(calls).toMatchObject([{ name: WEATHER.name, args: CITY }]);
  },
  async refusal({ models }, model) {
    const { candidates } = await models.generateContent({ model, contents: "refuse" });
    expect(candidates).toHaveLength(1);
  },
};

async function readAll<Client>(
  readings: Readings,
  cases: Cases<Client>,
  client: Client,
  nameModel: (id: string) => string = (id) => id,
): Promise<void> {
  for (const id of MODELS) {
    for (const [name, run] of Object.entries(cases))
      await readings.read(`${id}, ${name}`, () => run(client, nameModel(id)));
  }
}

const REFUSED = "Local#sim-mini~400";

describe.skipIf(!INSTALLED)("the vendors' SDKs", () => {
  test.each(Object.entries(OPENAI_SDKS))("%s", async (major, load) => {
    const { default: Client } = await load();
    const client = new Client({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
    const readings = new Readings(major);
    await readAll(readings, OPENAI_CASES, client);
    await readings.read("an error", async () => {
      const error = await catchError(client.chat.completions.create(chat(REFUSED, "a")));
      expect(error).toMatchObject({ status: 400, message: expect.stringContaining("Simulated") });
    });
    await readings.read("a broken stream", async () => {
      const model = `Local#${major.replace(" ", "-")}~pace=20~cut`;
      const broken = await client.chat.completions.create({
        ...chat(model, "say: one two three"),
        stream: true,
      });
      expect((await catchError(Array.fromAsync(broken))).message).toContain("Local");
    });
    readings.expectRead();
  });

  test.each(Object.entries(ANTHROPIC_SDKS))("%s", async (major, load) => {
    const { default: Client } = await load();
    const client = new Client({ baseURL: under.url, apiKey: under.secret, maxRetries: 0 });
    const readings = new Readings(major);
    await readAll(readings, ANTHROPIC_CASES, client);
    await readings.read("thinking", async () => {
      const { content } = await client.messages.create(message(THINKING, "say: hi"));
      expect(content[0]).toMatchObject({ type: "thinking", thinking: "Thinking about: say: hi" });
    });
    await readings.read("an error", async () => {
      const error = await catchError(client.messages.create(message(REFUSED, "a")));
      expect([error.status, asObject(error.error).type]).toEqual([400, "error"]);
    });
    await readings.read("a broken stream", async () => {
      const model = `Local#anthropic-${major.slice(-1)}~pace=20~cut`;
      const stream = client.messages.stream(message(model, "say: one two three"));
      expect((await catchError(stream.finalMessage())).message).toContain("Local");
    });
    readings.expectRead();
  });

  test.each(Object.entries(GOOGLE_SDKS))("%s", async (major, load) => {
    const { GoogleGenAI: Client } = await load();
    const client = new Client({ apiKey: under.secret, httpOptions: { baseUrl: under.url } });
    const readings = new Readings(major);
    await readAll(readings, GOOGLE_CASES, client, (id) => id.replace("#", "/"));
    await readings.read("thinking", async () => {
      const model = THINKING.replace("#", "/");
      const { candidates } = await client.models.generateContent({ model, contents: "say: hi" });
      expect(candidates?.[0]?.content?.parts?.[0]).toMatchObject({ thought: true });
    });
    await readings.read("an error", async () => {
      const model = REFUSED.replace("#", "/");
      const error = await catchError(client.models.generateContent({ model, contents: "a" }));
      expect(error.status).toBe(400);
    });
    readings.expectRead();
  });
});
