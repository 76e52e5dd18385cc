// Voyage and Jina from the provider's side: embeddings and rerank, but no chat.
import { COMMON_STATUS, reject } from "./problem.ts";
import type { SimDialect } from "./types.ts";
import { countPromptAndTotal, makeEmbeddingsForm, makeRerankForm } from "./vectors.ts";

function noChat(): never {
  return reject("not_found", "Not Found");
}

/** Returns a dialect without chat, whose errors are `{detail}`. */
function makeVectorDialect(rest: Pick<SimDialect, "name" | "prefix" | "whole">): SimDialect {
  return {
    ...rest,
    handles: () => false,
    readPrompt: noChat,
    renderReply: noChat,
    renderFrames: noChat,
    status: COMMON_STATUS,
    renderErrorBody: ({ message }) => ({ detail: message }),
    renderFailure: noChat,
  };
}

const countTotal = (tokens: number) => ({ total_tokens: tokens });

/** "Voyage API reference": usage is only a total, and rerank results are in `data`. */
export const voyage: SimDialect = makeVectorDialect({
  name: "voyage",
  prefix: "/voyage/v1",
  whole: [
    makeEmbeddingsForm("output_dimension", countTotal),
    makeRerankForm("data", (tokens) => ({ usage: countTotal(tokens) })),
  ],
});

/** "Jina Embeddings API" and "Reranker API". */
export const jina: SimDialect = makeVectorDialect({
  name: "jina",
  prefix: "/jina/v1",
  whole: [
    makeEmbeddingsForm("dimensions", countPromptAndTotal),
    makeRerankForm("results", (tokens) => ({ usage: countTotal(tokens) })),
  ],
});
