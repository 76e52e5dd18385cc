// One program with Anthropic's JavaScript SDK, run against every dialect: Messages on every model.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import {
  ASK_ONE,
  ASK_TWO,
  EACH_DIALECT,
  failure,
  PICTURE,
  PICTURE_SEEN,
  PLAIN,
  THINKING,
  WEATHER,
} from "./setting.ts";

const TOOL: Anthropic.Tool = {
  name: WEATHER.name,
  description: WEATHER.description,
  input_schema: { ...WEATHER.parameters, required: [...WEATHER.parameters.required] },
};

let under: UnderTest;
let client: Anthropic;

beforeAll(async () => {
  under = await startUnderTest();
  client = new Anthropic({ baseURL: under.url, apiKey: under.secret, maxRetries: 0 });
});
afterAll(() => under.stop());

function textOf(message: Anthropic.Message): string {
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

describe.each(EACH_DIALECT)("%s", (model) => {
  const ask = (text: string, more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) => ({
    model,
    max_tokens: 2000,
    messages: [{ role: "user" as const, content: text }],
    ...more,
  });

  test("gives the same answer whole and streamed", async () => {
    const whole = await client.messages.create(ask("say: good day"));
    expect(textOf(whole)).toContain("good day");
    expect(whole).toMatchObject({ type: "message", role: "assistant", model, stop_reason: "end_turn" });
    expect(whole.id).toStartWith("msg_");
    expect(whole.usage.input_tokens).toBeGreaterThan(0);
    expect(whole.usage).toHaveProperty("cost");
    const stream = client.messages.stream(ask("say: good day"));
    const usages: unknown[] = [];
    stream.on("streamEvent", (event) => {
      if (event.type === "message_delta") usages.push(event.usage);
    });
    const streamed = await stream.finalMessage();
    expect(textOf(streamed)).toBe(textOf(whole));
    expect(streamed.stop_reason).toBe("end_turn");
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(usages).toEqual([expect.objectContaining({ cost: expect.any(Number), charged: 0 })]);
  });

  test("accepts a user's id as long as Claude Code's", async () => {
    const user_id = JSON.stringify({
      device_id: "d".repeat(64),
      account_uuid: "",
      session_id: "s".repeat(36),
    });
    expect(textOf(await client.messages.create(ask("say: good day", { metadata: { user_id } })))).toContain(
      "good day",
    );
  });

  test("has citations as a list, or no such key, as older SDKs expect", async () => {
    const { content } = await client.messages.create(ask("say: good day"));
    for (const block of content) if ("citations" in block) expect(block.citations).toBeArray();
  });

  test("runs tools in Anthropic's own loop, without its threads", async () => {
    const calls: unknown[] = [];
    const tool = betaTool({
      name: WEATHER.name,
      description: WEATHER.description,
      inputSchema: WEATHER.parameters,
      run: (input) => {
        calls.push(input);
        return "Sunny.";
      },
    });
    const { messages } = ask(ASK_ONE);
    const last = await client.beta.messages.toolRunner({ model, max_tokens: 2000, messages, tools: [tool] });
    expect(last.stop_reason).toBe("end_turn");
    expect(calls.length).toBe(1);
  });

  test("calls tools and continues from their results", async () => {
    const request = ask(ASK_TWO, { tools: [TOOL] });
    const answers = [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ];
    for (const answer of answers) {
      const calls = answer.content.filter((block) => block.type === "tool_use");
      expect(calls.map(({ name, input }) => [name, input])).toEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      expect(answer.stop_reason).toBe("tool_use");
      const results = calls.map(({ id }, at) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: at === 0 ? "rain" : [{ type: "text" as const, text: "sun" }],
        is_error: at === 0,
      }));
      const after = await client.messages.create({
        ...request,
        messages: [
          ...request.messages,
          { role: "assistant", content: answer.content },
          { role: "user", content: [...results, { type: "text", text: "say: both seen" }] },
        ],
      });
      expect(textOf(after)).toContain("both seen");
    }
  });

  test("accepts a system prompt in blocks, and one in mid-conversation", async () => {
    // Claude before Opus 4.8 and Haiku 5.5 refuses one that its own client sends there.
    const asked = model === "Anthropic#claude-haiku-4-5" ? "Anthropic#claude-haiku-5-5" : model;
    const answer = await client.messages.create(
      ask("", {
        model: asked,
        system: [
          { type: "text", text: "x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli;" },
          { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } },
        ],
        messages: [
          { role: "user", content: "Hello." },
          { role: "system", content: "The user is in a hurry." },
          { role: "assistant", content: "Yes?" },
          { role: "user", content: "say: noted" },
        ],
      }),
    );
    expect(textOf(answer)).toContain("noted");
  });
});

