// Rerank on servers of OpenAI's dialect with a form and an address of their own: DeepInfra and NVIDIA.

import { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asNumber, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Target } from "../../core/models/dialect.ts";
import type { Codec } from "../../operations/codec.ts";
import type { RerankForm, RerankRequest } from "../../operations/rerank/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeBearerHeaders, passExtras } from "../_chat/outgoing.ts";
import { leaveOutDocumentTokens, rankDocuments, readRerankUsage } from "../_whole/rerank.ts";

/** DeepInfra requires the query once per document, so a long one would be sent up to a thousand times. */
const QUERIES_BYTES_MAX = 8 * 1024 * 1024;

/** deepinfra.com, "HTTP/cURL API" of Qwen3-Reranker: one score per query and document, in order. */
export const DEEPINFRA_RERANK: Codec<RerankForm> = makeWholeCodec({
  fit: leaveOutDocumentTokens,
  encode(ask, { name }, target) {
    const { query, documents } = ask;
    if (Buffer.byteLength(query) * documents.length > QUERIES_BYTES_MAX) {
      const message = "The query is too long for this many documents: it is read once per document.";
      throw new Fault("request_too_large", message, { param: "query" });
    }
    const body = { queries: documents.map(() => query), documents: documents.map(({ text }) => text) };
    const url = `${target.baseUrl.replace(/\/openai$/, "")}/inference/${encodePath(name)}`;
    return makeCall(url, body, ask, ["instruction"], target);
  },
  reply(body, card, ask) {
    const { scores, input_tokens } = asObject(body);
    const rows = asArray(scores).map((score, index) => ({ index, score: asNumber(score) }));
    if (rows.length !== ask.documents.length) throw malformed("the scores don't match the documents");
    return rankDocuments(rows, readRerankUsage({ prompt_tokens: input_tokens }, {}, card), ask);
  },
});

const NVIDIA_API = "https://integrate.api.nvidia.com/v1";
/** NVIDIA's own API has an address for each ranking model, with underscores for the dots in its name. */
const NVIDIA_RETRIEVAL = "https://ai.api.nvidia.com/v1/retrieval";

/** NeMo Retriever Reranking NIM, "Use the API": `rankings` hold logits, which may be any number. */
export const NVIDIA_RERANK: Codec<RerankForm> = makeWholeCodec({
  fit: leaveOutDocumentTokens,
  encode(ask, { name }, target) {
    const passages = ask.documents.map(({ text }) => ({ text }));
    const body = { model: name, query: { text: ask.query }, passages };
    const url =
      target.baseUrl === NVIDIA_API
        ? `${NVIDIA_RETRIEVAL}/${encodePath(name.replaceAll(".", "_"))}/reranking`
        : `${target.baseUrl}/ranking`;
    return makeCall(url, body, ask, ["truncate"], target);
  },
  reply(body, card, ask) {
    const { rankings, usage } = asObject(body);
    const rows = asArray(rankings).map((row) => {
      const { index, logit } = asObject(row);
      return { index: asNumber(index), score: asNumber(logit) };
    });
    return rankDocuments(rows, readRerankUsage(asObject(usage), {}, card), ask);
  },
});

function makeCall(
  url: string,
  body: JsonObject,
  { extras }: RerankRequest,
  passes: readonly string[],
  target: Target,
) {
  const { fields, dropped } = passExtras(extras, passes, target);
  return {
    url,
    headers: makeBearerHeaders(target),
    body: { ...fields, ...body },
    dropped,
  };
}

/** Returns a name as path segments: `Qwen/Qwen3-Reranker-8B`. Throws a Fault if one would name a parent directory. */
function encodePath(name: string): string {
  const steps = name.toWellFormed().split("/");
  if (steps.some((step) => step === "" || step === "." || step === ".."))
    throw new Fault("model_not_found", "There is no model with this name.", { param: "model" });
  return steps.map(encodeURIComponent).join("/");
}
