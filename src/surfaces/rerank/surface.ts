// Rerank in the form shared by Cohere's and Jina's APIs, on every rerank model.
import { Type } from "@sinclair/typebox";
import { asString, type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { RerankDocument, RerankForm } from "../../operations/rerank/form.ts";
import { RERANK } from "../../operations/rerank/operation.ts";
import { modelName, openObject } from "../bounds.ts";
import { writePromptUsage } from "../cost.ts";
import { makeWholeSurface } from "../openai-surface.ts";
import type { Surface } from "../surface.ts";

/** Cohere's and Voyage's limit. */
const DOCUMENTS_MAX = 1000;
const RANK_FIELDS_MAX = 64;
const TOKENS_MAX = 1_000_000;

export const rerankRequestSchema = openObject({
  model: modelName,
  query: Type.String({ minLength: 1 }),
  documents: Type.Array(Type.Union([Type.String(), openObject({})]), {
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
  }),
  top_n: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Voyage's name for `top_n`. */
  top_k: Type.Optional(Type.Integer({ minimum: 1 })),
  return_documents: Type.Optional(Type.Boolean()),
  max_tokens_per_doc: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKENS_MAX })),
  rank_fields: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: RANK_FIELDS_MAX })),
});

export const RERANKING: Surface<RerankForm> = makeWholeSurface({
  name: "rerank",
  operation: RERANK,
  idPrefix: "rerank-",
  schema: rerankRequestSchema,
  list: "documents",
  read(given, extras) {
    const { model, query, documents, rank_fields: ranked = ["text"] } = given;
    return omitUndefined({
      model,
      query,
      documents: documents.map((one, at) => readDocument(one, ranked, at)),
      isShowingDocuments: given.return_documents === true,
      resultsMax: given.top_n ?? given.top_k,
      documentTokensMax: given.max_tokens_per_doc,
      extras,
    });
  },
  write({ results, usage }, { id, model }, { documents, isShowingDocuments }) {
    const { searchUnits } = usage?.amounts ?? NO_AMOUNTS;
    const rank = (show: (document: RerankDocument | undefined) => unknown) =>
      results.map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(isShowingDocuments ? { document: show(documents[index]) } : {}),
      }));
    return {
      id,
      object: "list",
      model,
      results: rank((document) => document?.given),
      // Voyage's clients read `data`, with documents as texts; Cohere's read `meta`, all others `usage`.
      data: rank((document) => document?.text),
      meta: { billed_units: { search_units: searchUnits } },
      usage: writePromptUsage(usage),
    };
  },
});

/** Reads a document: a text, or an object with one or more ranked fields. */
function readDocument(given: string | JsonObject, fields: readonly string[], at: number): RerankDocument {
  if (typeof given === "string") return { text: given, given: { text: given } };
  const [only = "text"] = fields;
  const read = fields.map((field) => [field, asString(given[field])] as const);
  if (read.every(([, text]) => text === undefined)) throw missingParameter(`documents[${at}].${only}`);
  const lines = read.map(([field, text = ""]) => (fields.length === 1 ? text : `${field}: ${text}`));
  return { text: lines.join("\n"), given };
}
