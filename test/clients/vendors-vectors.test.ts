// Rerank and embeddings with the SDKs of Cohere, Voyage and Google, and the refusal of paths that aren't served.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { CohereClient, CohereClientV2, CohereError } from "cohere-ai";
import { AzureOpenAI, NotFoundError } from "openai";
import { VoyageAIClient, VoyageAIError } from "voyageai";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { failure } from "./setting.ts";

const QUERY = "what is a panda";
const DOCUMENTS = ["hi", "a panda is a bear", "what a panda is not"];
const RANKERS = ["Cohere#rerank-v3.5", "Voyage#rerank-2.5", "Jina#jina-reranker-v2-base-multilingual"];
const EMBEDDERS = ["Voyage#voyage-4", "Cohere#embed-v4.0", "OpenAI#text-embedding-3-small"];

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest();
});
afterAll(() => under.stop());

describe("Cohere's SDK", () => {
  const fields = () => ({ token: under.secret, environment: under.url, maxRetries: 0 });

  test.each(RANKERS)("ranks documents with API v2, with %s", async (model) => {
    const asked = { model, query: QUERY, documents: DOCUMENTS, topN: 2 };
    const { results, meta } = await new CohereClientV2(fields()).rerank(asked);
    expect(results.map(({ index }) => index)).toEqual([2, 1]);
    expect(results[0]?.relevanceScore).toBeGreaterThan(results[1]?.relevanceScore ?? 1);
    expect(meta?.billedUnits?.searchUnits).toBe(model.startsWith("Cohere#") ? 1 : 0);
  });

  test.each(RANKERS)("ranks objects with API v1 and returns them, with %s", async (model) => {
    const documents = DOCUMENTS.map((text) => ({ text }));
    const asked = { model, query: QUERY, documents, returnDocuments: true };
    const { results } = await new CohereClient(fields()).rerank(asked);
    expect(results.map(({ index, document }) => [index, document?.text])).toEqual([
      [2, "what a panda is not"],
      [1, "a panda is a bear"],
      [0, "hi"],
    ]);
  });

  test("gets an error that says where embeddings and chat are", async () => {
    const model = "Cohere#embed-v4.0";
    const first = new CohereClient(fields());
    const second = new CohereClientV2(fields());
    const works = [
      () => first.embed({ model, texts: ["x"], inputType: "search_query" }),
      () => first.chat({ model, message: "hi" }),
      () => second.embed({ model, texts: ["x"], inputType: "search_query", embeddingTypes: ["float"] }),
      () => second.chat({ model, messages: [{ role: "user", content: "hi" }] }),
    ];
    for (const work of works) {
      const { statusCode, message } = await failure(CohereError, work());
      expect(statusCode).toBe(404);
      expect(message).toContain("For embeddings use /v1/embeddings, for chat /v1/chat/completions");
    }
  });
});

describe("Voyage's SDK", () => {
  const connect = () => new VoyageAIClient({ apiKey: under.secret, environment: `${under.url}/v1` });

  test.each(EMBEDDERS)("gets vectors of the requested length, from %s", async (model) => {
    const asked = { model, input: DOCUMENTS, inputType: "document", outputDimension: 256 } as const;
    const { data, usage } = await connect().embed(asked);
    expect(data?.map(({ index, embedding }) => [index, embedding?.length])).toEqual([
      [0, 256],
      [1, 256],
      [2, 256],
    ]);
    expect(usage?.totalTokens).toBeGreaterThan(0);
    expect(under.simulator.calls.last()?.body).toMatchObject(
      model.startsWith("OpenAI#") ? { dimensions: 256 } : { output_dimension: 256 },
    );
  });

  test.each(RANKERS)("ranks documents and returns them, with %s", async (model) => {
    const asked = { model, query: QUERY, documents: DOCUMENTS, topK: 2, returnDocuments: true };
    const { data, usage } = await connect().rerank(asked);
    expect(data?.map(({ index, document }) => [index, document])).toEqual([
      [2, "what a panda is not"],
      [1, "a panda is a bear"],
    ]);
    expect(data?.[0]?.relevanceScore).toBeGreaterThan(data?.[1]?.relevanceScore ?? 1);
    expect(usage?.totalTokens).toBeDefined();
  });

  test("gets an error that says where embeddings of texts are", async () => {
    const inputs = [{ content: [{ type: "text" as const, text: "x" }] }];
    const work = connect().multimodalEmbed({ model: "Voyage#voyage-multimodal-3", inputs });
    const { statusCode, message } = await failure(VoyageAIError, work);
    expect(statusCode).toBe(404);
    expect(message).toContain("For text embeddings use /v1/embeddings");
  });
});

test.each(EMBEDDERS)("Google's SDK gets vectors of the requested length, from %s", async (model) => {
  const google = new GoogleGenAI({ apiKey: under.secret, httpOptions: { baseUrl: under.url } });
  const config = { outputDimensionality: 256, taskType: "RETRIEVAL_DOCUMENT" };
  const asked = { model: model.replace("#", "/"), contents: DOCUMENTS, config };
  const { embeddings } = await google.models.embedContent(asked);
  expect(embeddings?.map(({ values }) => values?.length)).toEqual([256, 256, 256]);
});

test("OpenAI's Azure class gets an error naming the right class, for embeddings, pictures and speech", async () => {
  const azure = new AzureOpenAI({ endpoint: under.url, apiKey: under.secret, apiVersion: "2024-10-21" });
  const works = [
    () => azure.embeddings.create({ model: "m", input: "x" }),
    () => azure.images.generate({ model: "m", prompt: "x" }),
    () => azure.audio.speech.create({ model: "m", input: "x", voice: "nova" }),
  ];
  for (const work of works) {
    const { message } = await failure(NotFoundError, work());
    expect(message).toContain("Use the SDK's OpenAI class instead of AzureOpenAI");
  }
});
