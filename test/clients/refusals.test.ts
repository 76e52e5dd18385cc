// Each refusal of limits and budgets met by the vendors' SDKs and the AI SDK: all show our sentence, the vendors' own stop at
// once if it is final, and wait for as long as the gateway says if it isn't.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import { APICallError, generateText, type LanguageModel } from "ai";
import OpenAI from "openai";
import { MODEL, REFUSALS, type Refusal, writePriced } from "../agents/refusals.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { type Door, doorTo } from "./setting.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** A request waits for as long as answers usually take, at least 5 s. */
const PATIENT_MS = 30_000;
const WORDS = "good day";
const PROMPT = `say: ${WORDS}`;
const messages = [{ role: "user" as const, content: PROMPT }];

interface Ask {
  readonly url: string;
  readonly apiKey: string;
  /** Missing for the SDK's own number. */
  readonly maxRetries?: number;
}

interface Sdk {
  readonly ask: (ask: Ask) => Promise<string | null | undefined>;
  /** The class of its errors. */
  readonly error: abstract new (
    ...args: never[]
  ) => Error;
  /** True if it repeats what isn't final by itself, and obeys `x-should-retry`. */
  readonly obeys?: true;
  /** True if its API has no 402. */
  readonly isResponses?: true;
}

const throughAiSdk =
  (make: (ask: Ask) => LanguageModel): Sdk["ask"] =>
  async (ask) =>
    (await generateText({ model: make(ask), prompt: PROMPT, maxRetries: 0 })).text;

const SDKS: Readonly<Record<string, Sdk>> = {
  "openai, chat completions": {
    error: OpenAI.APIError,
    obeys: true,
    ask: async ({ url, ...more }) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, ...more });
      return (await client.chat.completions.create({ model: MODEL, messages })).choices[0]?.message.content;
    },
  },
  "openai, Responses": {
    error: OpenAI.APIError,
    obeys: true,
    isResponses: true,
    ask: async ({ url, ...more }) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, ...more });
      return (await client.responses.create({ model: MODEL, input: PROMPT })).output_text;
    },
  },
  "@anthropic-ai/sdk": {
    error: Anthropic.APIError,
    obeys: true,
    ask: async ({ url, ...more }) => {
      const client = new Anthropic({ baseURL: url, ...more });
      return JSON.stringify(
        (await client.messages.create({ model: MODEL, max_tokens: 1000, messages })).content,
      );
    },
  },
  "@google/genai": {
    error: ApiError,
    ask: async ({ url, apiKey }) => {
      const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
      return (await client.models.generateContent({ model: MODEL.replace("#", "/"), contents: PROMPT })).text;
    },
  },
  "the AI SDK's openai-compatible": {
    error: APICallError,
    ask: throughAiSdk(({ url, apiKey }) =>
      createOpenAICompatible({ name: "poundkey", baseURL: `${url}/v1`, apiKey })(MODEL),
    ),
  },
  "the AI SDK's openai": {
    error: APICallError,
    isResponses: true,
    ask: throughAiSdk(({ url, apiKey }) => createOpenAI({ baseURL: `${url}/v1`, apiKey })(MODEL)),
  },
  "the AI SDK's anthropic": {
    error: APICallError,
    ask: throughAiSdk(({ url, apiKey }) => createAnthropic({ baseURL: `${url}/v1`, apiKey })(MODEL)),
  },
  "the AI SDK's google": {
    error: APICallError,
    ask: throughAiSdk(({ url, apiKey }) =>
      createGoogle({ baseURL: `${url}/v1beta`, apiKey })(`models/${MODEL.replace("#", "/")}`),
    ),
  },
};

const worlds = new Map<number, UnderTest>();
beforeAll(async () => {
  worlds.set(429, await startUnderTest({ more: writePriced }));
  worlds.set(
    402,
    await startUnderTest({ more: (url) => `${writePriced(url)}\nbilling: { charge: always }` }),
  );
});
afterAll(async () => {
  for (const world of worlds.values()) await world.stop();
});

/** A key that is refused from the first request on, at the gateway and through a door to it. */
async function block({ status, makeKey }: Refusal) {
  const world = worlds.get(status);
  if (!world) throw new Error(`No gateway refuses with ${status}.`);
  const key = await makeKey(world);
  await key.block();
  const ask = { apiKey: key.secret };
  return { ask, open: (): Door => doorTo(world.url, { after: key.lift }) };
}

describe.each(REFUSALS.map((refusal) => [refusal.code, refusal] as const))("%s", (_code, refusal) => {
  test.concurrent.each(Object.entries(SDKS))(
    "%s shows the sentence, and stops at what is final",
    async (_name, { ask, error, obeys, isResponses }) => {
      const { ask: words, open } = await block(refusal);
      const door = open();
      const isRepeating = obeys && refusal.isPassing;
      const asking = ask({ ...words, url: door.url, ...(isRepeating ? { maxRetries: 0 } : {}) });
      const thrown: unknown = await asking.then(
        () => null,
        (one: unknown) => one,
      );
      await door.stop();
      expect(thrown).toBeInstanceOf(error);
      expect(String(Object(thrown).message)).toMatch(refusal.says);
      expect(door.posts).toEqual([isResponses ? 429 : refusal.status]);
    },
    PATIENT_MS,
  );
});

const RESERVING = REFUSALS.filter(({ code }) =>
  ["too_many_parallel_requests", "budget_reserved"].includes(code),
);
const OBEYING = Object.entries(SDKS).filter(([, { obeys }]) => obeys);
describe.each(RESERVING.map((refusal) => [refusal.code, refusal] as const))("%s", (_code, refusal) => {
  test.concurrent.each(OBEYING)(
    "%s waits, and is answered",
    async (_name, { ask }) => {
      const { ask: words, open } = await block(refusal);
      const door = open();
      const said = await ask({ ...words, url: door.url });
      await door.stop();
      expect(said).toContain(WORDS);
      expect([door.posts[0], door.posts.at(-1)]).toEqual([429, 200]);
    },
    PATIENT_MS,
  );
});
