// Vercel's AI SDK with its OpenAI-compatible provider against the running gateway.
import { afterAll, describe, expect, test } from "bun:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, isStepCount, Output, RetryError, streamText, tool } from "ai";
import { z } from "zod";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { startUnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import {
  ASK_TWO,
  DIALECTS,
  doorTo,
  failure,
  PICTURE_BYTES,
  PICTURE_SEEN,
  PLAIN,
  readStanding,
  THINKING,
} from "./setting.ts";

const under = await startUnderTest();
const model = modelsOf(under.url, under.secret);
afterAll(() => under.stop());

function modelsOf(url: string, apiKey: string) {
  return createOpenAICompatible({
    name: "poundkey",
    baseURL: `${url}/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
}

/** Receives the errors of streams, which the SDK otherwise writes to the console. */
const quiet = { onError: () => {} };

const get_weather = tool({
  description: "Today's weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: "blue" }),
});

describe("text", () => {
  test("is generated, with usage and the request's id", async () => {
    const { text, usage, finishReason, response } = await generateText({
      model: model(PLAIN),
      instructions: "Be brief.",
      prompt: "say: one two three",
      temperature: 0.5,
      maxOutputTokens: 100,
      stopSequences: ["three"],
      seed: 1,
    });
    expect(text).toBe("one two ");
    expect(finishReason).toBe("stop");
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 2, totalTokens: 9 });
    expect(response.modelId).toBe(PLAIN);
    expect(response.headers?.["x-request-id"]).toMatch(/^req_/);
  });

  test("is streamed in pieces, with the usage at the end", async () => {
    const result = streamText({ model: model(PLAIN), prompt: "say: one two three", ...quiet });
    expect(await Array.fromAsync(result.textStream)).toEqual(["one", " two", " three"]);
    expect(await result.finishReason).toBe("stop");
    expect(await result.totalUsage).toMatchObject({ inputTokens: 5, outputTokens: 4, totalTokens: 9 });
    expect((await result.response).modelId).toBe(PLAIN);
  });

  test("comes with the thinking before it", async () => {
    const whole = await generateText({ model: model(THINKING), prompt: "say: hi" });
    expect([whole.reasoningText, whole.text]).toEqual(["Thinking about: say: hi", "hi"]);
    expect(whole.usage.outputTokenDetails.reasoningTokens).toBe(6);
    const streamed = streamText({ model: model(THINKING), prompt: "say: hi", ...quiet });
    const parts = (await Array.fromAsync(streamed.fullStream)).map(({ type }) => type);
    expect(parts.indexOf("reasoning-delta")).toBeWithin(0, parts.indexOf("text-delta"));
    expect(await streamed.reasoningText).toBe("Thinking about: say: hi");
  });

  test("can be given a picture", async () => {
    const { text } = await generateText({
      model: model(PLAIN),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", data: PICTURE_BYTES, mediaType: "image/png" },
          ],
        },
      ],
    });
    expect(text).toBe(`You said: What is this? ${PICTURE_SEEN}`);
  });

  test("may have several choices, of which the SDK uses the first", async () => {
    const { text, response } = await generateText({
      model: model(PLAIN),
      prompt: "say: hi",
      providerOptions: { poundkey: { n: 2 } },
      include: { responseBody: true },
    });
    expect(text).toBe("hi");
    expect(asArray(asObject(response.body).choices)).toHaveLength(2);
  });
});

describe.each(DIALECTS)("%s", (id) => {
  const given = {
    tools: { get_weather },
    stopWhen: isStepCount(3),
    prompt: ASK_TWO,
    reasoning: "low",
  } as const;
  const answered = /Oslo.*blue.*Rome.*blue/;

  test("calls tools and answers from their results", async () => {
    const { text, steps } = await generateText({ model: model(id), ...given });
    expect(text).toMatch(answered);
    expect(steps.map(({ toolCalls, finishReason }) => [toolCalls.length, finishReason])).toEqual([
      [2, "tool-calls"],
      [0, "stop"],
    ]);
  });

  test("streams the calls' arguments and the answer", async () => {
    const result = streamText({ model: model(id), ...given, ...quiet });
    const parts = await Array.fromAsync(result.fullStream);
    const inputs = parts.flatMap((part) => (part.type === "tool-input-delta" ? part.delta : []));
    expect(inputs.join("")).toBe('{"city":"Oslo"}{"city":"Rome"}');
    expect(await result.text).toMatch(answered);
  });

  test("keeps to a schema", async () => {
    const schema = z.object({
      name: z.string().min(2),
      size: z.number().int().nullable(),
      tags: z.array(z.string()),
    });
    const output = Output.object({ schema });
    const whole = await generateText({ model: model(id), output, prompt: "A city." });
    expect(whole.output).toEqual({ name: "sample", size: expect.any(Number), tags: [] });
    const streamed = streamText({ model: model(id), output, prompt: "A city.", ...quiet });
    expect(await streamed.output).toEqual(whole.output);
  });
});

describe("errors", () => {
  test.each([
    [`${PLAIN}~400`, 400, "invalid_value"],
    [`${PLAIN}~context`, 400, "context_length_exceeded"],
    ["gpt-5.4", 404, "model_not_found"],
    [`${PLAIN}~429`, 429, "provider_busy"],
    [`${PLAIN}~500`, 502, "upstream_error"],
    [`${PLAIN}~504`, 504, "upstream_timeout"],
  ])("from %s are an APICallError with status %d", async (id, status, code) => {
    const given = { model: model(id), prompt: "say: hi", maxRetries: 0 };
    const error = await failure(APICallError, generateText(given));
    expect(error.statusCode).toBe(status);
    expect(error.data).toMatchObject({ error: { code } });
    expect(error.responseHeaders?.["x-request-id"]).toMatch(/^req_/);
    const told: unknown[] = [];
    await streamText({ ...given, onError: ({ error }) => void told.push(error) }).consumeStream();
    expect(told).toEqual([expect.any(APICallError)]);
    expect(told[0]).toMatchObject({ statusCode: status });
  });

  test("about keys have the right status", async () => {
    const stranger = modelsOf(under.url, "sk-not-a-key");
    const wrong = await failure(APICallError, generateText({ model: stranger(PLAIN), prompt: "hi" }));
    expect(wrong).toMatchObject({ statusCode: 401, isRetryable: false });
    const { secret } = await under.newKey({ allowed_models: ["OpenAI#gpt-5.4"] });
    const bound = modelsOf(under.url, secret);
    const barred = await failure(APICallError, generateText({ model: bound(PLAIN), prompt: "hi" }));
    expect(barred).toMatchObject({ statusCode: 403, isRetryable: false });
  });

  test("in mid-stream arrive as a part after the text", async () => {
    const result = streamText({
      model: model(`${PLAIN}~pace=200~error-mid`),
      prompt: "say: one two three",
      ...quiet,
    });
    const parts = await Array.fromAsync(result.fullStream);
    const text = parts.flatMap((part) => (part.type === "text-delta" ? part.text : [])).join("");
    expect(text).toStartWith("one");
    expect(parts.filter(({ type }) => type === "error")).toHaveLength(1);
  });
});

test("an aborted stream ends the call at the provider", async () => {
  const controller = new AbortController();
  const { signal: abortSignal } = controller;
  const result = streamText({
    model: model(`${PLAIN}~stall`),
    prompt: "say: one two three",
    abortSignal,
    ...quiet,
  });
  for await (const piece of result.textStream) if (piece !== "one") controller.abort();
  const call = under.simulator.calls.last();
  await until("the upstream call's end", () => call?.ended === "aborted");
});

test("when the allowance is used up, the SDK retries twice and no retry is counted", async () => {
  const { secret } = await under.newKey({ requests_per_day: 1 });
  const door = doorTo(under.url);
  const given = { model: modelsOf(door.url, secret)(PLAIN), prompt: "say: hi" };
  await generateText(given);
  const before = [await readStanding(under.url, secret), under.simulator.calls.total];
  const error = await failure(RetryError, generateText(given));
  expect(error.errors).toHaveLength(3);
  expect(error.lastError).toMatchObject({
    statusCode: 429,
    data: { error: { code: "rate_limit_exceeded" } },
  });
  expect(door.statuses).toEqual([200, 429, 429, 429]);
  expect([await readStanding(under.url, secret), under.simulator.calls.total]).toEqual(before);
  await door.stop();
}, 300_000);
