// Embeddings at Google: the Gemini API, and Vertex AI with other calls.
import { asArray, asCount, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Codec } from "../../operations/codec.ts";
import type {
  EmbeddingsForm,
  EmbeddingsReply,
  EmbeddingsRequest,
  InputType,
} from "../../operations/embeddings/form.ts";
import { countInputsPerCall } from "../../operations/embeddings/operation.ts";
import { makeReply, normalize } from "../../operations/embeddings/vector.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { nestFields, passExtras } from "../_chat/outgoing.ts";
import { makeUsage, requireTexts } from "../_whole/embeddings.ts";
import { makeHeaders, makeVerbUrl } from "./outgoing.ts";

/** At most this many requests per batch. */
const BATCH_MAX = 100;
const TASKS: Readonly<Record<InputType, string>> = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};
/** ai.google.dev, "Embeddings": newer models read the task as a prefix of the text. */
const PREFIXES: Readonly<Record<InputType, string>> = {
  query: "task: search result | query: ",
  document: "title: none | text: ",
  classification: "task: classification | query: ",
  clustering: "task: clustering | query: ",
};
const READS_PREFIXES = /^gemini-embedding-[2-9](?!.*preview)/;
/** "Embeddings": only its full 3,072 numbers are normalized to length 1. */
const ONLY_FULL_IS_NORMAL = /^gemini-embedding-001/;

/** Gemini API reference, `batchEmbedContents`: one request per text. */
export const GEMINI_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: () => BATCH_MAX,
  fit: (ask) => leaveOut(ask, ask.truncation === "end" ? [] : [["truncation", "truncate"]]),
  encode(ask, card, target) {
    const url = makeVerbUrl(card.name, target.baseUrl, "batchEmbedContents");
    const requests = requireTexts(ask.inputs).map((text) => makeRequest(text, ask, card.name));
    const extras = passExtras(ask.extras, [], target);
    const body = { ...extras.fields, requests };
    return { url, headers: makeHeaders(target), body, dropped: extras.dropped };
  },
  reply(body, { name }, ask) {
    const { embeddings, embedding, usageMetadata } = asObject(body);
    // `embedContent` returns a single one.
    const rows = embedding === undefined ? asArray(embeddings) : [embedding];
    const vectors = rows.map((one) => asObject(one).values);
    // `gemini-embedding-001` reports no usage.
    const usage = makeUsage(asObject(usageMetadata).promptTokenCount);
    return normalizeShort(makeReply(vectors, usage, ask), name, ask);
  },
});

function normalizeShort(
  reply: EmbeddingsReply,
  name: string,
  { dimensions }: EmbeddingsRequest,
): EmbeddingsReply {
  const isShort = dimensions !== undefined && ONLY_FULL_IS_NORMAL.test(name);
  return isShort ? { ...reply, vectors: reply.vectors.map(normalize) } : reply;
}

/** Makes the request for one text, as the batch expects it. */
function makeRequest(text: string, ask: EmbeddingsRequest, name: string): JsonObject {
  const { dimensions, inputType, task: own, title } = ask;
  // A client that sets Google's task writes its own prefix.
  const isPrefixed = own === undefined && inputType !== undefined && READS_PREFIXES.test(name);
  const taskType = own ?? (inputType === undefined || isPrefixed ? undefined : TASKS[inputType]);
  const parts = [{ text: isPrefixed ? PREFIXES[inputType] + text : text }];
  const model = `models/${name.replace(/^models\//, "")}`;
  return { model, content: { parts }, taskType, title, outputDimensionality: dimensions };
}

/** cloud.google.com/vertex-ai, "Text embeddings API": the limits per call of `predict`. */
const PREDICTED_MAX = 250;
const TOKENS_MAX = 20_000;
/** These accept one text per call. */
const ONE_BY_ONE = /^gemini-embedding/;
const EMBEDS_CONTENT = /^gemini-embedding-[2-9]/;

/** Uses `embedContent` for Gemini's second generation, and `predict` for all older models. */
export const VERTEX_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: ({ name }, ask) =>
    ONE_BY_ONE.test(name) ? 1 : countInputsPerCall(ask, PREDICTED_MAX, TOKENS_MAX),
  fit: (ask) => leaveOut(ask, ask.truncation === "start" ? [["truncation", "truncate"]] : []),
  encode(ask, { name }, target) {
    const isContent = EMBEDS_CONTENT.test(name);
    const extras = passExtras(ask.extras, [], target);
    const body = isContent ? makeContent(ask, name) : makePrediction(ask, name);
    return {
      url: makeVerbUrl(name, target.baseUrl, isContent ? "embedContent" : "predict"),
      headers: makeHeaders(target),
      body: { ...extras.fields, ...body },
      dropped: extras.dropped,
    };
  },
  reply(body, card, ask, headers) {
    const { predictions } = asObject(body);
    if (predictions === undefined) return GEMINI_EMBEDDINGS.reply(body, card, ask, headers);
    return normalizeShort(readPredictions(asArray(predictions), ask), card.name, ask);
  },
});

function makeContent(ask: EmbeddingsRequest, name: string): JsonObject {
  const [text = ""] = requireTexts(ask.inputs);
  const { model: _model, ...body } = makeRequest(text, ask, name);
  return body;
}

function makePrediction(ask: EmbeddingsRequest, name: string): JsonObject {
  const instances = requireTexts(ask.inputs).map((text) => {
    const { taskType, title } = makeRequest(text, ask, name);
    return { content: text, task_type: taskType, title };
  });
  const { dimensions, truncation } = ask;
  const parameters: JsonObject = dimensions === undefined ? {} : { outputDimensionality: dimensions };
  if (truncation === "none" || truncation === "end") parameters.autoTruncate = truncation === "end";
  return { instances, ...nestFields("parameters", parameters) };
}

function readPredictions(predictions: readonly unknown[], ask: EmbeddingsRequest): EmbeddingsReply {
  const rows = predictions.map((one) => asObject(asObject(one).embeddings));
  const counts = rows.map(({ statistics }) => asObject(statistics).token_count);
  const isCounted = counts.every((count) => typeof count === "number");
  const prompt = counts.reduce<number>((sum, count) => sum + asCount(count), 0);
  const vectors = rows.map(({ values }) => values);
  return makeReply(vectors, makeUsage(isCounted ? prompt : undefined), ask);
}
