// Kept answers as the vendors' SDKs read them: equal to new ones but for their id, their time and their cost.
import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { ASK_ONE, WEATHER } from "./setting.ts";

let under: UnderTest;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  under = await startUnderTest();
  openai = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: under.url, apiKey: under.secret, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: under.secret, httpOptions: { baseUrl: under.url } });
});
afterAll(() => under.stop());

type Headers = Record<string, string>;
type Ask = (model: string, prompt: string, stream: boolean, headers: Headers) => Promise<unknown>;

const tools = [{ type: "function" as const, function: { ...WEATHER } }];

const SURFACES: Readonly<Record<string, Ask>> = {
  async chat(model, content, stream, headers) {
    const body = { model, tools, messages: [{ role: "user" as const, content }] };
    const streamed = { ...body, stream_options: { include_usage: true } };
    if (stream) return openai.chat.completions.stream(streamed, { headers }).finalChatCompletion();
    return openai.chat.completions.create(body, { headers });
  },
  async responses(model, input, stream, headers) {
    const body = { model, input };
    if (stream) return openai.responses.stream(body, { headers }).finalResponse();
    return openai.responses.create(body, { headers });
  },
  async messages(model, content, stream, headers) {
    const input_schema = { ...WEATHER.parameters, required: ["city"] };
    const { name, description } = WEATHER;
    const body = {
      model,
      max_tokens: 2000,
      tools: [{ name, description, input_schema }],
      messages: [{ role: "user" as const, content }],
    };
    if (stream) return anthropic.messages.stream(body, { headers }).finalMessage();
    return anthropic.messages.create(body, { headers });
  },
  async gemini(name, contents, stream, headers) {
    const asked = { model: name.replace("#", "/"), contents, config: { httpOptions: { headers } } };
    if (!stream) {
      const { candidates, usageMetadata } = await google.models.generateContent(asked);
      return join([{ candidates, usageMetadata }]);
    }
    const answers: object[] = [];
    for await (const { candidates, usageMetadata } of await google.models.generateContentStream(asked))
      answers.push({ candidates, usageMetadata });
    return join(answers);
  },
};

/** The texts and thoughts of all answers of a stream, and its last usage. */
function join(answers: readonly object[]) {
  let text = "";
  let thoughts = "";
  let [finish, usage]: unknown[] = [];
  JSON.stringify(answers, (name, value) => {
    if (name === "finishReason") finish = value;
    if (name === "usageMetadata") usage = value;
    if (typeof value?.text === "string" && value.thought) thoughts += value.text;
    else if (typeof value?.text === "string") text += value.text;
    return value;
  });
  return { text, thoughts, finish, usage };
}

/** Marks of one answer rather than of what it says, with ids and signatures that are new in each. */
const OWN = new Set([
  "id",
  "created",
  "created_at",
  "completed_at",
  "cost",
  "charged",
  "call_id",
  "item_id",
  "data",
  "signature",
  "encrypted_content",
  "_request_id",
  // Of a stream, OpenAI's SDK shows only the last piece of a field that it doesn't know.
  "reasoning_content",
]);

/** Settings that only a provider's own answer tells, in one of its two forms. */
const TOLD = new Set(["service_tier", "background", "temperature", "top_p", "truncation"]);

function strip(answer: unknown, also: ReadonlySet<string> = new Set()): unknown {
  const isOwn = (name: string, value: unknown) => OWN.has(name) || also.has(name) || value === "";
  return JSON.parse(
    JSON.stringify(answer, (name, value) => (isOwn(name, value) ? undefined : (value ?? undefined))),
  );
}

const PROVIDERS = [
  "Local#sim-think",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-3.5-flash",
  "Responses#gpt-6.1-sol",
];
const CASES = Object.keys(SURFACES).flatMap((surface) =>
  PROVIDERS.flatMap((model) =>
    ["say: one two three four five", ASK_ONE]
      .filter((prompt) => prompt !== ASK_ONE || surface === "chat" || surface === "messages")
      .map((prompt) => [surface, model, prompt] as const),
  ),
);

test.each(CASES)("%s on %s, %s", async (surface, model, prompt) => {
  const ask = SURFACES[surface];
  if (ask === undefined) throw new Error("There is no such surface.");
  const on = { "x-poundkey-cache": "on" };
  const anew = { ...on, "cache-control": "no-cache" };
  const only = { "cache-control": "only-if-cached" };
  const get = (stream: boolean, headers: Headers) => ask(model, prompt, stream, headers);
  const whole = await get(false, anew);
  const ofWhole = [await get(false, only), await get(true, only)] as const;
  const streamed = await get(true, anew);
  const ofStream = [await get(false, only), await get(true, only)] as const;
  expect(strip(ofWhole[0])).toEqual(strip(whole));
  // A signature at the end of Gemini's streams is kept before the text, as in its whole answers.
  if (!model.startsWith("Google") || surface === "gemini")
    expect(strip(ofStream[1])).toEqual(strip(streamed));
  const both = [strip(whole, TOLD), strip(streamed, TOLD)];
  expect(both).toContainEqual(strip(ofWhole[1], TOLD));
  for (const one of ofStream) expect(both).toContainEqual(strip(one, TOLD));
});
