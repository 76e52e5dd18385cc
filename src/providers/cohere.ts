// Cohere.
import { makeRerank } from "../dialects/_whole/rerank.ts";
import { cohere } from "../dialects/cohere/dialect.ts";
import { COHERE_EMBEDDINGS } from "../dialects/cohere/embeddings.ts";
import { EXTRA_FIELDS } from "../dialects/cohere/encode.ts";
import type { ProviderRow } from "./provider.ts";

/** Cohere API v2 reference, `/rerank`: it never returns the documents. */
const VECTORS = {
  embeddings: COHERE_EMBEDDINGS,
  rerank: makeRerank({ resultsField: "top_n", documentTokensField: "max_tokens_per_doc", passes: [] }),
};

export const COHERE_DIALECT = { ...cohere, ...VECTORS };

export const COHERE: ProviderRow = {
  name: "Cohere",
  source: { reference: "https://docs.cohere.com/reference/chat", seen: "2026-11" },
  familyNames: /./,
  keyVariables: ["COHERE_API_KEY"],
  extraFields: { chat: EXTRA_FIELDS },
  baseUrl: "https://api.cohere.com/v2",
  dialects: [COHERE_DIALECT],
};
