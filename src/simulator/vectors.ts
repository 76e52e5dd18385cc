// Embeddings, rerank and moderation from the provider's side: answers computed from a request's words alone.
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../core/json/json.ts";
import { countTokens } from "./responder.ts";
import type { WholeForm, WholeRequest } from "./types.ts";

const DIMENSIONS = 256;
const DIMENSIONS_MAX = 4096;
const FLOAT_BYTES = 4;

function listWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns a unit vector, close to those of texts with the same words. */
function makeVector(text: string, dimensions: number): readonly number[] {
  const sums = new Float64Array(dimensions);
  for (const word of ["", ...listWords(text)]) {
    for (let at = 0; at < dimensions; at++) {
      const hash = Number(Bun.hash.wyhash(word, BigInt(at)) & 0xffffn);
      sums[at] = (sums[at] ?? 0) + hash / 0x7fff - 1;
    }
  }
  const length = Math.hypot(...sums);
  return Array.from(sums, (one) => one / length);
}

function listInputs(input: unknown): readonly unknown[] {
  const given = asArray(input);
  return typeof input === "string" || typeof given[0] === "number" ? [input] : given;
}

function countAll({ tokens }: WholeRequest, inputs: readonly unknown[]): number {
  // In a list of token ids, each is a token.
  const counts = inputs.map((input) => (Array.isArray(input) ? input.length : countTokens(String(input))));
  return tokens ?? counts.reduce((sum, count) => sum + count, 0);
}

function embed(inputs: readonly unknown[], size: unknown): readonly (readonly number[])[] {
  const dimensions = Math.min(asNumber(size) ?? DIMENSIONS, DIMENSIONS_MAX);
  return inputs.map((input) =>
    makeVector(typeof input === "string" ? input : JSON.stringify(input), dimensions),
  );
}

function encodeBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES);
  for (const [at, one] of vector.entries()) bytes.writeFloatLE(one, at * FLOAT_BYTES);
  return bytes.toString("base64");
}

type WriteUsage = (tokens: number) => JsonObject;

/** `/embeddings` of OpenAI, Mistral, Voyage and Jina. `dimensionsField` is the provider's name for their length. */
export function makeEmbeddingsForm(dimensionsField: string, writeUsage: WriteUsage): WholeForm {
  return {
    path: /^\/embeddings$/,
    render(request) {
      const { body, model, hasUsage } = request;
      const inputs = listInputs(body.input);
      const write = body.encoding_format === "base64" ? encodeBase64 : (vector: readonly number[]) => vector;
      const data = embed(inputs, body[dimensionsField]).map((vector, index) => ({
        object: "embedding",
        index,
        embedding: write(vector),
      }));
      const usage = hasUsage ? { usage: writeUsage(countAll(request, inputs)) } : {};
      return { object: "list", data, model, ...usage };
    },
  };
}

/** Gemini's `batchEmbedContents`. The first generation of models reports no usage. */
export const GEMINI_EMBEDDINGS: WholeForm = {
  path: /^\/models\/.+:batchEmbedContents$/,
  render(request) {
    const requests = asArray(request.body.requests).map(asObject);
    const texts = requests.map(
      ({ content }) => asString(asObject(asArray(asObject(content).parts)[0]).text) ?? "",
    );
    const values = embed(texts, requests[0]?.outputDimensionality);
    const promptTokenCount = countAll(request, texts);
    const isCounted = request.hasUsage && !request.model.includes("embedding-001");
    const embeddings = values.map((one) => ({ values: one }));
    return { embeddings, ...(isCounted ? { usageMetadata: { promptTokenCount } } : {}) };
  },
};

/** Cohere's `/embed`. */
export const COHERE_EMBEDDINGS: WholeForm = {
  path: /^\/embed$/,
  render(request) {
    const { body, hasUsage, id } = request;
    const texts = asArray(body.texts);
    const meta = { api_version: { version: "2" }, billed_units: { input_tokens: countAll(request, texts) } };
    const embeddings = { float: embed(texts, body.output_dimension) };
    return {
      id: id("embed", 32),
      texts,
      embeddings,
      response_type: "embeddings_by_type",
      ...(hasUsage ? { meta } : {}),
    };
  },
};

/** Bedrock's embeddings through InvokeModel, in the form of the model's vendor. */
export const BEDROCK_EMBEDDINGS: WholeForm = {
  path: /^\/model\/[^/]*embed[^/]*\/invoke$/,
  render(request) {
    const { body, model, hasUsage, id } = request;
    const { singleEmbeddingParams: single } = body;
    if (isObject(single)) {
      const { text, embeddingDimension } = single;
      const [embedding] = embed([asObject(text).value], embeddingDimension);
      return { embeddings: [{ embeddingType: "TEXT", embedding }] };
    }
    if (body.texts === undefined) {
      const [embedding] = embed([body.inputText], body.dimensions);
      const counted = hasUsage ? { inputTextTokenCount: countAll(request, [body.inputText]) } : {};
      return { embedding, embeddingsByType: { float: embedding }, ...counted };
    }
    const float = embed(asArray(body.texts), body.output_dimension);
    return { id: id("embed", 32), texts: body.texts, embeddings: /-v3/.test(model) ? float : { float } };
  },
};

