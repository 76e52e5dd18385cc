// Rerank in the form that Cohere's and Jina's APIs share, on every rerank model.
import { asArray, asObject, asString, type JsonObject } from "../../core/json.ts";
import { missingParameter } from "../../core/schema-fault.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import type { RerankDocument, RerankForm, RerankReply, RerankRequest } from "../../operations/rerank/form.ts";
import { RERANK } from "../../operations/rerank/operation.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { writeCost } from "../cost.ts";
import {
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  refuseStream,
  type Stamp,
  type Surface,
  TRANSLATED_WHOLE,
} from "../surface.ts";
import { rerankRequestSchema } from "./schema.ts";

/** Fields that are read here; all others go on as they are, where the server may know them. */
const READ: ReadonlySet<string> = new Set([...Object.keys(rerankRequestSchema.properties), "stream"]);
const CHECKER = new Checker(rerankRequestSchema);

export const RERANKING: Surface<RerankForm> = {
  name: "rerank",
  family: "openai",
  operation: RERANK,
  idPrefix: "rerank-",
  read({ body }: Incoming): Exchange<RerankForm> {
    const ask = readRerank(body);
    const whole = (reply: RerankReply, stamp: Stamp) => writeWhole(reply, stamp, ask);
    return { ...TRANSLATED_WHOLE, ask, whole };
  },
  refuse: refuseAsOpenai,
};

function readRerank(body: unknown): RerankRequest {
  const given = readFields(body);
  CHECKER.check(given, asArray(given.documents).length);
  checkModelName(given.model);
  if (given.stream === true) refuseStream();
  const { model, query, documents, return_documents, max_tokens_per_doc, rank_fields } = given;
  const resultsMax = given.top_n ?? given.top_k;
  const fields = rank_fields === undefined ? ["text"] : asArray(rank_fields).map(String);
  return {
    model: String(model),
    query: String(query),
    documents: asArray(documents).map((one, at) => readDocument(one, fields, at)),
    isShowingDocuments: return_documents === true,
    ...(typeof resultsMax === "number" ? { resultsMax } : {}),
    ...(typeof max_tokens_per_doc === "number" ? { documentTokensMax: max_tokens_per_doc } : {}),
    extras: Object.fromEntries(Object.entries(given).filter(([field]) => !READ.has(field))),
  };
}

/** A document is a text, or an object of which one or more fields are read. */
function readDocument(given: unknown, fields: readonly string[], at: number): RerankDocument {
  if (typeof given === "string") return { text: given, given: { text: given } };
  const document = asObject(given);
  const [only = "text"] = fields;
  const read = fields.map((field) => [field, asString(document[field])] as const);
  if (read.every(([, text]) => text === undefined)) throw missingParameter(`documents[${at}].${only}`);
  const lines = read.map(([field, text = ""]) => (fields.length === 1 ? text : `${field}: ${text}`));
  return { text: lines.join("\n"), given };
}

function writeWhole(
  { results, usage }: RerankReply,
  { id, model }: Stamp,
  { documents, isShowingDocuments }: RerankRequest,
): JsonObject {
  const { prompt, searchUnits } = usage?.amounts ?? NO_AMOUNTS;
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
    // Voyage's clients read `data`, where a document is its text; Cohere's read `meta`, the others `usage`.
    data: rank((document) => document?.text),
    meta: { billed_units: { search_units: searchUnits } },
    usage: { prompt_tokens: prompt, total_tokens: prompt, ...writeCost(asObject(usage)) },
  };
}
