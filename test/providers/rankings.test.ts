// Rerank and moderation requests in each provider's form, and answers that no recording has.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { MODERATION } from "../../src/operations/moderation/operation.ts";
import type { RerankRequest } from "../../src/operations/rerank/form.ts";
import { RERANK } from "../../src/operations/rerank/operation.ts";
import { catchCode, makeCard } from "../dialects/cases/drive.ts";
import { readId, TARGET } from "./target.ts";

describe("rerank requests", () => {
  const ask: RerankRequest = {
    model: "any",
    query: "q",
    documents: ["a", "b"].map((text) => ({ text, given: text })),
    isShowingDocuments: true,
    resultsMax: 5,
    documentTokensMax: 100,
    extras: { user: "u" },
  };
  const base = { model: "m", query: "q", documents: ["a", "b"] };
  const rows: readonly (readonly [string, JsonObject, string])[] = [
    ["Cohere#m", { ...base, top_n: 2, max_tokens_per_doc: 100 }, "user"],
    ["Voyage#m", { ...base, top_k: 2 }, "user max_tokens_per_doc"],
    ["Jina#m", { ...base, top_n: 2, return_documents: false }, "user max_tokens_per_doc"],
    ["Fireworks#m", { ...base, top_n: 2, return_documents: false, user: "u" }, "max_tokens_per_doc"],
    ["vLLM#m", { ...base, top_n: 2, user: "u" }, "max_tokens_per_doc"],
  ];
  for (const [id, body, dropped] of rows) {
    test(id, () => {
      const { dialect, card } = readId(id);
      const outgoing = RERANK.findCodec(dialect)?.encode(ask, card, TARGET);
      expect(outgoing?.url).toBe(`${TARGET.baseUrl}/rerank`);
      expect(outgoing?.body).toEqual(body);
      expect(outgoing?.dropped.join(" ")).toBe(dropped);
    });
  }

  const at = (id: string, baseUrl = TARGET.baseUrl) => {
    const { dialect, card } = readId(id);
    const target = { ...TARGET, baseUrl };
    const encode = (given = ask) => {
      const outgoing = RERANK.findCodec(dialect)?.encode(given, card, target);
      return outgoing && (dialect.carry?.(outgoing, card, target) ?? outgoing);
    };
    const reply = (body: JsonObject, given = ask) =>
      RERANK.findCodec(dialect)?.reply(body, card, given, new Headers());
    return { encode, reply };
  };

  test("DeepInfra gets the query with each document, and returns scores in order", () => {
    const id = "DeepInfra#Qwen/Qwen3-Reranker-8B";
    const { encode, reply } = at(id, "https://api.deepinfra.com/v1/openai");
    expect(encode({ ...ask, extras: { instruction: "i", webhook: "https://x.example" } })).toMatchObject({
      url: "https://api.deepinfra.com/v1/inference/Qwen/Qwen3-Reranker-8B",
      headers: { authorization: "Bearer s" },
      body: { queries: ["q", "q"], documents: ["a", "b"], instruction: "i" },
      dropped: ["webhook", "max_tokens_per_doc"],
    });
    expect(reply({ scores: [0.1, 0.9], input_tokens: 42 })).toMatchObject({
      results: [
        { index: 1, score: 0.9 },
        { index: 0, score: 0.1 },
      ],
      usage: { amounts: { prompt: 42 } },
    });
    expect(reply({ scores: [0.1, 0.9] }, { ...ask, resultsMax: 1 })?.results).toEqual([
      { index: 1, score: 0.9 },
    ]);
    for (const scores of [[0.1], [0.1, 0.2, 0.3], [0.1, "x"], null])
      expect(() => reply({ scores })).toThrow("incomplete or malformed");
    const documents = Array.from({ length: 1000 }, () => ({ text: "a", given: "a" }));
    const long = { ...ask, query: "x".repeat(10_000), documents };
    expect(catchCode(() => encode(long))).toBe("request_too_large");
    for (const name of ["../../admin", "a/./b", "/a", "a/", ".."])
      expect(catchCode(() => at(`DeepInfra#${name}`).encode())).toBe("model_not_found");
  });

  test("NVIDIA's API has an address per model, other servers have one, and both return logits", () => {
    const id = "NVIDIA#nvidia/llama-3.2-nv-rerankqa-1b-v2";
    const body = {
      model: "nvidia/llama-3.2-nv-rerankqa-1b-v2",
      query: { text: "q" },
      passages: [{ text: "a" }, { text: "b" }],
    };
    const hosted = at(id, "https://integrate.api.nvidia.com/v1").encode();
    expect(hosted).toMatchObject({
      url: "https://ai.api.nvidia.com/v1/retrieval/nvidia/llama-3_2-nv-rerankqa-1b-v2/reranking",
      body,
      dropped: ["user", "max_tokens_per_doc"],
    });
    const { encode, reply } = at(id, "http://nim.example:8000/v1");
    expect(encode({ ...ask, extras: { truncate: "END" } })).toMatchObject({
      url: "http://nim.example:8000/v1/ranking",
      body: { ...body, truncate: "END" },
    });
    const rankings = [
      { index: 1, logit: 4.07 },
      { index: 0, logit: -6.95 },
    ];
    expect(reply({ rankings, usage: { prompt_tokens: 50, total_tokens: 50 } })).toMatchObject({
      results: [
        { index: 1, score: 4.07 },
        { index: 0, score: -6.95 },
      ],
      usage: { amounts: { prompt: 50 } },
    });
    expect(reply({ rankings })?.usage).toBeNull();
    expect(() => reply({ rankings: [{ index: 2, logit: 1 }] })).toThrow("incomplete or malformed");
  });

  test("Google's ranking API is only called for a project at the location global", () => {
    const id = "Vertex#semantic-ranker-default@latest";
    const global = "https://aiplatform.googleapis.com/v1/projects/p/locations/global";
    const { encode, reply } = at(id, global);
    expect(encode()).toMatchObject({
      url: "https://discoveryengine.googleapis.com/v1/projects/p/locations/global/rankingConfigs/default_ranking_config:rank",
      body: {
        model: "semantic-ranker-default@latest",
        query: "q",
        records: [
          { id: "0", content: "a" },
          { id: "1", content: "b" },
        ],
        topN: 2,
        ignoreRecordDetailsInResponse: true,
      },
      dropped: ["user", "max_tokens_per_doc"],
    });
    const records = [
      { id: "1", score: 0.97 },
      { id: "0", score: 0.18 },
    ];
    expect(reply({ records })).toEqual({
      results: [
        { index: 1, score: 0.97 },
        { index: 0, score: 0.18 },
      ],
      usage: null,
    });
    for (const wrong of ["2", "", "1x", 1])
      expect(() => reply({ records: [{ id: wrong, score: 1 }] })).toThrow("incomplete or malformed");
    for (const other of [
      "https://eu-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4",
      "https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu",
      "https://aiplatform.googleapis.com/v1",
      "https://aiplatform.googleapis.com/v1/projects/p/locations/us-central1",
      "http://127.0.0.1:9/v1/projects/p/locations/global",
    ])
      expect(catchCode(() => at(id, other).encode())).toBe("unsupported_capability");
  });

  test("a result for an unknown document, or a duplicate, is a fault", () => {
    const { dialect, card } = readId("vLLM#m");
    const read = (...indexes: readonly unknown[]) => {
      const results = indexes.map((index) => ({ index, relevance_score: 0.5 }));
      return () => RERANK.findCodec(dialect)?.reply({ results }, card, ask, new Headers());
    };
    expect(read(1, 0)).not.toThrow();
    for (const indexes of [[2], [-1], [0.5], [0, 0], ["0"], []])
      expect(read(...indexes)).toThrow("incomplete or malformed");
  });

  test("a report without the priced unit is ignored", () => {
    const { dialect } = readId("Cohere#m");
    const results = [{ index: 0, relevance_score: 1 }];
    const read = (price: object, body: object) => {
      const card = { ...makeCard("m", null), price: { input: 0, output: 0, ...price } };
      return RERANK.findCodec(dialect)?.reply({ results, ...body }, card, ask, new Headers()).usage;
    };
    const units = { meta: { billed_units: { search_units: 3 } } };
    expect(read({ perSearchUnit: 0.002 }, units)?.amounts.searchUnits).toBe(3);
    expect(read({ input: 1 }, units)).toBeNull();
    expect(read({ perSearchUnit: 0.002 }, { usage: { total_tokens: 9 } })).toBeNull();
    expect(read({ input: 1 }, { usage: { total_tokens: 9 } })?.amounts.prompt).toBe(9);
  });
});

