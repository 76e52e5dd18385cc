// Gemini's embedContent and batchEmbedContents, on every embedding model.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import type {
  EmbeddingsForm,
  EmbeddingsReply,
  EmbeddingsRequest,
  InputType,
} from "../../operations/embeddings/form.ts";
import { EMBEDDINGS, refuseManyTokens } from "../../operations/embeddings/operation.ts";
import { toFloats } from "../../operations/embeddings/vector.ts";
import { openObject } from "../bounds.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { writeCost } from "../cost.ts";
import { TRANSLATED_WHOLE } from "../openai-surface.ts";
import type { Exchange, Incoming, Surface } from "../surface.ts";
import { refuse } from "./errors.ts";
import { respellFields } from "./spelling.ts";
import { readPath } from "./surface.ts";

const REQUESTS_MAX = 2048;
const DIMENSIONS_MAX = 65_536;

const content = openObject({ parts: Type.Array(openObject({}), { minItems: 1 }) });
const settings = {
  taskType: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  outputDimensionality: Type.Optional(Type.Integer({ minimum: 1, maximum: DIMENSIONS_MAX })),
  autoTruncate: Type.Optional(Type.Boolean()),
};
/** Gemini API reference, `models.embedContent`. */
export const embedSchema = openObject({ content, ...settings });
/** Gemini API reference, `models.batchEmbedContents`. */
export const batchEmbedSchema = openObject({
  requests: Type.Array(embedSchema, { minItems: 1, maxItems: REQUESTS_MAX }),
});
type EmbedSettings = Partial<Static<typeof embedSchema>>;
const ONE = new Checker(embedSchema);
const BATCH = new Checker(batchEmbedSchema);

/** Tasks that have an equivalent at other providers. */
const KINDS: ReadonlyMap<string, InputType> = new Map([
  ["RETRIEVAL_QUERY", "query"],
  ["QUESTION_ANSWERING", "query"],
  ["FACT_VERIFICATION", "query"],
  ["CODE_RETRIEVAL_QUERY", "query"],
  ["RETRIEVAL_DOCUMENT", "document"],
  ["CLASSIFICATION", "classification"],
  ["CLUSTERING", "clustering"],
]);
const SETTINGS = Object.keys(settings);
/** Google's names of the fields of other providers' APIs. */
const NAMES = { dimensions: "outputDimensionality", input_type: "taskType", truncate: "autoTruncate" };
const UNSPECIFIED = "TASK_TYPE_UNSPECIFIED";

export const GEMINI_EMBEDDING: Surface<EmbeddingsForm> = {
  name: "gemini-embeddings",
  family: "gemini",
  operation: EMBEDDINGS,
  idPrefix: "embd-",
  fields: new Set([
    "model",
    "embedContentConfig",
    ...[embedSchema, batchEmbedSchema].flatMap(({ properties }) => Object.keys(properties)),
  ]),
  checkPath: readPath,
  read({ url, body }: Incoming): Exchange<EmbeddingsForm> {
    const { model, verb } = readPath(new URL(url).pathname);
    checkModelName(model);
    const isBatch = verb === "batchEmbedContents";
    const ask = readEmbed(model, readFields(body), isBatch);
    return { ...TRANSLATED_WHOLE, ask, names: NAMES, whole: (reply) => writeWhole(reply, isBatch) };
  },
  refuse,
};

function readEmbed(model: string, body: JsonObject, isBatch: boolean): EmbeddingsRequest {
  const { requests: listed } = body;
  const respelled = Array.isArray(listed)
    ? listed.map((one) => (isObject(one) ? respellOne(one) : one))
    : listed;
  const requests = isBatch
    ? BATCH.check({ ...body, requests: respelled }, "requests").requests
    : [ONE.check(respellOne(body), "content")];
  const [first = {}] = requests;
  for (const [at, request] of requests.entries())
    refuseOther(request, first, model, isBatch ? `requests[${at}].` : "");
  const inputs = requests.map((request, at) =>
    readText(request, isBatch ? `requests[${at}].content` : "content"),
  );
  const settled: EmbedSettings = first;
  const { taskType = UNSPECIFIED, title, outputDimensionality: dimensions, autoTruncate } = settled;
  const task = taskType === UNSPECIFIED ? undefined : taskType;
  const ask: EmbeddingsRequest = omitUndefined({
    model,
    inputs,
    encoding: "float",
    dimensions,
    inputType: KINDS.get(task ?? ""),
    task: task || undefined,
    title,
    truncation: autoTruncate === undefined ? undefined : autoTruncate ? "end" : "none",
    extras: {},
  });
  refuseManyTokens(ask, isBatch ? "requests" : "content");
  return ask;
}

function respellOne(given: JsonObject): JsonObject {
  const { embedContentConfig, ...fields } = respellFields(given);
  return { ...asObject(embedContentConfig), ...fields };
}

/** One call creates vectors of one kind with one model. */
function refuseOther(request: JsonObject, first: JsonObject, model: string, path: string): void {
  const other = SETTINGS.find((name) => request[name] !== first[name]);
  if (other) {
    const message = `Invalid '${path}${other}': it must be the same in all requests of a batch.`;
    throw new Fault("invalid_value", message, { param: `${path}${other}` });
  }
  const named = asString(request.model);
  if (named === undefined || simplify(named) === simplify(model)) return;
  const message = `Invalid '${path}model' ('${named.slice(0, 100)}'): it must match the model in the URL.`;
  throw new Fault("invalid_value", message, { param: `${path}model` });
}

function simplify(name: string): string {
  return name
    .replace(/^(models\/)+/, "")
    .replace("#", "/")
    .toLowerCase();
}

function readText(request: JsonObject, path: string): string {
  const texts = asArray(asObject(request.content).parts).map((part, at) => {
    const text = asString(asObject(part).text);
    if (text !== undefined) return text;
    const message = "Only text can be embedded here.";
    throw new Fault("unsupported_capability", message, { param: `${path}.parts[${at}]` });
  });
  const text = texts.join("\n");
  if (text === "") throw missingParameter(`${path}.parts[0].text`);
  return text;
}

function writeWhole({ vectors, usage }: EmbeddingsReply, isBatch: boolean): JsonObject {
  const tokens = usage?.amounts.prompt ?? 0;
  const usageMetadata = { promptTokenCount: tokens, totalTokenCount: tokens, ...writeCost(usage) };
  const embeddings = vectors.map((vector) => ({ values: toFloats(vector) }));
  return isBatch ? { embeddings, usageMetadata } : { embedding: embeddings[0], usageMetadata };
}
