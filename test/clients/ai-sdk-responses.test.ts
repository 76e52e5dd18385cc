// Vercel's AI SDK with its OpenAI provider in the default mode, the Responses API, against the running gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { ASK_ONE, failure, PICTURE_BYTES, PICTURE_SEEN, PLAIN, THINKING } from "./setting.ts";

let under: UnderTest;
let openai: ReturnType<typeof createOpenAI>;

beforeAll(async () => {
  under = await startUnderTest();
  openai = createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret });
});
afterAll(() => under.stop());

/** Nothing is stored, so a later step can't refer to an item of an earlier one: the SDK must send it whole. */
const STATELESS = { openai: { store: false } };

/** Otherwise the SDK writes the errors of streams to the console. */
const quiet = { onError: () => {} };

test("a conversation continues if the SDK sends its items, and an item reference gets an error naming the setting", async () => {
  const first = await generateText({ model: openai(PLAIN), prompt: "say: hi" });
  const messages = [
    { role: "user" as const, content: "say: hi" },
    ...first.response.messages,
    { role: "user" as const, content: "say: ho" },
  ];
  const request = { model: openai(PLAIN), messages, maxRetries: 0 };
  expect((await generateText({ ...request, providerOptions: STATELESS })).text).toBe("ho");
  const { message } = await failure(APICallError, generateText(request));
  expect(message).toContain("store: false");
  expect(message).toContain("responses.keep");
});

/** Thinking models of other vendors, and the part of their thinking that the provider receives with a tool's result. */
const THINKERS = [
  [THINKING, "Thinking about: call"],
  ["Mistral#magistral-medium-latest", "Thinking about: call"],
  ["Anthropic#claude-opus-5-5", '"type":"thinking"'],
  // The simulator's signatures begin like this. A missing one is replaced by one that skips the check.
  ["Google#gemini-3.5-flash", '"thoughtSignature":"c2lt'],
] as const;

test.each(THINKERS)("thinking is sent back with a tool's result: %s", async (id, thought) => {
  const inputSchema = z.object({ city: z.string() });
  const get_weather = tool({ inputSchema, execute: async ({ city }) => `${city} is blue` });
  const request = { model: openai(id), prompt: ASK_ONE, tools: { get_weather }, stopWhen: isStepCount(2) };
  const readSent = () => JSON.stringify(under.simulator.calls.last()?.body);
  const whole = await generateText({ ...request, providerOptions: STATELESS });
  expect([whole.text, readSent()]).toEqual([
    expect.stringContaining("blue"),
    expect.stringContaining(thought),
  ]);
  const streamed = streamText({ ...request, providerOptions: STATELESS, ...quiet });
  expect(await streamed.text).toContain("blue");
  expect(readSent()).toContain(thought);
  // By default the SDK refers to thinking by its id, but nothing is stored under it.
  const { text, response } = await generateText(request);
  expect(text).toContain("blue");
  expect(readSent()).not.toContain(thought);
  expect(response.headers?.["x-poundkey-dropped"]).toContain("input[1]");
});

test("an object follows the schema", async () => {
  const output = Output.object({ schema: z.object({ answer: z.string() }) });
  const { output: made } = await generateText({ model: openai(PLAIN), prompt: "Answer.", output });
  expect(typeof made.answer).toBe("string");
});

test("thinking comes before the text", async () => {
  const providerOptions = { openai: { reasoningSummary: "auto", forceReasoning: true } };
  const request = { model: openai(THINKING), prompt: "say: hi", providerOptions };
  const whole = await generateText(request);
  expect([whole.reasoningText, whole.text]).toEqual(["Thinking about: say: hi", "hi"]);
  const streamed = streamText({ ...request, ...quiet });
  const parts = (await Array.fromAsync(streamed.fullStream)).map(({ type }) => type);
  expect(parts.indexOf("reasoning-delta")).toBeWithin(0, parts.indexOf("text-delta"));
});

test("a picture is seen", async () => {
  const { text } = await generateText({
    model: openai(PLAIN),
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
  expect(text).toContain(PICTURE_SEEN);
});

test("an error has its status and message", async () => {
  const work = generateText({ model: openai(`${PLAIN}~400`), prompt: "a", maxRetries: 0 });
  expect(await failure(APICallError, work)).toMatchObject({ statusCode: 400, isRetryable: false });
});

test("a stream that breaks off is reported as an error", async () => {
  const errors: unknown[] = [];
  const { textStream } = streamText({
    model: openai(`${PLAIN}~pace=20~cut`),
    prompt: "say: one two three four",
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  });
  expect((await Array.fromAsync(textStream)).join("")).toStartWith("one");
  expect(errors.length).toBe(1);
});