test("a picture reaches the model", async () => {
  const data = PICTURE.split(",")[1] ?? "";
  const answer = await client.messages.create({
    model: PLAIN,
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data } },
          { type: "text", text: "say: seen" },
        ],
      },
    ],
  });
  expect(PICTURE_SEEN).toContain("image/png");
  expect(textOf(answer)).toContain("seen");
});

test("thinking is signed, and accepted when it comes back", async () => {
  const request = {
    model: THINKING,
    max_tokens: 4000,
    thinking: { type: "enabled" as const, budget_tokens: 2000 },
    messages: [{ role: "user" as const, content: ASK_ONE }],
    tools: [TOOL],
  };
  const answer = await client.messages.stream(request).finalMessage();
  const [first] = answer.content;
  expect(first).toMatchObject({ type: "thinking", signature: expect.stringMatching(/^pk1\./) });
  expect(first?.type === "thinking" ? first.thinking : "").not.toBe("");
  const calls = answer.content.filter((block) => block.type === "tool_use");
  const after = await client.messages.create({
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", content: answer.content },
      {
        role: "user",
        content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "rain" })),
      },
    ],
  });
  expect(after.stop_reason).toBe("end_turn");
});

test("Gemini's call signatures go back to Gemini only, whole and streamed", async () => {
  const turn = { role: "user" as const, content: ASK_TWO };
  const request = { model: "Google#gemini-3.5-flash", max_tokens: 2000, messages: [turn], tools: [TOOL] };
  const streamed = await client.messages.stream(request).finalMessage();
  for (const { content } of [await client.messages.create(request), streamed]) {
    expect(content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    const results = content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "rain" }]
        : [],
    );
    const messages = [
      turn,
      { role: "assistant" as const, content },
      { role: "user" as const, content: results },
    ];
    for (const model of [request.model, "Anthropic#claude-opus-5-5", "Responses#gpt-6.1-sol"]) {
      expect(textOf(await client.messages.create({ ...request, model, messages }))).toContain("rain");
      const sent = JSON.stringify(under.simulator.calls.last()?.body);
      expect(/"thoughtSignature":"(?!skip)/.test(sent)).toBe(model === request.model);
      expect(sent).not.toContain("pk1");
    }
  }
});

describe("errors in Anthropic's format", () => {
  test("for an invalid key", async () => {
    const stranger = new Anthropic({ baseURL: under.url, apiKey: "sk-ant-nobody", maxRetries: 0 });
    const error = await failure(
      Anthropic.AuthenticationError,
      stranger.messages.create({ model: PLAIN, max_tokens: 1, messages: [{ role: "user", content: "a" }] }),
    );
    expect(error.error).toMatchObject({ type: "error", error: { type: "authentication_error" } });
    expect(error.headers?.get("x-should-retry")).toBe("false");
  });

  test("for an unknown model", async () => {
    const error = await failure(
      Anthropic.NotFoundError,
      client.messages.create({ model: "nothing", max_tokens: 1, messages: [{ role: "user", content: "a" }] }),
    );
    expect(error.error).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  });

  test("for a field out of bounds", async () => {
    const error = await failure(
      Anthropic.BadRequestError,
      client.messages.create({ model: PLAIN, max_tokens: 0, messages: [{ role: "user", content: "a" }] }),
    );
    expect(error.message).toContain("max_tokens");
  });
});
