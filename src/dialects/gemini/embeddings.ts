// Gemini's embeddings (Gemini API reference, `batchEmbedContents`): one request for each text.
import { asArray, asCount, asObject, isObject, type JsonObject } from "../../core/json.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import type { Codec } from "../../operations/codec.ts";
import type {
  EmbeddingsForm,
  EmbeddingsReply,
  EmbeddingsRequest,
  InputType,
} from "../../operations/embeddings/form.ts";
import { makeReply, normalize } from "../../operations/embeddings/vector.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { requireTexts } from "../_whole/embeddings.ts";
import { makeHeaders, makeVerbUrl } from "./outgoing.ts";

/** A batch takes a hundred. */
const INPUTS_MAX = 100;
const TASKS: Readonly<Record<InputType, string>> = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};
/** ai.google.dev, "Embeddings": newer models read the task in front of the text. */
const PREFIXES: Readonly<Record<InputType, string>> = {
  query: "task: search result | query: ",
  document: "title: none | text: ",
  classification: "task: classification | query: ",
  clustering: "task: clustering | query: ",
};
const READS_PREFIXES = /^gemini-embedding-[2-9](?!.*preview)/;
/** "Embeddings": only its full 3,072 numbers have the length 1. */
const ONLY_FULL_IS_NORMAL = /^gemini-embedding-001/;

export const GEMINI_EMBEDDINGS: Codec<EmbeddingsForm> = makeWholeCodec({
  answersPerCall: () => INPUTS_MAX,
  encode(ask, card, target) {
    const url = makeVerbUrl(card.name, target.baseUrl, "batchEmbedContents");
    const requests = requireTexts(ask.inputs).map((text) => makeRequest(text, ask, card.name));
    const dropped = [
      ...Object.keys(ask.extras),
      ...(ask.truncation === undefined || ask.truncation === "end" ? [] : ["truncate"]),
    ];
    return { url, headers: makeHeaders(target), body: { requests }, dropped };
  },
  reply(body, { name }, ask) {
    const { embeddings, embedding, usageMetadata } = asObject(body);
    // `embedContent` answers with one.
    const rows = embedding === undefined ? asArray(embeddings) : [embedding];
    const vectors = rows.map((one) => asObject(one).values);
    return normalizeShort(makeReply(vectors, readUsage(usageMetadata), ask), name, ask);
  },
});

export function normalizeShort(
  reply: EmbeddingsReply,
  name: string,
  { dimensions }: EmbeddingsRequest,
): EmbeddingsReply {
  const isShort = dimensions !== undefined && ONLY_FULL_IS_NORMAL.test(name);
  return isShort ? { ...reply, vectors: reply.vectors.map(normalize) } : reply;
}

/** Returns the request for one text, as the batch has it. */
export function makeRequest(text: string, ask: EmbeddingsRequest, name: string): JsonObject {
  const { dimensions, inputType, task: own, title } = ask;
  // A client that names Google's task writes its own prefix.
  const isPrefixed = own === undefined && inputType !== undefined && READS_PREFIXES.test(name);
  const taskType = own ?? (inputType === undefined || isPrefixed ? undefined : TASKS[inputType]);
  const task = { ...(taskType === undefined ? {} : { taskType }), ...(title === undefined ? {} : { title }) };
  const parts = [{ text: isPrefixed ? PREFIXES[inputType] + text : text }];
  const size = dimensions === undefined ? {} : { outputDimensionality: dimensions };
  return { model: `models/${name.replace(/^models\//, "")}`, content: { parts }, ...task, ...size };
}

/** `gemini-embedding-001` reports none. */
function readUsage(usage: unknown): WorkUsage | null {
  if (!isObject(usage) || typeof usage.promptTokenCount !== "number") return null;
  return { amounts: { ...NO_AMOUNTS, prompt: asCount(usage.promptTokenCount) } };
}
