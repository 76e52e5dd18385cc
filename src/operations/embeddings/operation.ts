// Embeddings as an operation: texts become vectors.

import { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { Operation } from "../operation.ts";
import { CONTEXT_SLACK, estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import type { EmbeddingInput, EmbeddingsForm, EmbeddingsRequest } from "./form.ts";

/** More than any model gives. A server that ignores the requested number is refused with a better reason. */
const DIMENSIONS_MAX = 16_384;
/** The fields of a vector's row, and its share of the answer's. */
const ROW_ELEMENTS = 100;
/** The tokens that a tokenizer adds around each text, with the words for its kind that some models read before it. */
const TOKENS_AROUND = 32;

export const EMBEDDINGS: Operation<EmbeddingsForm> = makeWholeOperation({
  name: "embeddings",
  words: ["encoding", "inputType", "truncation", "task", "encoding_format"],
  findCodec: ({ embeddings }) => embeddings ?? null,
  countElements: ({ inputs, dimensions = 0 }) =>
    inputs.length * (Math.max(dimensions, DIMENSIONS_MAX) + ROW_ELEMENTS),
  countWorst: (ask, card) => ({ ...NO_AMOUNTS, prompt: countWorst(ask, card) }),
  countMost: ({ inputs }, { contextTokensMax }) =>
    contextTokensMax === null
      ? null
      : { ...NO_AMOUNTS, prompt: Math.ceil(inputs.length * contextTokensMax * CONTEXT_SLACK) },
  countLikely: (ask) => ({ ...NO_AMOUNTS, prompt: estimateTokens(ask) + estimateTitles(ask) }),
  split,
  join: (replies) => ({ usage: null, vectors: replies.flatMap(({ vectors }) => vectors) }),
  toLog({ inputs, ...request }) {
    return { request, messages: inputs };
  },
  content: "vectors",
});

/** Each input is at most the model's context: longer ones are refused or cut. A title is read with each. */
function countWorst(ask: EmbeddingsRequest, { contextTokensMax }: ModelCard): number {
  const { inputs, title = "" } = ask;
  const most = (contextTokensMax ?? Number.POSITIVE_INFINITY) * CONTEXT_SLACK;
  const around = TOKENS_AROUND + Buffer.byteLength(title);
  // No tokenizer makes more tokens than a text has bytes.
  const counts = inputs.map((input) => countTokens(input, (bytes) => bytes));
  return Math.ceil(counts.reduce((sum, count) => sum + Math.min(most, count + around), 0));
}

/** An estimate may be too low by this factor. */
const ESTIMATE_SLACK = 1.5;

/** Returns how many inputs fit into one call within both limits, judged by the longest input. */
export function countInputsPerCall(
  { inputs }: EmbeddingsRequest,
  inputsMax: number,
  tokensMax: number,
): number {
  if (tokensMax === Number.POSITIVE_INFINITY) return inputsMax;
  const longest = Math.max(1, ...inputs.map((input) => countTokens(input, estimateTextTokens)));
  return Math.max(1, Math.min(inputsMax, Math.floor(tokensMax / (longest * ESTIMATE_SLACK))));
}

/** OpenAI's limit on all inputs of a request. */
const TOKENS_MAX = 300_000;

/** Throws a Fault if the inputs are too long together. */
export function refuseManyTokens(ask: EmbeddingsRequest, param: string): void {
  const tokens = estimateTokens(ask);
  if (tokens <= TOKENS_MAX) return;
  const message = `Invalid '${param}': about ${tokens} tokens in one request. Expected at most ${TOKENS_MAX}.`;
  throw new Fault("invalid_value", message, { param });
}

/** Estimates the tokens of all inputs. */
function estimateTokens({ inputs }: Pick<EmbeddingsRequest, "inputs">): number {
  return inputs.reduce<number>((sum, input) => sum + countTokens(input, estimateTextTokens), 0);
}

function estimateTitles({ inputs, title = "" }: EmbeddingsRequest): number {
  return inputs.length * estimateTextTokens(Buffer.byteLength(title));
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
