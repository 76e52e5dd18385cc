// Embeddings, rerank and moderation as each provider is sent them, and answers that no recording has.
import { describe, expect, test } from "bun:test";
import type { ModelCard } from "../../src/core/card.ts";
import { toFault } from "../../src/core/fault.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import type { EmbeddingsRequest } from "../../src/operations/embeddings/form.ts";
import { EMBEDDINGS } from "../../src/operations/embeddings/operation.ts";
import { MODERATION } from "../../src/operations/moderation/operation.ts";
import type { RerankRequest } from "../../src/operations/rerank/form.ts";
import { RERANK } from "../../src/operations/rerank/operation.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { makeCard } from "./drive.ts";

const TARGET = { baseUrl: "https://upstream.example/v1", secret: "s", headers: {} };

function findProvider(name: string): Dialect {
  const [dialect = findDialect("openai")] = PROVIDERS.find((row) => row.name === name)?.dialects ?? [];
  return dialect;
}

function readId(id: string): { readonly dialect: Dialect; readonly card: ModelCard } {
  const [provider = "", name = ""] = id.split("#");
  return { dialect: findProvider(provider), card: makeCard(name, null) };
}

function embeddings(more: Partial<EmbeddingsRequest>): EmbeddingsRequest {
  return { model: "any", inputs: ["a", "b"], encoding: "base64", extras: {}, ...more };
}

function encode(id: string, more: Partial<EmbeddingsRequest>) {
  const { dialect, card } = readId(id);
  const codec = EMBEDDINGS.findCodec(dialect);
  if (!codec) throw new Error(`${id} has no embeddings`);
  const outgoing = codec.encode(embeddings(more), card, TARGET);
  return { codec, card, path: outgoing.url.slice(TARGET.baseUrl.length), ...outgoing };
}

const all = { dimensions: 512, inputType: "query", truncation: "end" } as const;
const input = ["a", "b"];

type Row = readonly [string, Partial<EmbeddingsRequest>, string, JsonObject, string];
const ROWS: readonly Row[] = [
  [
    "OpenAI#m",
    { ...all, extras: { user: "u", provider: { order: ["dear"] } } },
    "/embeddings",
    { model: "m", input, encoding_format: "base64", dimensions: 512, user: "u" },
    "provider input_type truncate",
  ],
  [
    "vLLM#m",
    { extras: { truncate_prompt_tokens: 5 } },
    "/embeddings",
    { model: "m", input, encoding_format: "float", truncate_prompt_tokens: 5 },
    "",
  ],
  [
    "Mistral#m",
    { ...all, extras: { user: "u" } },
    "/embeddings",
    { model: "m", input, encoding_format: "float", output_dimension: 512 },
    "user input_type truncate",
  ],
  [
    "NVIDIA#m",
    { truncation: "start" },
    "/embeddings",
    { model: "m", input, encoding_format: "float", input_type: "passage", truncate: "START" },
    "",
  ],
  [
    "OpenRouter#m",
    { inputType: "document" },
    "/embeddings",
    { model: "m", input, encoding_format: "float", input_type: "search_document" },
    "",
  ],
  ["Together#m", {}, "/embeddings", { model: "m", input, encoding_format: "float" }, ""],
  ["Fireworks#m", { inputs: ["a"] }, "/embeddings", { model: "m", input: "a", encoding_format: "float" }, ""],
  ["DeepInfra#m", {}, "/embeddings", { model: "m", input, encoding_format: "float" }, ""],
  [
    "Cohere#m",
    { dimensions: 512, truncation: "start", extras: { user: "u", max_tokens: 9 } },
    "/embed",
    {
      ...{ model: "m", texts: input, input_type: "search_document", embedding_types: ["float"] },
      ...{ output_dimension: 512, truncate: "START", max_tokens: 9 },
    },
    "user",
  ],
  [
    "Voyage#m",
    all,
    "/embeddings",
    { model: "m", input, output_dimension: 512, input_type: "query", truncation: true },
    "",
  ],
  [
    "Voyage#m",
    { inputType: "clustering", truncation: "start" },
    "/embeddings",
    { model: "m", input },
    "input_type truncate",
  ],
  [
    "Jina#m",
    { ...all, extras: { late_chunking: true } },
    "/embeddings",
    {
      ...{ model: "m", input, embedding_type: "float", dimensions: 512, task: "retrieval.query" },
      ...{ truncate: true, late_chunking: true },
    },
    "",
  ],
];

