// Embeddings as an operation: texts become vectors.
import type { ModelCard } from "../../core/card.ts";
import { isObject } from "../../core/json.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/units.ts";
import type { Operation } from "../operation.ts";
import { likelyTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import type { EmbeddingInput, EmbeddingsForm, EmbeddingsReply, EmbeddingsRequest } from "./form.ts";

/** The marks that a tokenizer puts around each text. */
const TOKENS_AROUND = 3;

export const EMBEDDINGS: Operation<EmbeddingsForm> = makeWholeOperation({
  name: "embeddings",
  findCodec: ({ embeddings }) => embeddings ?? null,
  countWorst: (ask, card) => ({ ...NO_AMOUNTS, prompt: countWorst(ask, card) }),
  countLikely,
  split,
  merge: (replies) => ({ usage: null, vectors: replies.flatMap(({ vectors }) => vectors) }),
  toLog({ inputs, ...request }) {
    return { request, messages: inputs };
  },
  restore: (kept) => (isReply(kept) ? kept : null),
});

/** Each input is within the model's context: a longer one is refused, or cut. */
function countWorst({ inputs }: EmbeddingsRequest, { contextTokensMax }: ModelCard): number {
  const most = contextTokensMax ?? Number.POSITIVE_INFINITY;
  let tokens = 0;
  for (const input of inputs) {
    tokens += Math.min(most, countTokens(input, worstTextTokens)) + TOKENS_AROUND;
  }
  return Math.ceil(tokens);
}

function countLikely({ inputs }: EmbeddingsRequest): Amounts {
  let prompt = 0;
  for (const input of inputs) prompt += countTokens(input, likelyTextTokens);
  return { ...NO_AMOUNTS, prompt };
}

/** No tokenizer makes more tokens of a text than it has bytes. */
function worstTextTokens(bytes: number): number {
  return bytes;
}

function countTokens(input: EmbeddingInput, estimate: (bytes: number) => number): number {
  return typeof input === "string" ? estimate(Buffer.byteLength(input)) : input.length;
}

function split(ask: EmbeddingsRequest, inputsPerCall: number): readonly EmbeddingsRequest[] {
  if (ask.inputs.length <= inputsPerCall) return [ask];
  const asks: EmbeddingsRequest[] = [];
  for (let at = 0; at < ask.inputs.length; at += inputsPerCall) {
    asks.push({ ...ask, inputs: ask.inputs.slice(at, at + inputsPerCall) });
  }
  return asks;
}

function isReply(value: unknown): value is EmbeddingsReply {
  return isObject(value) && Array.isArray(value.vectors);
}
