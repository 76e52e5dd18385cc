// The vendors' SDKs and the AI SDK, in JavaScript and Python, read a stream to its end that is silent for forty seconds, and
// don't ask again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { type LanguageModel, streamText } from "ai";
import OpenAI from "openai";
import { sampleRows } from "../harness/long.ts";
import { ASK, PATIENT_MS, readPatiently, SILENCES } from "./silence.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** Streams the answer to the prompt. `id` has a slash. */
type Read = (url: string, apiKey: string, id: string) => Promise<string>;

async function collect(pieces: AsyncIterable<string | null | undefined>): Promise<string> {
  let all = "";
  for await (const piece of pieces) all += piece ?? "";
  return all;
}

function throughAiSdk(make: (url: string, apiKey: string, id: string) => LanguageModel): Read {
  return (url, apiKey, id) =>
    collect(streamText({ model: make(url, apiKey, id), prompt: ASK, maxRetries: 0 }).textStream);
}

const IN_JAVASCRIPT: Readonly<Record<string, Read>> = {
  "openai, chat completions": async (url, apiKey, model) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
    const messages = [{ role: "user" as const, content: ASK }];
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    return collect(map(stream, ({ choices }) => choices[0]?.delta.content));
  },
  "openai, Responses": async (url, apiKey, model) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
    const stream = await client.responses.create({ model, input: ASK, stream: true });
    return collect(map(stream, (event) => (event.type === "response.output_text.delta" ? event.delta : "")));
  },
  "@anthropic-ai/sdk": async (url, apiKey, model) => {
    const client = new Anthropic({ baseURL: url, apiKey });
    const messages = [{ role: "user" as const, content: ASK }];
    return client.messages.stream({ model, max_tokens: 100, messages }).finalText();
  },
  "@google/genai": async (url, apiKey, model) => {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    return collect(
      map(await client.models.generateContentStream({ model, contents: ASK }), ({ text }) => text),
    );
  },
  "the AI SDK's openai-compatible": throughAiSdk((url, apiKey, id) =>
    createOpenAICompatible({ name: "poundkey", baseURL: `${url}/v1`, apiKey })(id),
  ),
  "the AI SDK's openai": throughAiSdk((url, apiKey, id) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey })(id),
  ),
  "the AI SDK's anthropic": throughAiSdk((url, apiKey, id) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey })(id),
  ),
  "the AI SDK's google": throughAiSdk((url, apiKey, id) =>
    createGoogle({ baseURL: `${url}/v1beta`, apiKey })(`models/${id}`),
  ),
};

async function* map<From, To>(from: AsyncIterable<From>, change: (one: From) => To): AsyncIterable<To> {
  for await (const one of from) yield change(one);
}

const SCRIPT = join(import.meta.dir, "silent_stream.py");
const VENV = join(import.meta.dir, "..", "..", ".venv");
const PYTHONS: Readonly<Record<string, string>> = {
  openai: join(VENV, "bin/python"),
  "openai-responses": join(VENV, "bin/python"),
  google: join(VENV, "bin/python"),
  anthropic: join(VENV, "frameworks/bin/python"),
};

function readInPython(sdk: string, python: string): Read {
  return async (url, apiKey, id) => {
    const child = Bun.spawn([python, SCRIPT, sdk, url, apiKey, id, ASK], {
      env: { PATH: process.env.PATH ?? "" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return out + err;
  };
}

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => under.stop());

const FOREIGN = "Local/sim-mini";
/** The model of the family that an SDK speaks. Those of chat completions have none, since they are always translated. */
function findNative(name: string): string | null {
  if (/anthropic/.test(name)) return "Anthropic/claude-haiku-4-5";
  if (/google/.test(name)) return "Google/gemini-3.5-flash";
  return /Responses|'s openai$/.test(name) ? "Responses/gpt-6.1-sol" : null;
}

function listRows(models: readonly (string | null)[]): readonly string[] {
  return models.flatMap((model) => (model === null ? [] : SILENCES.map((silence) => model + silence)));
}

/** All wait at once: more than the runner would start together, fewer than the requests that Bun makes at a time. */
const reading = new Map<string, Promise<readonly number[]>>();

function listTests(name: string, read: Read, rows: readonly string[]): void {
  beforeAll(() => {
    for (const id of rows)
      reading.set(
        `${name} ${id}`,
        readPatiently(under.url, (url) => read(url, under.secret, id)),
      );
  });
  test.each([...rows])(
    `${name} over %s`,
    async (id) => {
      expect(await reading.get(`${name} ${id}`)).toEqual([200]);
    },
    PATIENT_MS,
  );
}

for (const [name, read] of Object.entries(IN_JAVASCRIPT))
  listTests(name, read, listRows([FOREIGN, findNative(name)]));
for (const [at, [sdk, python]] of Object.entries(PYTHONS).entries()) {
  // Each row is a program of its own.
  const rows = sampleRows(listRows([FOREIGN]), SILENCES.length, at);
  if (existsSync(python)) listTests(`${sdk} in Python`, readInPython(sdk, python), rows);
}
