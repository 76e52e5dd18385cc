// The last three majors of Vercel's AI SDK, each with its own providers, read the answers of every surface.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LanguageModel } from "ai";
import { asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ASK_TWO, DIALECTS, THINKING, WEATHER } from "../setting.ts";
import { AI_SDKS, INSTALLED, Readings } from "./majors.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let under: UnderTest;
/** Stores responses, so that later requests can refer to their items. */
let keeping: UnderTest;
beforeAll(async () => {
  under = await startUnderTest();
  keeping = await startUnderTest({ more: "responses: { keep: 30d }" });
});
afterAll(async () => {
  await under.stop();
  await keeping.stop();
});

type Sdk = Awaited<ReturnType<(typeof AI_SDKS)[string]>>;
type Ai = Sdk["ai"];

/** Makes a model of each provider, by the surface that it speaks to. */
const SURFACES: Readonly<Record<string, (sdk: Sdk, id: string) => LanguageModel>> = {
  "openai, Responses": ({ openai }, id) =>
    openai.createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret })(id),
  "openai, kept Responses": ({ openai }, id) =>
    openai.createOpenAI({ baseURL: `${keeping.url}/v1`, apiKey: keeping.secret })(id),
  "openai, chat": ({ openai }, id) =>
    openai.createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret }).chat(id),
  "openai-compatible": ({ compatible }, id) =>
    compatible.createOpenAICompatible({
      name: "poundkey",
      baseURL: `${under.url}/v1`,
      apiKey: under.secret,
      includeUsage: true,
    })(id),
  anthropic: ({ anthropic }, id) =>
    anthropic.createAnthropic({ baseURL: `${under.url}/v1`, apiKey: under.secret })(id),
  google: ({ google }, id) =>
    google.createGoogleGenerativeAI({ baseURL: `${under.url}/v1beta`, apiKey: under.secret })(
      id.replace("#", "/"),
    ),
};

const MODELS = [...DIALECTS, THINKING];

/** The readings that fail because of the client, with the reason. Each must fail. */
const KNOWN: readonly { readonly where: RegExp; readonly why: string }[] = [
  {
    where: /^AI SDK 5, openai, Responses: .*, (streamed )?tool calls$/,
    why: "by default it refers to earlier calls by id, which are not stored; store: false, in the manual, sends them, and responses.keep stores them",
  },
  {
    where: /^AI SDK 5, openai, (kept )?Responses: (OpenAI|Anthropic|Local)#.*, refusal$/,
    why: "its schema has no refusals, which OpenAI's API answers too",
  },
  {
    where: /^AI SDK 5, openai, (kept )?Responses: a broken stream$/,
    why: "it doesn't read response.failed, with which OpenAI's streams fail: the finish reason is not stop",
  },
];
const quiet = { maxRetries: 0, onError: () => {} };

function makeTools({ jsonSchema, tool }: Ai) {
  const inputSchema = jsonSchema<{ city: string }>({ ...WEATHER.parameters, required: ["city"] });
  return {
    get_weather: tool({
      description: WEATHER.description,
      inputSchema,
      execute: async ({ city }: { city: string }) => ({ city, sky: "blue" }),
    }),
  };
}

const ANSWERED = /Oslo.*blue.*Rome.*blue/s;
const twoSteps = ({ steps }: { steps: readonly unknown[] }) => steps.length >= 2;

type Case = (ai: Ai, model: LanguageModel) => Promise<void>;
/** Sends whole items to the Responses API instead of references. */
const STATELESS = { providerOptions: { openai: { store: false } } };

async function readCalls(ai: Ai, model: LanguageModel, more: object): Promise<void> {
  const tools = makeTools(ai);
  const request = { model, prompt: ASK_TWO, tools, stopWhen: twoSteps, ...quiet, ...more };
  const { text, steps } = await ai.generateText(request);
  expect(text).toMatch(ANSWERED);
  expect(steps.map(({ toolCalls, finishReason }) => [toolCalls.length, finishReason])).toEqual([
    [2, "tool-calls"],
    [0, "stop"],
  ]);
}

async function readStreamedCalls(ai: Ai, model: LanguageModel, more: object): Promise<void> {
  const tools = makeTools(ai);
  const request = { model, prompt: ASK_TWO, tools, stopWhen: twoSteps, ...quiet, ...more };
  const streamed = ai.streamText(request);
  expect(await streamed.text).toMatch(ANSWERED);
  expect((await streamed.steps).map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0]);
}

