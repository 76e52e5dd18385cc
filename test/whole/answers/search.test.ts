// Web searches between families: each surface over each provider that searches, read by the vendors' own SDKs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type GroundingMetadata } from "@google/genai";
import OpenAI from "openai";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

/** A search as its client sees it. */
interface Seen {
  readonly queries: readonly string[];
  readonly found: readonly string[];
  readonly cited: readonly string[];
  readonly text: string;
}

const ONE = "https://example.com/one";
const TWO = "https://example.com/two";
const TARGETS = [
  "Anthropic#claude-sonnet-5",
  "Anthropic#claude-sonnet-5-5",
  "OpenAI#gpt-4.1",
  "OpenAI#gpt-5.4",
  "OpenAI#gpt-5.6-sol",
  "Google#gemini-2.5-flash",
  "Google#gemini-3.5-flash",
  "Perplexity#sonar",
];

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

const QUESTION = "Please search for something.";

async function askMessages(model: string, isStreamed: boolean, isForced: boolean): Promise<Seen> {
  const client = new Anthropic({ apiKey: world.secret, baseURL: world.url, maxRetries: 0 });
  const request = {
    model,
    max_tokens: 2048,
    messages: [{ role: "user" as const, content: QUESTION }],
    tools: [{ type: "web_search_20250305" as const, name: "web_search" as const, max_uses: 8 }],
    ...(isForced ? { tool_choice: { type: "tool" as const, name: "web_search" } } : {}),
  };
  const { content } = isStreamed
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  const calls = content.filter((block) => block.type === "server_tool_use");
  const results = content.filter((block) => block.type === "web_search_tool_result");
  expect(results.map((result) => result.tool_use_id)).toEqual(calls.map(({ id }) => id));
  const texts = content.filter((block) => block.type === "text");
  return {
    queries: calls.map(({ input }) => String(asObject(input).query)),
    found: results.flatMap((result) => asArray(result.content).map((one) => String(asObject(one).url))),
    cited: texts.flatMap(({ citations }) => asArray(citations).map((one) => String(asObject(one).url))),
    text: texts.map(({ text }) => text).join(""),
  };
}

async function askResponses(model: string, isStreamed: boolean, isForced: boolean): Promise<Seen> {
  const client = new OpenAI({ apiKey: world.secret, baseURL: `${world.url}/v1`, maxRetries: 0 });
  const request = {
    model,
    input: QUESTION,
    tools: [{ type: "web_search" as const }],
    include: ["web_search_call.action.sources" as const],
    ...(isForced ? { tool_choice: { type: "web_search" as const } } : {}),
  };
  // Its types know an older choice only.
  const sent = request as OpenAI.Responses.ResponseCreateParamsNonStreaming;
  const { output } = isStreamed
    ? await client.responses.stream({ ...sent, stream: true }).finalResponse()
    : await client.responses.create(sent);
  const calls = output
    .filter(({ type }) => type === "web_search_call")
    .map((item) => asObject(asObject(item).action));
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : [])).map(asObject);
  return {
    queries: calls.map(({ query }) => String(query)),
    found: calls.flatMap(({ sources }) => asArray(sources).map((one) => String(asObject(one).url))),
    cited: parts.flatMap(({ annotations }) => asArray(annotations).map((one) => String(asObject(one).url))),
    text: parts.map(({ text }) => String(text)).join(""),
  };
}

async function askGemini(model: string, isStreamed: boolean): Promise<Seen> {
  const client = new GoogleGenAI({ apiKey: world.secret, httpOptions: { baseUrl: world.url } });
  const request = {
    model: model.replace("#", "/"),
    contents: QUESTION,
    config: { tools: [{ googleSearch: {} }] },
  };
  const answers = isStreamed
    ? await Array.fromAsync(await client.models.generateContentStream(request))
    : [await client.models.generateContent(request)];
  const grounding: GroundingMetadata =
    answers.map(({ candidates }) => candidates?.[0]?.groundingMetadata).findLast(Boolean) ?? {};
  const chunks = grounding.groundingChunks ?? [];
  const cited = (grounding.groundingSupports ?? []).flatMap((one) => one.groundingChunkIndices ?? []);
  return {
    queries: grounding.webSearchQueries ?? [],
    found: chunks.map(({ web }) => web?.uri ?? ""),
    cited: cited.map((at) => chunks[at]?.web?.uri ?? ""),
    text: answers.map(({ text }) => text ?? "").join(""),
  };
}

async function askChat(model: string, isStreamed: boolean): Promise<Seen> {
  const client = new OpenAI({ apiKey: world.secret, baseURL: `${world.url}/v1`, maxRetries: 0 });
  const request = {
    model,
    messages: [{ role: "user" as const, content: QUESTION }],
    web_search_options: { search_context_size: "low" as const },
  };
  const messages: JsonObject[] = [];
  if (!isStreamed) {
    const { choices } = await client.chat.completions.create(request);
    messages.push({ ...choices[0]?.message });
  } else {
    const stream = await client.chat.completions.create({ ...request, stream: true });
    for await (const { choices } of stream) {
      const [{ delta = {}, finish_reason: reason = null } = {}] = choices;
      // The search itself has no chunk.
      if (choices.length > 0 && reason === null) expect(delta).not.toEqual({});
      messages.push({ ...delta });
    }
  }
  expect(messages.some(({ web_searches }) => web_searches !== undefined)).toBe(false);
  const annotations = messages.flatMap(({ annotations: all }) => asArray(all));
  return {
    queries: [],
    found: [],
    cited: annotations.map((one) => String(asObject(asObject(one).url_citation).url)),
    text: messages.map(({ content }) => String(content ?? "")).join(""),
  };
}

/** In the native lane Anthropic itself answers a forced tool with 400. */
const UNFORCEABLE = /^Anthropic.*-5-5$/;

const SURFACES = { messages: askMessages, responses: askResponses, gemini: askGemini, chat: askChat };

/** The searches' pages as a surface shows them: Gemini names those that the text rests on, chat has no place for them. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  messages: [ONE, TWO],
  responses: [ONE, TWO],
  gemini: [ONE],
  chat: [],
};

describe.each(Object.entries(SURFACES))("%s", (surface, ask) => {
  const forces = surface === "messages" || surface === "responses" ? [false, true] : [false];
  const rows = TARGETS.flatMap((model) =>
    [false, true].flatMap((isStreamed) => forces.map((isForced) => [model, isStreamed, isForced] as const)),
  ).filter(([model, , isForced]) => !(surface === "messages" && isForced && UNFORCEABLE.test(model)));
  test.each(rows)("over %s, streamed %p, forced %p", async (model, isStreamed, isForced) => {
    const isGoogle = model.startsWith("Google");
    const isNative = surface === "gemini" && isGoogle;
    const seen = await ask(model, isStreamed, isForced);
    expect(seen.queries).toEqual(surface === "chat" ? [] : ["simulated"]);
    expect(seen.found).toEqual([...(isNative ? [ONE, TWO] : (FOUND[surface] ?? []))]);
    // A page that Google names but nothing rests on counts for the whole text.
    expect(seen.cited).toEqual(isGoogle && !isNative ? [ONE, TWO] : [ONE]);
    expect(seen.text).not.toBe("");
  });
});
