// Predicts a request's skills, difficulty, length of answer and likeness to the training material from its features: a
// linear model over hashed words, trained by test/router/train.ts.
import type { RequestFeatures } from "./features.ts";
import { loadShippedParameters, type Parameters } from "./parameters.ts";
import { expectTokens, findHighest, makeRow, mixSkills } from "./row.ts";
import { readStructure, STRUCTURE_SIZE } from "./structure.ts";

export type Prediction = Readonly<ReturnType<typeof predict>>;

const DIFFICULTY_MAX = 4;
/**
 * A request is of no known kind if its likeliest topic's share is at most the first, surely of one from the second: one
 * that is spread over many topics is like none of them, however usual its words are.
 */
const SURE_FROM = 0.5;
const SURE_TO = 0.9;

/** Pure: the same features and parameters give the same prediction. */
export function predict(features: RequestFeatures, parameters: Parameters = loadShippedParameters()) {
  const { size, supportFrom, supportTo } = parameters;
  const input = new Float32Array(size + STRUCTURE_SIZE);
  const known = embed(features.grams, parameters, input);
  input.set(readStructure(features), size);
  const topics = softmax(weighTopics(parameters.topics, input));
  const difficultyLogit = clamp(dot(parameters.difficulty, input), -DIFFICULTY_MAX, DIFFICULTY_MAX);
  const logTokens = dot(parameters.outputTokens, input);
  const tokens = expectTokens(logTokens);
  return {
    /** The shares of SKILLS that the request calls for. They sum to 1. */
    skills: mixSkills(topics, features.shape.tools > 0, features.shape.format !== "text"),
    /** In log-odds. 0 is the usual level of benchmark questions. */
    difficultyLogit,
    /** 0…1. */
    difficulty: 1 / (1 + Math.exp(-difficultyLogit / 1.5)),
    /** The length of a plain answer without thinking, at most the client's own limit. */
    outputTokens: Math.round(Math.min(tokens, features.shape.outputTokensMax ?? tokens)),
    /** 0…1: from the share of known words that is usual in foreign material to that of training material. */
    support: clamp((known - supportFrom) / (supportTo - supportFrom), 0, 1),
    /** 0…1: how surely it is of a single kind known from training. */
    sure: clamp((findHighest(topics) - SURE_FROM) / (SURE_TO - SURE_FROM), 0, 1),
    /** The request's row of numbers, for online learning. */
    row: makeRow(input, topics, difficultyLogit, logTokens, parameters),
  };
}

/** Sums the embeddings of known words into `into`. Returns the known share of all words, weighted by rarity. */
function embed(grams: RequestFeatures["grams"], parameters: Parameters, into: Float32Array): number {
  const { size, scales, embedding, rarity } = parameters;
  let norm = 0;
  let knownWeight = 0;
  let allWeight = 0;
  grams.forEach((count, hash) => {
    const at = parameters.indexOf(hash);
    if (at < 0) {
      allWeight += parameters.unknownRarity;
      return;
    }
    const rare = rarity[at] ?? 0;
    const value = Math.max(0.1, 1 + Math.log(Math.max(count, 0.1))) * rare;
    allWeight += rare;
    knownWeight += rare;
    norm += value * value;
    const start = at * size;
    for (let dim = 0; dim < size; dim++) into[dim] = (into[dim] ?? 0) + value * (embedding[start + dim] ?? 0);
  });
  const scale = norm === 0 ? 0 : 1 / Math.sqrt(norm);
  for (let dim = 0; dim < size; dim++) into[dim] = (into[dim] ?? 0) * scale * (scales[dim] ?? 0);
  return allWeight === 0 ? 0 : knownWeight / allWeight;
}

/** The last weight is the constant. */
function dot(weights: Float32Array, input: Float32Array): number {
  let sum = weights[input.length] ?? 0;
  for (let at = 0; at < input.length; at++) sum += (weights[at] ?? 0) * (input[at] ?? 0);
  return sum;
}

/** Adds up all topics at once, input by input, because a single sum would wait for each of its additions. */
function weighTopics(weights: Float64Array, input: Float32Array): Float64Array {
  const count = weights.length / (input.length + 1);
  const sums = weights.slice(input.length * count);
  for (let at = 0; at < input.length; at++) {
    const value = input[at] ?? 0;
    const from = at * count;
    for (let topic = 0; topic < count; topic++)
      sums[topic] = (sums[topic] ?? 0) + (weights[from + topic] ?? 0) * value;
  }
  return sums;
}

/** In place. */
function softmax(logits: Float64Array): Float64Array {
  const most = findHighest(logits);
  let sum = 0;
  for (let at = 0; at < logits.length; at++) {
    const share = Math.exp((logits[at] ?? 0) - most);
    logits[at] = share;
    sum += share;
  }
  for (let at = 0; at < logits.length; at++) logits[at] = (logits[at] ?? 0) / sum;
  return logits;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
