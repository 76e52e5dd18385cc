// Embeddings and moderation with the common SDKs: OpenAI's, LangChain's and the AI SDK's.
import { afterAll, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { cosineSimilarity, embedMany } from "ai";
import { BadRequestError } from "openai";
import { asObject } from "../../src/core/json/json.ts";
import { failure, startOpenAI } from "./setting.ts";

const MODELS = [
  "OpenAI#text-embedding-3-small",
  "Local#any-embedder",
  "Mistral#codestral-embed",
  "Google#gemini-embedding-001",
  "Cohere#embed-v4.0",
  "Voyage#voyage-4",
  "Jina#jina-embeddings-v3",
];

const { under, client } = await startOpenAI();
afterAll(() => under.stop());

test("OpenAI's SDK, which requests base64 by default, gets full-length vectors", async () => {
  for (const model of MODELS) {
    const [asked, plain] = await Promise.all([
      client.embeddings.create({ model, input: "a red fox", dimensions: 512 }),
      client.embeddings.create({ model, input: ["a red fox"], dimensions: 512, encoding_format: "float" }),
    ]);
    const vector = asked.data[0]?.embedding ?? [];
    const floats = plain.data[0]?.embedding ?? [];
    expect([model, vector.length, floats.length]).toEqual([model, 512, 512]);
    expect(Math.max(...vector.map((one, at) => Math.abs(one - (floats[at] ?? 9))))).toBeLessThan(1e-4);
    expect([asked.model, asked.usage.total_tokens > 0]).toEqual([model, true]);
  }
  // Custom servers are asked for vectors as numbers, because some return base64 of doubles.
  const asked = under.simulator.calls.all().map(({ model, body }) => [model, asObject(body).encoding_format]);
  expect(asked.filter(([model]) => model === "any-embedder").map(([, form]) => form)).toEqual([
    "float",
    "float",
  ]);
});

test("OpenAI's SDK shows the offending field", async () => {
  const work = client.embeddings.create({ model: MODELS[0] ?? "", input: "x", dimensions: 5000 });
  const error = await failure(BadRequestError, work);
  expect([error.status, error.param]).toEqual([400, "dimensions"]);
});

test("OpenAI's SDK moderates texts", async () => {
  const { results } = await client.moderations.create({
    model: "OpenAI#omni-moderation-latest",
    input: ["hello", "I hate you"],
  });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
});

test("OpenAI's SDK moderates without naming a model", async () => {
  const { model, results } = await client.moderations.create({ input: "I hate you" });
  expect([model, results[0]?.flagged]).toEqual(["OpenAI#omni-moderation-latest", true]);
});

test("LangChain's embeddings, in batches of its own", async () => {
  const embeddings = new OpenAIEmbeddings({
    model: "Cohere#embed-v4.0",
    apiKey: under.secret,
    batchSize: 100,
    configuration: { baseURL: `${under.url}/v1` },
  });
  const documents = Array.from({ length: 150 }, (_, at) => `document ${at}`);
  const vectors = await embeddings.embedDocuments(documents);
  const query = await embeddings.embedQuery("document 120");
  const best = vectors.map((vector) => cosineSimilarity(vector, query));
  expect(best.indexOf(Math.max(...best))).toBe(120);
});

test("the AI SDK's embeddings", async () => {
  const openai = createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret });
  const { embeddings, usage } = await embedMany({
    model: openai.embedding("Google#gemini-embedding-001"),
    values: ["a red fox", "a red dog", "blue sky"],
  });
  const [fox = [], dog = [], sky = []] = embeddings;
  expect(cosineSimilarity(fox, dog)).toBeGreaterThan(cosineSimilarity(fox, sky));
  expect(usage.tokens).toBeGreaterThan(0);
});
