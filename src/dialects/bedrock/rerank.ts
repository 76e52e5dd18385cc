// Rerank on Bedrock by InvokeModel, in Cohere's form (Amazon Bedrock, "Cohere Rerank").
import type { JsonObject } from "../../core/json.ts";
import type { Codec } from "../../operations/codec.ts";
import type { RerankForm } from "../../operations/rerank/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import { makeBearerHeaders } from "../_chat/outgoing.ts";
import { readRerank } from "../_whole/rerank.ts";

/** Bedrock refuses a request without it. */
const API_VERSION = 2;

export const BEDROCK_RERANK: Codec<RerankForm> = makeWholeCodec({
  encode({ query, documents, resultsMax, documentTokensMax, extras }, card, target) {
    const body: JsonObject = {
      api_version: API_VERSION,
      query,
      documents: documents.map(({ text }) => text),
    };
    if (resultsMax !== undefined) body.top_n = Math.min(resultsMax, documents.length);
    if (documentTokensMax !== undefined) body.max_tokens_per_doc = documentTokensMax;
    return {
      url: makeModelUrl(target, card, "invoke"),
      headers: makeBearerHeaders(target),
      body,
      dropped: Object.keys(extras),
    };
  },
  reply: readRerank,
});
