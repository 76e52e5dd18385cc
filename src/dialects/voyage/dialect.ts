// Voyage AI's embeddings and rerank, which have OpenAI's and Cohere's forms with other names (docs.voyageai.com).
import { explainChat } from "../_chat/error.ts";
import { makeEmbeddings } from "../_whole/embeddings.ts";
import { makeRerank } from "../_whole/rerank.ts";
import type { Dialect } from "../dialect.ts";

/** Returns the maximum tokens per call for a model. */
function findTokensMax(name: string): number {
  if (name.includes("lite")) return 1_000_000;
  return /large|code|law|finance|multilingual|context/.test(name) ? 120_000 : 320_000;
}

export const voyage: Dialect = {
  name: "voyage",
  embeddings: makeEmbeddings({
    dimensionsField: "output_dimension",
    inputType: { field: "input_type", words: { query: "query", document: "document" } },
    truncation: { field: "truncation", words: { none: false, end: true } },
    passes: [],
    inputsMax: 1000,
    tokensMax: findTokensMax,
  }),
  rerank: makeRerank({ resultsField: "top_k", passes: ["truncation"] }),
  explain: explainChat,
};
