// The providers' codecs for embeddings, rerank and moderation, each with its server's differences.
import { COHERE_KINDS, type EmbeddingsQuirks, makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeModeration } from "../dialects/_whole/moderation.ts";
import { makeRerank } from "../dialects/_whole/rerank.ts";
import { COHERE_EMBEDDINGS } from "../dialects/cohere/embeddings.ts";
import { GEMINI_EMBEDDINGS, VERTEX_EMBEDDINGS } from "../dialects/gemini/embeddings.ts";
import { VERTEX_RERANK } from "../dialects/gemini/vertex.ts";
import { DEEPINFRA_RERANK, NVIDIA_RERANK } from "../dialects/openai/rerank.ts";
import { EXTRA_FIELDS } from "./extra-fields.ts";

const { compatible, together, fireworks, openrouter, nvidia, deepinfra } = EXTRA_FIELDS;
const moderation = makeModeration({ takesParts: true });

/** OpenAI API reference, "Create embeddings". */
const OPENAI_EMBEDDINGS: EmbeddingsQuirks = {
  givesBase64: true,
  encodingField: "encoding_format",
  dimensionsField: "dimensions",
  takesTokenIds: true,
  passes: ["user"],
  inputsMax: 2048,
};
/** Any other server: some returned base64 of 64-bit floats (vLLM of 2024), read as twice as many wrong numbers. */
const PLAIN_EMBEDDINGS: EmbeddingsQuirks = { ...OPENAI_EMBEDDINGS, givesBase64: false };

export const OPENAI_VECTORS = { embeddings: makeEmbeddings(OPENAI_EMBEDDINGS), moderation };
/** Any of the operator's own servers: vLLM, llama.cpp, Ollama. */
export const PLAIN_VECTORS = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: compatible.embeddings }),
  rerank: makeRerank({ resultsField: "top_n", passes: compatible.rerank }),
  moderation,
};
export const TOGETHER_VECTORS = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: together.embeddings }),
  rerank: makeRerank({ resultsField: "top_n", passes: together.rerank }),
  moderation,
};
/** openrouter.ai/docs: it passes the kind of text to models that support it. */
export const OPENROUTER_VECTORS = {
  embeddings: makeEmbeddings({
    ...PLAIN_EMBEDDINGS,
    inputType: { field: "input_type", words: COHERE_KINDS },
    passes: openrouter.embeddings,
  }),
  rerank: makeRerank({ resultsField: "top_n", passes: openrouter.rerank }),
};
/** DeepInfra's API accepts at most 1,024 texts per call. */
export const DEEPINFRA_VECTORS = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: deepinfra.embeddings, inputsMax: 1024 }),
  rerank: DEEPINFRA_RERANK,
};
/** NeMo Retriever API reference: most models require the kind of text, and know two kinds. */
export const NVIDIA_VECTORS = {
  embeddings: makeEmbeddings({
    ...PLAIN_EMBEDDINGS,
    inputType: {
      field: "input_type",
      words: { query: "query", document: "passage", classification: "passage", clustering: "passage" },
      standard: "passage",
    },
    truncation: { field: "truncate", words: { none: "NONE", start: "START", end: "END" } },
    takesTokenIds: false,
    passes: nvidia.embeddings,
  }),
  rerank: NVIDIA_RERANK,
};
/** docs.fireworks.ai, "Embeddings & Reranking": documents are returned unless the request refuses them. */
export const FIREWORKS_VECTORS = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: fireworks.embeddings }),
  rerank: makeRerank({ resultsField: "top_n", echoes: true, passes: fireworks.rerank }),
};
/** docs.mistral.ai, "Embeddings"; recorded: 257 texts per call are refused, and so are more than 16,384 tokens. */
export const MISTRAL_VECTORS = {
  embeddings: makeEmbeddings({
    encodingField: "encoding_format",
    dimensionsField: "output_dimension",
    passes: ["metadata"],
    inputsMax: 256,
    tokensMax: () => 16_384,
  }),
  moderation: makeModeration({ takesParts: false }),
};
export const GEMINI_VECTORS = { embeddings: GEMINI_EMBEDDINGS };
export const VERTEX_VECTORS = { embeddings: VERTEX_EMBEDDINGS, rerank: VERTEX_RERANK };
/** Cohere API v2 reference, `/rerank`: it never returns the documents. */
export const COHERE_VECTORS = {
  embeddings: COHERE_EMBEDDINGS,
  rerank: makeRerank({ resultsField: "top_n", documentTokensField: "max_tokens_per_doc", passes: [] }),
};
