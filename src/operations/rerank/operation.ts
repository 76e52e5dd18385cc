// Rerank as an operation: orders documents by relevance to a query.
import type { ModelCard } from "../../core/models/card.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import type { Operation } from "../operation.ts";
import { CONTEXT_SLACK, estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import type { RerankForm, RerankRequest } from "./form.ts";

/** The most fields of an answer, and of a result in it. */
const ANSWER_ELEMENTS = 1000;
const RESULT_ELEMENTS = 100;
/** The instructions that a model gets with each document. */
const TOKENS_AROUND = 100;
/** Cohere's pricing: a unit is a query with up to a hundred documents, and longer documents count once per piece. */
const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_PIECE = 500;

export const RERANK: Operation<RerankForm> = makeWholeOperation({
  name: "rerank",
  words: ["given"],
  findCodec: ({ rerank }) => rerank ?? null,
  countElements: ({ documents }) => ANSWER_ELEMENTS + documents.length * RESULT_ELEMENTS,
  countWorst,
  countMost(ask, card) {
    const { contextTokensMax: context } = card;
    if (context === null) return null;
    const { searchUnits } = countWorst(ask, card);
    return { ...NO_AMOUNTS, prompt: Math.ceil(ask.documents.length * context * CONTEXT_SLACK), searchUnits };
  },
  countLikely: (ask) => count(ask, estimateTextTokens, Number.POSITIVE_INFINITY),
  toLog({ query, documents, ...request }) {
    return { request, messages: [query, ...documents.map(({ given }) => given)] };
  },
  toLogged: ({ results }) => ({ results }),
  content: "results",
});

function countWorst(ask: RerankRequest, { contextTokensMax }: ModelCard): Amounts {
  const most = (contextTokensMax ?? Number.POSITIVE_INFINITY) * CONTEXT_SLACK;
  // No tokenizer makes more tokens than a text has bytes.
  return count(ask, (bytes) => bytes + TOKENS_AROUND, most);
}

/** The query is read along with each document. */
function count(
  { query, documents, documentTokensMax = Number.POSITIVE_INFINITY }: RerankRequest,
  estimate: (bytes: number) => number,
  contextMax: number,
): Amounts {
  const asked = estimate(Buffer.byteLength(query));
  let prompt = 0;
  let pieces = 0;
  for (const { text } of documents) {
    const tokens = Math.min(estimate(Buffer.byteLength(text)), documentTokensMax);
    prompt += Math.min(contextMax, asked + tokens);
    pieces += Math.ceil((asked + tokens) / TOKENS_PER_PIECE);
  }
  return { ...NO_AMOUNTS, prompt: Math.ceil(prompt), searchUnits: Math.ceil(pieces / DOCUMENTS_PER_UNIT) };
}
