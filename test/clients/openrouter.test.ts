// OpenRouter's own SDK and its provider of the AI SDK, moved to the gateway by their address: what they send of themselves is
// taken over every API that they speak, and a constraint that they ask for is met or refused.
import { afterAll, describe, expect, test } from "bun:test";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { OpenRouter } from "@openrouter/sdk";
import { EventStream } from "@openrouter/sdk/lib/event-streams.js";
import type { ProviderPreferences } from "@openrouter/sdk/models";
import { OpenRouterError, ResponseValidationError } from "@openrouter/sdk/models/errors";
import { APICallError, embed, generateText, Output, streamText } from "ai";
import { z } from "zod";
import { startUnderTest } from "../harness/harness.ts";
import { makeWav } from "../operations/media/world.ts";
import { failure, PLAIN } from "./setting.ts";

const under = await startUnderTest();
const place = {
  apiKey: under.secret,
  serverURL: `${under.url}/v1`,
  retryConfig: { strategy: "none" },
} as const;
const client = new OpenRouter(place);
const provider = createOpenRouter({ apiKey: under.secret, baseURL: `${under.url}/v1` });
afterAll(() => under.stop());

const SAY = "say: good day";
const messages = [{ role: "user", content: SAY }] as const;
const TOOLS = [{ type: "function" as const, function: { name: "weather", parameters: { type: "object" } } }];
const NATIVE = "Responses#gpt-6.1-sol";

/** Waits for an answer, which the SDK checks, and for all of a stream. */
async function readWhole(work: Promise<unknown>): Promise<void> {
  const answer = await work;
  if (answer instanceof EventStream) await Array.fromAsync(answer);
}

function requireWhole<Answer>(answer: Answer | EventStream<unknown>): Answer {
  if (answer instanceof EventStream) throw new Error("The answer is a stream.");
  return answer;
}

/** Of a ranking, the SDK demands the documents, which it has no field to ask for. */
async function readUnshown(work: Promise<unknown>): Promise<void> {
  const error = await failure(ResponseValidationError, work);
  expect([error.statusCode, error.body]).toEqual([200, expect.stringContaining("relevance_score")]);
}

const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  "chat completions": () => client.chat.send({ chatRequest: { model: PLAIN, messages: [...messages] } }),
  "chat completions, streamed": () =>
    client.chat.send({ chatRequest: { model: PLAIN, messages: [...messages], stream: true } }),
  responses: () => client.responses.send({ responsesRequest: { model: PLAIN, input: SAY } }),
  "responses of OpenAI": () => client.responses.send({ responsesRequest: { model: NATIVE, input: SAY } }),
  "responses, streamed": () =>
    client.responses.send({ responsesRequest: { model: NATIVE, input: SAY, stream: true } }),
  embeddings: () => client.embeddings.generate({ requestBody: { model: "Local#embed", input: "a" } }),
  rerank: () =>
    readUnshown(
      client.rerank.rerank({
        requestBody: { model: "Cohere#rerank-v3.5", query: "a", documents: ["a", "b"] },
      }),
    ),
  speech: () =>
    client.tts.createSpeech({ speechRequest: { model: "Local#tts-1", input: "a", voice: "alloy" } }),
  transcriptions: () =>
    client.stt.createTranscriptionMultipart({ requestBody: { model: "Local#whisper-1", file: makeWav(1) } }),
};

describe("the SDK", () => {
  test.each(Object.entries(CALLS))("is answered: %s", async (_name, send) => {
    const before = under.simulator.calls.total;
    await readWhole(send());
    expect(under.simulator.calls.total - before).toBe(1);
  });

  const CHATS = [
    "OpenAI#gpt-5.4-mini",
    "Anthropic#claude-sonnet-4-5",
    "Google#gemini-3.6-flash",
    "Cohere#command-a-reasoning",
  ];

  test.each(CHATS)("reads what %s says, and its call", async (model) => {
    const say = async (content: string) =>
      requireWhole(
        await client.chat.send({
          chatRequest: { model, messages: [{ role: "user", content }], tools: TOOLS },
        }),
      );
    const said = await say(SAY);
    expect([said.choices[0]?.message.content, said.systemFingerprint]).toEqual(["good day", null]);
    const called = await say('call weather({"city":"Oslo"})');
    expect(called.choices[0]?.message.toolCalls?.[0]?.function.name).toBe("weather");
  });

  const CONSTRAINTS: readonly (readonly [ProviderPreferences, string])[] = [
    [{ dataCollection: "deny" }, "provider.data_collection"],
    [{ zdr: true }, "provider.zdr"],
    [{ only: ["azure"] }, "provider.only"],
    [{ requireParameters: true }, "provider.require_parameters"],
  ];

  test.each(CONSTRAINTS)("is told that %j isn't met", async (asked, param) => {
    const before = under.simulator.calls.total;
    const chatRequest = { model: PLAIN, messages: [...messages], provider: asked };
    const { statusCode, body } = await failure(OpenRouterError, client.chat.send({ chatRequest }));
    expect([statusCode, JSON.parse(body).error.param]).toEqual([400, param]);
    expect(under.simulator.calls.total).toBe(before);
  });

  test("gets what it asks for from a provider that it names", async () => {
    const chatRequest = { model: PLAIN, messages: [...messages], provider: { only: ["local"] } };
    expect(requireWhole(await client.chat.send({ chatRequest })).choices.length).toBe(1);
  });
});

describe("the provider of the AI SDK", () => {
  test("chats, whole, streamed and by a schema", async () => {
    const prompt = SAY;
    expect((await generateText({ model: provider(PLAIN), prompt })).text).toBe("good day");
    expect(await streamText({ model: provider(PLAIN), prompt }).text).toBe("good day");
    const output = Output.object({ schema: z.object({ name: z.string() }) });
    const whole = await generateText({ model: provider(PLAIN), output, prompt: "A city." });
    expect(whole.output).toEqual({ name: expect.any(String) });
  });

  test("asks for embeddings", async () => {
    const { embedding } = await embed({ model: provider.textEmbeddingModel("Local#embed"), value: "a" });
    expect(embedding.length).toBeGreaterThan(0);
  });

  test("is told of a constraint that nothing meets", async () => {
    const model = provider(PLAIN, { provider: { zdr: true } });
    // The provider has a copy of the SDK's classes.
    const error = await failure(Error, generateText({ model, prompt: SAY, maxRetries: 0 }));
    expect(APICallError.isInstance(error) && error.statusCode).toBe(400);
    expect(error.message).toContain("'provider.zdr' asks for");
  });
});
