// Predicts the character of a request from its features: kinds of skill, difficulty, length of the answer, and how much of
// it the predictor has ever seen. A linear model over hashed words, trained by test/router/train.ts.
import type { RequestFeatures } from "./features.ts";
import { type Parameters, shippedParameters } from "./parameters.ts";
import { expectTokens, makeRow, mixSkills } from "./row.ts";
import { readStructure, STRUCTURE_SIZE } from "./structure.ts";

export interface Prediction {
  /** Shares of SKILLS that the request calls for; they sum to 1. */
  readonly skills: readonly number[];
  /** In log-odds around 0, the usual level of benchmark questions. */
  readonly difficultyLogit: number;
  /** 0…1. */
  readonly difficulty: number;
  /** The length of a plain answer without thinking, within the client's own limit. */
  readonly outputTokens: number;
  /** 0…1: how much of the request is of a kind that was seen in training. */
  readonly support: number;
  /** 0…1: how surely it is of one kind that was seen in training. */
  readonly sure: number;
  /** The request as a row of numbers, for learning on the spot. */
  readonly row: Float32Array;
}

const DIFFICULTY_MAX = 4;
/** A request whose likeliest topic has no more than the first share is of no known kind, from the second on it surely is of one. */
const SURE_FROM = 0.5;
const SURE_TO = 0.9;

/** Pure: the same features and parameters give the same prediction. */
export function predict(features: RequestFeatures, parameters: Parameters = shippedParameters()): Prediction {
  const { size } = parameters;
  const input = new Float32Array(size + STRUCTURE_SIZE);
  const known = embed(features.grams, parameters, input);
  input.set(readStructure(features), size);
  const topics = softmax(parameters.topics.map((weights) => dot(weights, input)));
  const difficultyLogit = clamp(dot(parameters.difficulty, input), -DIFFICULTY_MAX, DIFFICULTY_MAX);
  const logTokens = dot(parameters.outputTokens, input);
  return {
    skills: mixSkills(topics, features.shape.tools > 0, features.shape.format !== "text"),
    difficultyLogit,
    difficulty: 1 / (1 + Math.exp(-difficultyLogit / 1.5)),
    outputTokens: outputTokensOf(features, logTokens),
    support: supportOf(known, parameters),
    sure: sureOf(topics),
    row: makeRow({ input, topics, difficultyLogit, logTokens }, parameters),
  };
}

/** Words known to the parameters are summed up into `into`; gives the share of all that was known. */
function embed(grams: RequestFeatures["grams"], parameters: Parameters, into: Float32Array): number {
  const { size, scales, embedding, rarity } = parameters;
  let norm = 0;
  let knownWeight = 0;
  let allWeight = 0;
  for (const [hash, count] of grams) {
    const weight = 1 + Math.log(Math.max(count, 0.1));
    const at = parameters.indexOf(hash);
    if (at < 0) {
      allWeight += parameters.unknownRarity;
      continue;
    }
    const rare = rarity[at] ?? 0;
    const value = Math.max(0.1, weight) * rare;
    allWeight += rare;
    knownWeight += rare;
    norm += value * value;
    const start = at * size;
    for (let dim = 0; dim < size; dim++) into[dim] = (into[dim] ?? 0) + value * (embedding[start + dim] ?? 0);
  }
  const scale = norm === 0 ? 0 : 1 / Math.sqrt(norm);
  for (let dim = 0; dim < size; dim++) into[dim] = (into[dim] ?? 0) * scale * (scales[dim] ?? 0);
  return allWeight === 0 ? 0 : knownWeight / allWeight;
}

function outputTokensOf({ shape }: RequestFeatures, logTokens: number): number {
  const tokens = expectTokens(logTokens);
  return Math.round(Math.min(tokens, shape.outputTokensMax ?? tokens));
}

/** Between the shares of known words that are usual in foreign and in trained-on material. */
function supportOf(known: number, { supportFrom, supportTo }: Parameters): number {
  return clamp((known - supportFrom) / (supportTo - supportFrom), 0, 1);
}

/** A request that is spread over many topics is like none of them, however usual its words are. */
function sureOf(topics: Float64Array): number {
  return clamp((Math.max(...topics) - SURE_FROM) / (SURE_TO - SURE_FROM), 0, 1);
}

/** Weights end with their constant. */
function dot(weights: Float32Array, input: Float32Array): number {
  let sum = weights[input.length] ?? 0;
  for (let at = 0; at < input.length; at++) sum += (weights[at] ?? 0) * (input[at] ?? 0);
  return sum;
}

function softmax(logits: readonly number[]): Float64Array {
  const most = Math.max(...logits);
  const shares = Float64Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = shares.reduce((all, share) => all + share, 0);
  return shares.map((share) => share / sum);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
