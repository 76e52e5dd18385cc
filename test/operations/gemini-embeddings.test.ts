// Gemini's embedContent and batchEmbedContents over HTTP, also on other providers' models, and with Google's SDK.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { type OperationsWorld, startOperationsWorld } from "./world.ts";

let world: OperationsWorld;
beforeAll(async () => {
  world = await startOperationsWorld('aliases: { "gemini-embedding-*": "Google#gemini-embedding-001" }');
});
afterAll(() => world.stop());
beforeEach(() => world.simulator.reset());

interface Answer {
  readonly status: number;
  readonly body: ReturnType<typeof asObject>;
  readonly dropped: string | null;
}

async function post(model: string, verb: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${world.url}/v1beta/models/${model}:${verb}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": world.secret },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  return {
    status,
    body: asObject(parseJson(await response.text())),
    dropped: headers.get("x-poundkey-dropped"),
  };
}

const content = (...texts: readonly string[]) => ({ parts: texts.map((text) => ({ text })) });

describe("the answer", () => {
  test("has one vector, in Gemini's format, from every provider", async () => {
    for (const model of [
      "Google/gemini-embedding-001",
      "Cohere%23embed-v4.0",
      "OpenAI/text-embedding-3-small",
    ]) {
      const { status, body } = await post(model, "embedContent", {
        content: content("a red fox"),
        outputDimensionality: 512,
      });
      expect([model, status]).toEqual([model, 200]);
      expect(asArray(asObject(body.embedding).values)).toHaveLength(512);
      expect(asObject(body.usageMetadata).promptTokenCount).toBe(3);
    }
  });

  test("has a vector per request of a batch, in order", async () => {
    const requests = ["one", "two", "one"].map((text) => ({
      model: "models/gemini-embedding-001",
      content: content(text),
    }));
    const { body } = await post("gemini-embedding-001", "batchEmbedContents", { requests });
    const [first, second, third] = asArray(body.embeddings).map((one) => asObject(one).values);
    expect(third).toEqual(first);
    expect(second).not.toEqual(first);
  });

  test("is the same for both spellings of the fields", async () => {
    for (const settings of [
      { taskType: "RETRIEVAL_QUERY", outputDimensionality: 64 },
      { task_type: "RETRIEVAL_QUERY", output_dimensionality: 64 },
      { embedContentConfig: { taskType: "RETRIEVAL_QUERY", outputDimensionality: 64 } },
    ]) {
      await post("Google/gemini-embedding-001", "embedContent", { content: content("x"), ...settings });
      const [sent] = asArray(world.bodies().at(-1)?.requests).map(asObject);
      expect(sent).toMatchObject({ taskType: "RETRIEVAL_QUERY", outputDimensionality: 64 });
    }
  });

  test("passes Google's task types to Google, and the nearest ones elsewhere", async () => {
    const body = { content: content("x"), taskType: "SEMANTIC_SIMILARITY", title: "t" };
    const { status, dropped } = await post("Google/gemini-embedding-001", "embedContent", body);
    expect([status, dropped]).toEqual([200, null]);
    expect(asArray(world.bodies().at(-1)?.requests)[0]).toMatchObject({
      taskType: "SEMANTIC_SIMILARITY",
      title: "t",
    });
    expect((await post("Cohere/embed-v4.0", "embedContent", body)).dropped).toBe("taskType, title");
    await post("Cohere/embed-v4.0", "embedContent", { ...body, taskType: "CODE_RETRIEVAL_QUERY" });
    expect(world.bodies().at(-1)?.input_type).toBe("search_query");
  });

  test("names what is dropped or refused as Google does", async () => {
    const body = { content: content("x"), taskType: "RETRIEVAL_DOCUMENT", autoTruncate: false };
    expect((await post("OpenAI/text-embedding-3-small", "embedContent", body)).dropped).toBe(
      "taskType, autoTruncate",
    );
    const many = { content: content("x"), outputDimensionality: 5000 };
    const refused = await post("OpenAI/text-embedding-3-small", "embedContent", many);
    expect([refused.status, asObject(refused.body.error).param]).toEqual([400, "outputDimensionality"]);
  });

  test("is what Google's SDK expects", async () => {
    const ai = new GoogleGenAI({ apiKey: world.secret, httpOptions: { baseUrl: world.url } });
    const { embeddings = [] } = await ai.models.embedContent({
      model: "gemini-embedding-001",
      contents: ["a red fox", "blue sky"],
      config: { outputDimensionality: 128, taskType: "RETRIEVAL_DOCUMENT" },
    });
    expect(embeddings.map(({ values }) => values?.length)).toEqual([128, 128]);
  });
});

describe("refused in Google's format before any call", () => {
  const one = { content: content("x") };
  const ROWS: readonly (readonly [string, string, unknown, RegExp])[] = [
    ["no content", "embedContent", {}, /content/],
    ["a picture", "embedContent", { content: { parts: [{ inlineData: { data: "AA==" } }] } }, /Only text /],
    ["an empty text", "embedContent", { content: content("") }, /text/],
    ["no requests", "batchEmbedContents", { requests: [] }, /requests/],
    [
      "requests that differ",
      "batchEmbedContents",
      { requests: [one, { ...one, taskType: "CLUSTERING" }] },
      /same in all/,
    ],
    [
      "another model",
      "batchEmbedContents",
      { requests: [{ ...one, model: "models/dear" }] },
      /model in the URL/,
    ],
    [
      "a fraction of a dimension",
      "embedContent",
      { ...one, outputDimensionality: 0.5 },
      /outputDimensionality/,
    ],
  ];
  for (const [name, verb, body, message] of ROWS) {
    test(name, async () => {
      const answer = await post("Google/gemini-embedding-001", verb, body);
      expect([answer.status, asObject(answer.body.error).status]).toEqual([400, "INVALID_ARGUMENT"]);
      expect(String(asObject(answer.body.error).message)).toMatch(message);
      expect(world.simulator.calls.total).toBe(0);
    });
  }
});

test("the list of models shows which support embeddings", async () => {
  const headers = { "x-goog-api-key": world.secret };
  const response = await fetch(`${world.url}/v1beta/models/Priced%2Fembed`, { headers });
  const { supportedGenerationMethods } = asObject(await response.json());
  expect(supportedGenerationMethods).toEqual(["embedContent", "batchEmbedContents"]);
});