/** Removes a searching model's citation mark. */
const plain = (text: string) => text.replace(/\[1\]$/, "");

const CASES: Readonly<Record<string, Case>> = {
  async text({ generateText }, model) {
    const { text, finishReason, usage } = await generateText({ model, prompt: "say: good day", ...quiet });
    expect([plain(text), finishReason]).toEqual(["good day", "stop"]);
    expect(usage.inputTokens).toBeGreaterThan(0);
  },
  async "streamed text"({ streamText }, model) {
    const streamed = streamText({ model, prompt: "say: good day", ...quiet });
    expect(plain(await streamed.text)).toBe("good day");
    expect(await streamed.finishReason).toBe("stop");
    expect((await streamed.usage).outputTokens).toBeGreaterThan(0);
  },
  "tool calls": (ai, model) => readCalls(ai, model, {}),
  "streamed tool calls": (ai, model) => readStreamedCalls(ai, model, {}),
  "tool calls without store": (ai, model) => readCalls(ai, model, STATELESS),
  "streamed tool calls without store": (ai, model) => readStreamedCalls(ai, model, STATELESS),
  async refusal({ generateText, streamText }, model) {
    const { finishReason } = await generateText({ model, prompt: "refuse", ...quiet });
    const streamed = streamText({ model, prompt: "refuse", ...quiet });
    await streamed.consumeStream();
    expect(await streamed.finishReason).toBe(finishReason);
  },
  async "an answer cut short"({ generateText }, model) {
    const { finishReason } = await generateText({ model, prompt: "long 200", maxOutputTokens: 20, ...quiet });
    expect(finishReason).toBe("length");
  },
};

/** Reads an error as the SDK's own class. */
async function readError(sdk: Sdk, model: LanguageModel): Promise<void> {
  const thrown: unknown = await sdk.ai.generateText({ model, prompt: "a", ...quiet }).then(
    () => null,
    (error: unknown) => error,
  );
  expect(sdk.ai.APICallError.isInstance(thrown)).toBe(true);
  expect(asObject({ ...Object(thrown) })).toMatchObject({ statusCode: 400, isRetryable: false });
}

/** A stream that breaks off is an error that names the provider. */
async function readBrokenStream(sdk: Sdk, model: LanguageModel): Promise<void> {
  const errors: unknown[] = [];
  const onError = ({ error }: { error: unknown }) => void errors.push(error);
  const streamed = sdk.ai.streamText({ model, prompt: "say: one two three four", maxRetries: 0, onError });
  await streamed.consumeStream();
  expect(errors).toHaveLength(1);
  const [error] = errors;
  const shown = error instanceof Error ? error.message : JSON.stringify(error);
  expect(shown).toContain("Local");
}

async function readThinking({ generateText, streamText }: Ai, model: LanguageModel): Promise<void> {
  const whole = await generateText({ model, prompt: "say: hi", ...quiet });
  expect([whole.reasoningText, whole.text]).toEqual(["Thinking about: say: hi", "hi"]);
  const streamed = streamText({ model, prompt: "say: hi", ...quiet });
  expect(await streamed.reasoningText).toBe("Thinking about: say: hi");
}

describe.skipIf(!INSTALLED).each(Object.entries(AI_SDKS))("%s", (major, load) => {
  test.each(Object.entries(SURFACES))("%s", async (surface, makeModel) => {
    const sdk = await load();
    const readings = new Readings(`${major}, ${surface}`, KNOWN);
    for (const id of MODELS) {
      for (const [name, run] of Object.entries(CASES))
        await readings.read(`${id}, ${name}`, () => run(sdk.ai, makeModel(sdk, id)));
    }
    await readings.read("an error", () => readError(sdk, makeModel(sdk, "Local#sim-mini~400")));
    await readings.read("a broken stream", () =>
      // A name of its own, since a model that keeps failing rests.
      readBrokenStream(sdk, makeModel(sdk, `Local#${major}-${surface}~pace=20~cut`.replaceAll(/[ ,]/g, ""))),
    );
    // AI SDK's chat model of OpenAI reads no thinking: the API has none.
    if (surface !== "openai, chat") {
      await readings.read("thinking", () => readThinking(sdk.ai, makeModel(sdk, THINKING)));
    }
    readings.expectRead();
  });
});