/** Bedrock's rerank through InvokeModel. */
export const BEDROCK_RERANK: WholeForm = {
  path: /^\/model\/[^/]*rerank[^/]*\/invoke$/,
  render: ({ body }) => ({ results: rank(body) }),
};

const DOCUMENTS_PER_UNIT = 100;

interface RerankResult {
  readonly index: number;
  readonly relevance_score: number;
}

/** Scores each document by its overlap with the query: shared words divided by all words of both. */
function rank({ query, documents, top_n, top_k }: JsonObject): readonly RerankResult[] {
  const asked = new Set(listWords(String(query)));
  const ranked = asArray(documents).map((document, index) => {
    const words = new Set(listWords(readDocument(document)));
    return { index, relevance_score: asked.intersection(words).size / Math.max(1, asked.union(words).size) };
  });
  const sorted = ranked.sort((one, other) => other.relevance_score - one.relevance_score);
  return sorted.slice(0, asNumber(top_n) ?? asNumber(top_k) ?? sorted.length);
}

function readDocument(document: unknown): string {
  return isObject(document) ? String(document.text ?? "") : String(document);
}

/** Counts the tokens to rerank: the query is read again with each document. */
function countRanked(request: WholeRequest): number {
  const { query, documents } = request.body;
  const texts = asArray(documents).map(readDocument);
  return countAll(request, [...texts, ...texts.map(() => query)]);
}

/** `/rerank` in the form of most servers, with the field for its results. `writeUsage` gets tokens and search units. */
export function makeRerankForm(
  field: "results" | "data",
  writeUsage: (tokens: number, searchUnits: number) => JsonObject,
): WholeForm {
  return {
    path: /^\/rerank$/,
    render(request) {
      const { body, model, hasUsage, id } = request;
      const units = Math.ceil(asArray(body.documents).length / DOCUMENTS_PER_UNIT);
      const usage = hasUsage ? writeUsage(countRanked(request), units) : {};
      return { id: id("rerank", 32), object: "list", model, [field]: rank(body), ...usage };
    },
  };
}

const BAD_WORDS = /\b(kill|violence|hate|attack)\b/i;
const CATEGORIES = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
];
const MISTRAL_CATEGORIES = ["sexual", "hate_and_discrimination", "violence_and_threats", "pii"];

function judge(text: string, categories: readonly string[]): JsonObject {
  const isBad = BAD_WORDS.test(text);
  const flags = categories.map((name) => [name, isBad && name.startsWith("violence")] as const);
  return {
    categories: Object.fromEntries(flags),
    category_scores: Object.fromEntries(flags.map(([name, flag]) => [name, flag ? 0.95 : 0.01])),
  };
}

/** Returns the texts to judge: each text on its own, but all parts of a message together. */
function listJudged(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (isObject(asArray(input)[0])) {
    return [
      asArray(input)
        .map((part) => asString(asObject(part).text) ?? "")
        .join("\n"),
    ];
  }
  return asArray(input).map(String);
}

const OPENAI_MODERATION: WholeForm = {
  path: /^\/moderations$/,
  render({ body, model, id }) {
    const results = listJudged(body.input).map((text) => {
      const verdict = judge(text, CATEGORIES);
      return { flagged: BAD_WORDS.test(text), ...verdict };
    });
    return { id: id("moderation", 24), model, results };
  },
};

export const MISTRAL_MODERATION: WholeForm = {
  path: /^\/moderations$/,
  render(request) {
    const { body, model, id, hasUsage } = request;
    const texts = listJudged(body.input);
    const tokens = countAll(request, texts);
    const usage = { prompt_tokens: tokens, total_tokens: tokens, completion_tokens: 0 };
    const results = texts.map((text) => judge(text, MISTRAL_CATEGORIES));
    return { id: id("moderation", 32), model, results, ...(hasUsage ? { usage } : {}) };
  },
};

export const countPromptAndTotal: WriteUsage = (tokens) => ({ prompt_tokens: tokens, total_tokens: tokens });

/** OpenAI's embeddings and moderation, and rerank as compatible servers have it. */
export const OPENAI_VECTORS: readonly WholeForm[] = [
  makeEmbeddingsForm("dimensions", countPromptAndTotal),
  makeRerankForm("results", (tokens) => ({ usage: countPromptAndTotal(tokens) })),
  OPENAI_MODERATION,
];