describe("embeddings as they are sent", () => {
  for (const [id, more, path, body, dropped] of ROWS) {
    test(`${id} ${JSON.stringify(more)}`, () => {
      const outgoing = encode(id, more);
      expect([outgoing.path, outgoing.body]).toEqual([path, body]);
      expect(outgoing.dropped.join(" ")).toBe(dropped);
      expect(outgoing.headers.authorization).toBe("Bearer s");
    });
  }

  test("Gemini is sent one request for each text, newer models with the task before it", () => {
    const first = encode("Google#gemini-embedding-001", { ...all, inputs: ["a"] });
    expect(first.path).toBe("/models/gemini-embedding-001:batchEmbedContents");
    expect(first.headers["x-goog-api-key"]).toBe("s");
    expect(first.body.requests).toEqual([
      {
        model: "models/gemini-embedding-001",
        content: { parts: [{ text: "a" }] },
        taskType: "RETRIEVAL_QUERY",
        outputDimensionality: 512,
      },
    ]);
    const second = encode("Google#gemini-embedding-2", { inputs: ["a"], inputType: "document" });
    expect(second.body.requests).toEqual([
      { model: "models/gemini-embedding-2", content: { parts: [{ text: "title: none | text: a" }] } },
    ]);
  });

  test("token ids go to servers of OpenAI's form alone", () => {
    expect(encode("OpenAI#m", { inputs: [[1, 2]] }).body.input).toEqual([1, 2]);
    for (const id of ["Mistral#m", "Google#m", "Cohere#m", "Voyage#m", "Jina#m", "NVIDIA#m"]) {
      expect(() => encode(id, { inputs: [[1, 2]] })).toThrow("takes texts only");
    }
  });

  test("a call takes as many inputs as its provider, and its tokens, allow", () => {
    const count = (id: string, text: string) => {
      const { codec, card } = encode(id, {});
      return codec.answersPerCall(card, embeddings({ inputs: [text] }));
    };
    const ids = ["OpenAI#m", "Cohere#m", "Google#m", "Voyage#voyage-4", "Jina#m", "Mistral#m", "DeepInfra#m"];
    expect(ids.map((id) => count(id, "a"))).toEqual([2048, 96, 100, 1000, 512, 256, 1024]);
    const long = "x".repeat(32_000);
    expect(["Voyage#voyage-4-large", "Voyage#voyage-4", "Mistral#m"].map((id) => count(id, long))).toEqual([
      10, 26, 1,
    ]);
  });
});

describe("embeddings as they come", () => {
  function reply(id: string, body: unknown, more: Partial<EmbeddingsRequest> = {}) {
    const { codec, card } = encode(id, more);
    const ask = embeddings(more);
    return codec.reply(body, card, ask, new Headers());
  }

  test("are put in the order of their indexes", () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    expect(reply("OpenAI#m", { data }).vectors).toEqual([[1], [2]]);
    expect(reply("OpenAI#m", { data: [{ embedding: [1] }, { embedding: [2] }] }).vectors).toEqual([[1], [2]]);
  });

  test("shorter vectors of gemini-embedding-001 get the length 1", () => {
    const body = { embeddings: [{ values: [3, 4] }] };
    const ask = { inputs: ["a"], dimensions: 2 };
    expect(reply("Google#gemini-embedding-001", body, ask).vectors).toEqual([[0.6, 0.8]]);
    expect(reply("Google#gemini-embedding-2", body, ask).vectors).toEqual([[3, 4]]);
  });

  test("that are missing, no numbers or of another length are faults", () => {
    const rows: readonly (readonly [unknown, Partial<EmbeddingsRequest>, string])[] = [
      [{ data: [{ embedding: [1] }] }, {}, "upstream_error"],
      [{ data: [{ embedding: [1] }, { embedding: ["x"] }] }, {}, "upstream_error"],
      [
        {
          data: [
            { index: 0, embedding: [1] },
            { index: 0, embedding: [1] },
          ],
        },
        {},
        "upstream_error",
      ],
      [{ data: [{ embedding: "AAA=" }, { embedding: "AAA=" }] }, {}, "upstream_error"],
      [{ data: [{ embedding: [1, 2, 3] }] }, { inputs: ["a"], dimensions: 2 }, "unsupported_capability"],
    ];
    for (const [body, more, code] of rows) {
      let found = "";
      try {
        reply("OpenAI#m", body, more);
      } catch (thrown) {
        found = toFault(thrown).code;
      }
      expect([JSON.stringify(body), found]).toEqual([JSON.stringify(body), code]);
    }
  });

  test("llama.cpp's 500 for a text that is too long is the client's, and isn't tried again", () => {
    const message = "input (5120 tokens) is too large to process. increase the physical batch size";
    const body = JSON.stringify({ error: { code: 500, message, type: "server_error" } });
    const fault = findDialect("openai").explain(500, new Headers(), body, 0);
    expect([fault.code, fault.row.elsewhere]).toEqual(["context_length_exceeded", undefined]);
    const other = JSON.stringify({ error: { code: 500, message: "out of memory" } });
    expect(findDialect("openai").explain(500, new Headers(), other, 0).code).toBe("upstream_error");
  });
});

describe("rerank as it is sent", () => {
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

  test("a result for no document, or twice for one, is a fault", () => {
    const { dialect, card } = readId("vLLM#m");
    const read = (...indexes: readonly unknown[]) => {
      const results = indexes.map((index) => ({ index, relevance_score: 0.5 }));
      return () => RERANK.findCodec(dialect)?.reply({ results }, card, ask, new Headers());
    };
    expect(read(1, 0)).not.toThrow();
    for (const indexes of [[2], [-1], [0.5], [0, 0], ["0"], []])
      expect(read(...indexes)).toThrow("not readable");
  });

  test("a report without the unit that the card is priced by is none", () => {
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

describe("moderation as it is sent", () => {
  const text = { type: "text", text: "a" } as const;
  const image = { type: "image_url", image_url: { url: "https://pictures.example/1.png" } } as const;

  function send(id: string, inputs: Parameters<typeof MODERATION.estimatePrompt>[0]["inputs"]) {
    const { dialect, card } = readId(id);
    return MODERATION.findCodec(dialect)?.encode({ model: id, inputs, extras: {} }, card, TARGET).body.input;
  }

  test("a text, several, and parts that are judged together", () => {
    expect(send("OpenAI#m", ["a"])).toBe("a");
    expect(send("OpenAI#m", ["a", "b"])).toEqual(["a", "b"]);
    expect(send("OpenAI#m", [[text, image]])).toEqual([text, image]);
    expect(send("Mistral#m", [[text, text]])).toBe("a\na");
    expect(() => send("Mistral#m", [[text, image]])).toThrow("texts only");
  });

  test("Mistral's verdict is flagged where a category is", () => {
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
