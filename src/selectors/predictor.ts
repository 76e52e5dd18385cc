// Predicts the character of a request from its features: kinds of skill, difficulty, length of the answer, and how much of
// it the predictor has ever seen. A linear model over hashed words, trained by test/router/train.ts.
import { SKILLS, type Skill } from "../core/skill.ts";
import type { RequestFeatures } from "./features.ts";
import { type Parameters, shippedParameters } from "./parameters.ts";
import { readLogTokens, readShape, readStructure, STRUCTURE_SIZE } from "./structure.ts";
import { TOPICS, weighSkills } from "./topics.ts";

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

/** The length of a prediction's `row`. */
export function rowWidth({ plain }: Parameters = shippedParameters()): number {
  return TOPICS_END + plain + STRUCTURE_SIZE + 1;
}

/** The part of the row that is the topics' shares, all at one scale. */
const TOPICS_FROM = 2;
const TOPICS_END = TOPICS_FROM + TOPICS.length;

/** Tools in the request call for the skill of using them, whatever the words are about. */
const TOOLS_SHARE = 0.4;
const SCHEMA_SHARE = 0.15;
const OUTPUT_TOKENS_MIN = 4;
const OUTPUT_TOKENS_MAX = 8_000;
const DIFFICULTY_MAX = 4;
/** A request whose likeliest topic has no more than the first share is of no known kind, from the second on it surely is of one. */
const SURE_FROM = 0.5;
const SURE_TO = 0.9;
/** The logarithm of an answer's usual tokens. */
const USUAL_LOG_TOKENS = 5.3;

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
    row: rowOf({ input, topics, difficultyLogit, logTokens }, parameters),
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

/** The shares of SKILLS that these topics call for, and tools or a schema beside them. */
function mixSkills(topics: ArrayLike<number>, hasTools: boolean, hasSchema: boolean): readonly number[] {
  const toolsShare = hasTools ? TOOLS_SHARE : 0;
  const schemaShare = hasSchema ? SCHEMA_SHARE : 0;
  const added = { tools: toolsShare, data: schemaShare / 2, instruction: schemaShare / 2 };
  const left = 1 - toolsShare - schemaShare;
  const extra: Readonly<Partial<Record<Skill, number>>> = added;
  const shares = weighSkills(topics);
  return SKILLS.map((skill, at) => (shares[at] ?? 0) * left + (extra[skill] ?? 0));
}

/** The shares of SKILLS that a request calls for, from a prediction's row. */
export function readSkills(row: Float32Array): readonly number[] {
  const { hasTools, hasSchema } = readShape(row.subarray(row.length - STRUCTURE_SIZE - 1));
  return mixSkills(readTopics(row), hasTools, hasSchema);
}

function outputTokensOf({ shape }: RequestFeatures, logTokens: number): number {
  const tokens = clamp(Math.exp(logTokens), OUTPUT_TOKENS_MIN, OUTPUT_TOKENS_MAX);
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

/** The topics' shares in a prediction's row; they sum to 1. */
export function readTopics(row: Float32Array): Float32Array {
  return row.subarray(TOPICS_FROM, TOPICS_END).map((share) => share / SCALES.topics);
}

/** The words in a prediction's row, as they are without labels. */
export function readWords(row: Float32Array): Float32Array {
  return row.subarray(TOPICS_END, row.length - STRUCTURE_SIZE - 1);
}

/** The logarithm of the prompt's length in tokens, from a prediction's row. */
export function readLogLength(row: Float32Array): number {
  return readLogTokens((row[row.length - STRUCTURE_SIZE - 1] ?? 0) / SCALES.shape);
}

/** The part of a request that its answer's length, and with it the cost and the time, depend on. */
export interface Lengths {
  readonly promptTokens: number;
  /** The length of a plain answer without thinking. */
  readonly outputTokens: number;
  readonly difficultyLogit: number;
}

/** The lengths in a prediction's row; the prompt's is that of its last turn. */
export function readLengths(row: Float32Array): Lengths {
  const logTokens = (row[row.length - 1] ?? 0) / SCALES.length + USUAL_LOG_TOKENS;
  return {
    promptTokens: Math.exp(readLogLength(row)),
    outputTokens: clamp(Math.exp(logTokens), OUTPUT_TOKENS_MIN, OUTPUT_TOKENS_MAX),
    difficultyLogit: (row[1] ?? 0) / SCALES.difficulty,
  };
}

interface Outputs {
  readonly input: Float32Array;
  readonly topics: Float64Array;
  readonly difficultyLogit: number;
  readonly logTokens: number;
}

/**
 * A constant, the difficulty, the topics, the words as they are without labels, the shape, the answer's length: each at
 * the scale of what it is likely to say about a model, so that learning can start from weights of variance 1.
 */
function rowOf({ input, topics, difficultyLogit, logTokens }: Outputs, parameters: Parameters): Float32Array {
  const row = new Float32Array(rowWidth(parameters));
  row[0] = SCALES.constant;
  row[1] = SCALES.difficulty * difficultyLogit;
  for (let at = 0; at < topics.length; at++) row[TOPICS_FROM + at] = SCALES.topics * (topics[at] ?? 0);
  const { plain, size } = parameters;
  const words = TOPICS_END;
  for (let at = 0; at < plain; at++) row[words + at] = SCALES.words * (input[at] ?? 0);
  for (let at = 0; at < STRUCTURE_SIZE; at++)
    row[words + plain + at] = SCALES.shape * (input[size + at] ?? 0);
  row[row.length - 1] = SCALES.length * (logTokens - USUAL_LOG_TOKENS);
  return row;
}
const SCALES = {
  constant: 0.14,
  difficulty: 0.05,
  topics: 0.17,
  words: 0.06,
  shape: 0.06,
  length: 0.15,
};

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
