// Jina's embeddings and rerank (api.jina.ai, "Embeddings" and "Reranker").
import { explainChat } from "../_chat/error.ts";
import { makeEmbeddings } from "../_whole/embeddings.ts";
import { makeRerank } from "../_whole/rerank.ts";
import type { Dialect } from "../dialect.ts";

export const jina: Dialect = {
  name: "jina",
  embeddings: makeEmbeddings({
    encodingField: "embedding_type",
    dimensionsField: "dimensions",
    inputType: {
      field: "task",
      words: {
        query: "retrieval.query",
        document: "retrieval.passage",
        classification: "classification",
        clustering: "separation",
      },
    },
    truncation: { field: "truncate", words: { none: false, end: true } },
    passes: ["late_chunking", "normalized", "task"],
    inputsMax: 512,
  }),
  rerank: makeRerank({ resultsField: "top_n", echoes: true, passes: [] }),
  explain: explainChat,
};