describe("moderation requests", () => {
  const text = { type: "text", text: "a" } as const;
  const image = { type: "image_url", image_url: { url: "https://pictures.example/1.png" } } as const;

  function send(id: string, inputs: Parameters<typeof MODERATION.estimatePrompt>[0]["inputs"]) {
    const { dialect, card } = readId(id);
    return MODERATION.findCodec(dialect)?.encode({ model: id, inputs, extras: {} }, card, TARGET).body.input;
  }

  test("accept a text, several, and parts that are judged together", () => {
    expect(send("OpenAI#m", ["a"])).toBe("a");
    expect(send("OpenAI#m", ["a", "b"])).toEqual(["a", "b"]);
    expect(send("OpenAI#m", [[text, image]])).toEqual([text, image]);
    expect(send("Mistral#m", [[text, text]])).toBe("a\na");
    expect(() => send("Mistral#m", [[text, image]])).toThrow("only moderates text");
  });

  test("Mistral's verdict is flagged if a category is", () => {
    const { dialect, card } = readId("Mistral#m");
    const results = [true, false].map((sexual) => ({
      categories: { sexual },
      category_scores: { sexual: 0.5 },
    }));
    const ask = { model: "m", inputs: ["a", "b"], extras: {} };
    const reply = MODERATION.findCodec(dialect)?.reply({ results }, card, ask, new Headers());
    expect(reply?.results.map(({ flagged }) => flagged)).toEqual([true, false]);
  });
});
