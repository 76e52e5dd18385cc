// One program with Google's JavaScript SDK, run against every dialect: generateContent on every model.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ApiError, type GenerateContentParameters, GoogleGenAI, type Part } from "@google/genai";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { ASK_ONE, ASK_TWO, EACH_DIALECT, failure, PLAIN, THINKING, WEATHER } from "./setting.ts";

/** The names as used in a path, because the SDK loses what follows a bare `#`. */
const MODELS = EACH_DIALECT.map((id) => id.replace("#", "/"));

const TOOLS = [
  {
    functionDeclarations: [
      { name: WEATHER.name, description: WEATHER.description, parametersJsonSchema: WEATHER.parameters },
    ],
  },
];

let under: UnderTest;
let client: GoogleGenAI;

beforeAll(async () => {
  under = await startUnderTest();
  client = new GoogleGenAI({ apiKey: under.secret, httpOptions: { baseUrl: under.url } });
});
afterAll(() => under.stop());

interface Seen {
  readonly text: string;
  readonly parts: readonly Part[];
  readonly finish: unknown;
  readonly usage: unknown;
}

async function whole(request: GenerateContentParameters): Promise<Seen> {
  const answer = await client.models.generateContent(request);
  const [candidate] = answer.candidates ?? [];
  return {
    text: answer.text ?? "",
    parts: candidate?.content?.parts ?? [],
    finish: candidate?.finishReason,
    usage: answer.usageMetadata,
  };
}

async function streamed(request: GenerateContentParameters): Promise<Seen> {
  const parts: Part[] = [];
  let [text, finish, usage]: [string, unknown, unknown] = ["", undefined, undefined];
  for await (const chunk of await client.models.generateContentStream(request)) {
    const [candidate] = chunk.candidates ?? [];
    parts.push(...(candidate?.content?.parts ?? []));
    text += chunk.text ?? "";
    finish = candidate?.finishReason ?? finish;
    usage = chunk.usageMetadata ?? usage;
  }
  return { text, parts, finish, usage };
}

const WAYS = [whole, streamed];

describe.each(MODELS)("%s", (model) => {
  test("gives the same answer whole and streamed", async () => {
    for (const ask of WAYS) {
      const seen = await ask({
        model,
        contents: "say: good day",
        config: { systemInstruction: "Be brief." },
      });
      expect(seen.text).toContain("good day");
      expect(seen.finish).toBe("STOP");
      expect(seen.usage).toMatchObject({
        promptTokenCount: expect.any(Number),
        cost: expect.any(Number),
        charged: 0,
      });
    }
  });

  test("calls functions and continues from their results", async () => {
    for (const ask of WAYS) {
      const request = { model, contents: ASK_TWO, config: { tools: TOOLS } };
      const { parts } = await ask(request);
      const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
      expect(calls.map(({ name, args }) => [name, args])).toEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      const results = calls.map(({ id, name }) => ({
        functionResponse: { ...(id ? { id } : {}), ...(name ? { name } : {}), response: { output: "rain" } },
      }));
      const after = await ask({
        ...request,
        contents: [
          { role: "user", parts: [{ text: ASK_TWO }] },
          { role: "model", parts: [...parts] },
          { role: "user", parts: results },
          { role: "user", parts: [{ text: "say: both seen" }] },
        ],
      });
      expect(after.text).toContain("both seen");
    }
  });

  test("counts tokens without a charge", async () => {
    const { totalTokens } = await client.models.countTokens({ model, contents: "one two three" });
    expect(totalTokens).toBeGreaterThan(0);
  });
});

test("thinking is shown, and accepted when it comes back", async () => {
  const model = THINKING.replace("#", "/");
  const request = {
    model,
    contents: ASK_ONE,
    config: { tools: TOOLS, thinkingConfig: { thinkingLevel: "LOW" as never } },
  };
  for (const ask of WAYS) {
    const { parts } = await ask(request);
    expect(parts.some(({ thought, text }) => thought && text)).toBe(true);
    const after = await ask({
      ...request,
      contents: [
        { role: "user", parts: [{ text: ASK_ONE }] },
        { role: "model", parts: [...parts] },
        { role: "user", parts: [{ functionResponse: { name: WEATHER.name, response: { output: "rain" } } }] },
      ],
    });
    expect(after.finish).toBe("STOP");
  }
});

test.each(["Anthropic/claude-haiku-4-5", "OpenAI/gpt-5.4", "Local/sim-mini"])(
  "a duplicate result, as sent by Gemini CLI in a resumed session, counts once: %s",
  async (model) => {
    const args = { city: "Oslo" };
    const call = { functionCall: { id: "call_9", name: WEATHER.name, args } };
    const result = { functionResponse: { id: "call_9", name: WEATHER.name, response: { output: "rain" } } };
    const turns = [
      { role: "model", parts: [call] },
      { role: "user", parts: [result, result] },
    ];
    const contents = [{ role: "user", parts: [{ text: ASK_ONE }] }, ...turns];
    // A later call may reuse the id of an earlier one.
    for (const more of [[], [...turns, { role: "user", parts: [result] }]]) {
      const { text } = await client.models.generateContent({
        model,
        contents: [...contents, ...more],
        config: { tools: TOOLS },
      });
      expect(text).toContain("rain");
    }
  },
);

test("a stream without alt=sse is one JSON array", async () => {
  const path = `${under.url}/v1beta/models/${PLAIN.replace("#", "%23")}:streamGenerateContent`;
  const response = await fetch(path, {
    method: "POST",
    headers: { "x-goog-api-key": under.secret, "content-type": "application/json" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "say: good day" }] }] }),
  });
  expect(response.headers.get("content-type")).toStartWith("application/json");
  const list: unknown = await response.json();
  expect(list).toBeArray();
  expect(JSON.stringify(list)).toContain("good");
});

test("models are listed in pages of the client's size", async () => {
  const pager = await client.models.list({ config: { pageSize: 7 } });
  expect(pager.page.length).toBe(7);
  const listed = (await Array.fromAsync(pager)).map(({ displayName }) => displayName ?? "");
  const headers = { authorization: `Bearer ${under.secret}` };
  const whole = await (await fetch(`${under.url}/v1/models`, { headers })).json();
  expect(listed).toEqual(whole.data.map(({ id }: { readonly id: string }) => id));
});

test("errors have Google's format", async () => {
  const nobody = new GoogleGenAI({ apiKey: "AIzaNobody", httpOptions: { baseUrl: under.url } });
  const stranger = await failure(
    ApiError,
    nobody.models.generateContent({ model: PLAIN.replace("#", "/"), contents: "a" }),
  );
  expect(stranger.status).toBe(401);
  expect(stranger.message).toContain("UNAUTHENTICATED");
  const missing = await fetch(`${under.url}/v1beta/models/Local/sim-mini`, { method: "POST", body: "{}" });
  expect(missing.status).toBe(404);
  const cached = await failure(
    ApiError,
    client.models.generateContent({
      model: PLAIN.replace("#", "/"),
      contents: "a",
      config: { cachedContent: "cachedContents/1" },
    }),
  );
  expect(cached.message).toContain("unsupported_parameter");
});
