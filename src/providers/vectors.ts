// The codecs beyond chat of the providers' rows: embeddings, rerank and moderation, each with its server's differences.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeModeration } from "../dialects/_whole/moderation.ts";
import { makeRerank, PLAIN_RERANK } from "../dialects/_whole/rerank.ts";
import { COHERE_EMBEDDINGS } from "../dialects/cohere/embeddings.ts";
import { GEMINI_EMBEDDINGS } from "../dialects/gemini/embeddings.ts";
import { VERTEX_EMBEDDINGS } from "../dialects/gemini/vertex-embeddings.ts";
import { VERTEX_RERANK } from "../dialects/gemini/vertex-rerank.ts";
import { MISTRAL_EMBEDDINGS } from "../dialects/mistral/embeddings.ts";
import {
  DEEPINFRA_EMBEDDINGS,
  NVIDIA_EMBEDDINGS,
  OPENAI_EMBEDDINGS,
  OPENROUTER_EMBEDDINGS,
  PLAIN_EMBEDDINGS,
} from "../dialects/openai/embeddings.ts";
import { DEEPINFRA_RERANK, NVIDIA_RERANK } from "../dialects/openai/rerank.ts";

const rerank = makeRerank(PLAIN_RERANK);
const moderation = makeModeration({ takesParts: true, passes: "all" });

export const OPENAI_VECTORS = { embeddings: makeEmbeddings(OPENAI_EMBEDDINGS), moderation };
/** Any server of the operator's own, and Together. */
export const PLAIN_VECTORS = { embeddings: makeEmbeddings(PLAIN_EMBEDDINGS), rerank, moderation };
export const OPENROUTER_VECTORS = { embeddings: makeEmbeddings(OPENROUTER_EMBEDDINGS), rerank };
export const DEEPINFRA_VECTORS = {
  embeddings: makeEmbeddings(DEEPINFRA_EMBEDDINGS),
  rerank: DEEPINFRA_RERANK,
};
export const NVIDIA_VECTORS = { embeddings: makeEmbeddings(NVIDIA_EMBEDDINGS), rerank: NVIDIA_RERANK };
/** docs.fireworks.ai, "Embeddings & Reranking": documents are shown unless the request refuses them. */
export const FIREWORKS_VECTORS = {
  embeddings: makeEmbeddings(PLAIN_EMBEDDINGS),
  rerank: makeRerank({ ...PLAIN_RERANK, echoes: true }),
};
export const MISTRAL_VECTORS = {
  embeddings: makeEmbeddings(MISTRAL_EMBEDDINGS),
  moderation: makeModeration({ takesParts: false, passes: [] }),
};
export const GEMINI_VECTORS = { embeddings: GEMINI_EMBEDDINGS };
export const VERTEX_VECTORS = { embeddings: VERTEX_EMBEDDINGS, rerank: VERTEX_RERANK };
/** Cohere API v2 reference, `/rerank`: it never shows the documents. */
export const COHERE_VECTORS = {
  embeddings: COHERE_EMBEDDINGS,
  rerank: makeRerank({
    resultsField: "top_n",
    documentTokensField: "max_tokens_per_doc",
    echoes: false,
    passes: [],
  }),
};
