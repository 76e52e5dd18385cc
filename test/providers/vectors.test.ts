// Embedding requests in each provider's form, and answers that no recording has.
import { describe, expect, test } from "bun:test";
import { toFault } from "../../src/core/faults/fault.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { EmbeddingsRequest } from "../../src/operations/embeddings/form.ts";
import { EMBEDDINGS } from "../../src/operations/embeddings/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import { readId, TARGET } from "./target.ts";

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
      model: "m",
      texts: input,
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: 512,
      truncate: "START",
      max_tokens: 9,
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
      model: "m",
      input,
      embedding_type: "float",
      dimensions: 512,
      task: "retrieval.query",
      truncate: true,
      late_chunking: true,
    },
    "",
  ],
];

describe("embedding requests", () => {
  for (const [id, more, path, body, dropped] of ROWS) {
    test(`${id} ${JSON.stringify(more)}`, () => {
      const outgoing = encode(id, more);
      expect([outgoing.path, outgoing.body]).toEqual([path, body]);
      expect(outgoing.dropped.join(" ")).toBe(dropped);
      expect(outgoing.headers.authorization).toBe("Bearer s");
    });
  }

  test("Gemini gets one request per text, with the task in the text for newer models", () => {
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

  test("Vertex AI takes one text per call for its newest models, and instances for older ones", () => {
    const one = encode("Vertex#gemini-embedding-2", { inputs: ["a"], dimensions: 512 });
    expect(one.path).toBe("/models/gemini-embedding-2:embedContent");
    expect(one.body).toEqual({ content: { parts: [{ text: "a" }] }, outputDimensionality: 512 });
    const old = encode("Vertex#text-embedding-005", { ...all, inputs: ["a", "b"] });
    expect(old.path).toBe("/models/text-embedding-005:predict");
    expect(old.body).toEqual({
      instances: ["a", "b"].map((content) => ({ content, task_type: "RETRIEVAL_QUERY" })),
      parameters: { outputDimensionality: 512, autoTruncate: true },
    });
    const counts = [one, old].map(({ codec, card }) => codec.answersPerCall(card, embeddings({})));
    expect(counts).toEqual([1, 250]);
  });

  test("token ids are only sent to servers of OpenAI's format", () => {
    expect(encode("OpenAI#m", { inputs: [[1, 2]] }).body.input).toEqual([1, 2]);
    for (const id of ["Mistral#m", "Google#m", "Cohere#m", "Voyage#m", "Jina#m", "NVIDIA#m"]) {
      expect(() => encode(id, { inputs: [[1, 2]] })).toThrow("only accepts text");
    }
  });

  test("a call takes as many inputs as its provider and its tokens allow", () => {
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

describe("embedding answers", () => {
  function reply(id: string, body: unknown, more: Partial<EmbeddingsRequest> = {}) {
    const { codec, card } = encode(id, more);
    const ask = embeddings(more);
    return codec.reply(body, card, ask, new Headers());
  }

  test("are sorted by index", () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    expect(reply("OpenAI#m", { data }).vectors).toEqual([[1], [2]]);
    expect(reply("OpenAI#m", { data: [{ embedding: [1] }, { embedding: [2] }] }).vectors).toEqual([[1], [2]]);
  });

  test("of gemini-embedding-001 are normalized if shortened", () => {
    const body = { embeddings: [{ values: [3, 4] }] };
    const ask = { inputs: ["a"], dimensions: 2 };
    expect(reply("Google#gemini-embedding-001", body, ask).vectors).toEqual([[0.6, 0.8]]);
    expect(reply("Google#gemini-embedding-2", body, ask).vectors).toEqual([[3, 4]]);
  });

  test("with missing, non-numeric or differently sized vectors are faults", () => {
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

  test("llama.cpp's 500 for too long a text is the client's fault, and is not retried", () => {
    const message = "input (5120 tokens) is too large to process. increase the physical batch size";
    const body = JSON.stringify({ error: { code: 500, message, type: "server_error" } });
    const fault = findDialect("openai").explain(500, new Headers(), body, 0);
    expect([fault.code, fault.row.elsewhere]).toEqual(["context_length_exceeded", undefined]);
    const other = JSON.stringify({ error: { code: 500, message: "out of memory" } });
    expect(findDialect("openai").explain(500, new Headers(), other, 0).code).toBe("upstream_error");
  });
});
