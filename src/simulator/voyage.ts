// Voyage and Jina from the provider's side: embeddings and rerank, no chat.
import type { JsonObject } from "../core/json.ts";
import { readBearer, renderJsonError } from "./formats.ts";
import { COMMON_STATUS, type Problem, reject } from "./problem.ts";
import type { SimDialect } from "./types.ts";
import { countPromptAndTotal, makeEmbeddingsForm, makeRerankForm } from "./vectors.ts";

function noChat(): never {
  return reject("not_found", "Not Found");
}

/** A dialect without chat, whose errors are `{detail}`. */
function makeVectorDialect(rest: Pick<SimDialect, "name" | "prefix" | "whole">): SimDialect {
  const renderBody = ({ message }: Problem): JsonObject => ({ detail: message });
  return {
    ...rest,
    handles: () => false,
    readSecret: readBearer,
    readModel: ({ body }) => String(body.model ?? ""),
    readPrompt: noChat,
    renderReply: noChat,
    renderFrames: noChat,
    renderError: (problem) => renderJsonError(problem, COMMON_STATUS[problem.kind], renderBody(problem), {}),
    renderFailure: noChat,
    renderFailedBody: noChat,
  };
}

const countTotal = (tokens: number) => ({ total_tokens: tokens });

/** "Voyage API reference": usage has a total alone, and results are `data`. */
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
