// Predicts a request's kinds, difficulty, length of answer and likeness to the training material from its features. Its
// topics, which learning works with, come from a linear model over hashed words, trained by test/selectors/training/train.ts.

import { KINDS } from "../../core/models/skill.ts";
import { expectTokens, findHighest, makeRow } from "../row.ts";
import type { RequestFeatures, TaskText } from "./features.ts";
import { type KindModel, loadKindModel, readTaskShape, softmax, understand } from "./kind-model.ts";
import { foldKinds, mixKinds } from "./kinds.ts";
import { loadShippedParameters, type Parameters } from "./parameters.ts";
import { readStructure, STRUCTURE_SIZE } from "./structure.ts";
import { weighSkills } from "./topics.ts";

export type Prediction = Readonly<ReturnType<typeof predict>>;

const DIFFICULTY_MAX = 4;
/**
 * A request is of no known kind if its likeliest one's share is at most the first, surely of one from the second. Of
 * topics there are many, and what is spread over them is like none.
 */
const SURE_KIND = [0.2, 0.7] as const;
const SURE_TOPIC = [0.5, 0.9] as const;
/** The kinds of tasks that are done with a text. A line that is so likely of one is an instruction, not a part of the text. */
const OF_TEXTS = (["summary", "translation", "extraction", "classification", "document"] as const).map(
  (kind) => KINDS.indexOf(kind),
);
const SURE_INSTRUCTION = 0.5;
/** Likelihoods up to the first count for nothing, those from the second as certain. */
const COPIED = [0.3, 0.5] as const;
const TESTED = [0.3, 0.7] as const;

/** Pure: the same features and parameters give the same prediction. */
export function predict(
  features: RequestFeatures,
  parameters: Parameters = loadShippedParameters(),
  kindModel: KindModel = loadKindModel(),
) {
  return conclude(weighTask(features, parameters, kindModel), features.shape, parameters);
}

export type WeighedTask = ReturnType<typeof weighTask>;

/** Returns all that follows from the task and the context around it alone. */
export function weighTask(
  task: TaskText,
  parameters: Parameters = loadShippedParameters(),
  kindModel: KindModel = loadKindModel(),
) {
  const words = new Float32Array(parameters.size);
  const known = embed(task.grams, parameters, words);
  const seen = understand(task.cues, readTaskShape(task), kindModel);
  const { turnChars, counts, options, askedTokens, taskTokens } = task;
  return {
    turnChars,
    counts,
    options,
    askedTokens,
    taskTokens,
    words,
    seen,
    // Models' outcomes are known on benchmarks: what they taught holds for questions like those.
    usual: measureSupport(known, parameters) * ramp(seen.tested, TESTED),
    // No words of the text beside an instruction say what is to be done with it.
    told: readInstructed(task.instructions, kindModel),
  };
}

/** Predicts a request from its weighed task and its shape. */
export function conclude(
  task: WeighedTask,
  shape: RequestFeatures["shape"],
  parameters: Parameters = loadShippedParameters(),
) {
  const { size } = parameters;
  const { seen, usual, told, askedTokens } = task;
  const input = new Float32Array(size + STRUCTURE_SIZE);
  input.set(task.words);
  input.set(readStructure(task, shape), size);
  const topics = softmax(weighTopics(parameters, input));
  const blend = (measured: number, judged: number) => usual * measured + (1 - usual) * judged;
  const logit = blend(dot(parameters.difficulty, input), seen.difficultyLogit);
  const difficultyLogit = clamp(logit, -DIFFICULTY_MAX, DIFFICULTY_MAX);
  const plain = blend(dot(parameters.outputTokens, input), seen.logTokens);
  const copied = ramp(seen.copies, COPIED);
  const logTokens =
    askedTokens === null ? plain + copied * (Math.log(task.taskTokens) - plain) : Math.log(askedTokens);
  const tokens = expectTokens(logTokens);
  const skills = weighSkills(topics);
  const shares = told ?? seen.kinds.map((share, at) => blend(skills[at] ?? 0, share));
  const kinds = mixKinds(shares, shape.tools > 0, shape.format !== "text");
  return {
    /** The shares of KINDS in the request. They sum to 1. */
    kinds,
    /** The shares of SKILLS that the kinds call for. They sum to 1. */
    skills: foldKinds(kinds),
    /** In log-odds. 0 is the usual level of benchmark questions. */
    difficultyLogit,
    /** 0…1. */
    difficulty: 1 / (1 + Math.exp(-difficultyLogit / 1.5)),
    /** The length of a plain answer without thinking, at most the client's own limit. */
    outputTokens: Math.round(Math.min(tokens, shape.outputTokensMax ?? tokens)),
    /** 0…1: how well the request's words, in its script, are known from training. */
    support: seen.support,
    /** 0…1: how surely it is of a single kind. */
    sure: blend(
      ramp(findHighest(topics), SURE_TOPIC),
      ramp(findHighest(seen.kinds), SURE_KIND) * seen.support ** 0.5,
    ),
    /** The request's row of numbers, for online learning. */
    row: makeRow(input, topics, difficultyLogit, logTokens, parameters),
  };
}

/** Returns the kinds of the first instruction. Null if none of the lines is one. */
function readInstructed(instructions: TaskText["instructions"], model: KindModel) {
  for (const one of instructions) {
    const { kinds } = understand(one.cues, readTaskShape(one), model);
    if (one.isAnnouncement || OF_TEXTS.some((at) => (kinds[at] ?? 0) >= SURE_INSTRUCTION)) return kinds;
  }
  return null;
}

/** 0…1: from the share of known words that is usual in foreign material to that of benchmarks' questions. */
function measureSupport(known: number, { supportFrom, supportTo }: Parameters): number {
  return ramp(known, [supportFrom, supportTo]);
}

/** Sums the embeddings of known words into `into`. Returns the known share of all words, weighted by rarity. */
function embed(grams: TaskText["grams"], parameters: Parameters, into: Float32Array): number {
  const { size, scales, embedding, rarity } = parameters;
  let norm = 0;
  let knownWeight = 0;
  let allWeight = 0;
  for (let gram = 0; gram < grams.size; gram++) {
    const at = parameters.indexOf(grams.hashAt(gram));
    if (at < 0) {
      allWeight += parameters.unknownRarity;
      continue;
    }
    const rare = rarity[at] ?? 0;
    const value = weighCount(grams.countAt(gram)) * rare;
    allWeight += rare;
    knownWeight += rare;
    norm += value * value;
    embedding.add(at, value);
  }
  embedding.take(into);
  const scale = norm === 0 ? 0 : 1 / Math.sqrt(norm);
  for (let dim = 0; dim < size; dim++) into[dim] = (into[dim] ?? 0) * scale * (scales[dim] ?? 0);
  return allWeight === 0 ? 0 : knownWeight / allWeight;
}

/** Most words occur once, and a logarithm takes as long as all the rest. */
function weighCount(count: number): number {
  return count === 1 ? 1 : Math.max(0.1, 1 + Math.log(Math.max(count, 0.1)));
}

/** The last weight is the constant. */
function dot(weights: Float32Array, input: Float32Array): number {
  let sum = weights[input.length] ?? 0;
  for (let at = 0; at < input.length; at++) sum += (weights[at] ?? 0) * (input[at] ?? 0);
  return sum;
}

function weighTopics({ topics }: Parameters, input: Float32Array): Float64Array {
  const values = new Float64Array(input.length + 1);
  values.set(input);
  values[input.length] = 1;
  return topics.sum(values);
}

/** 0 up to the first bound, 1 from the second. */
function ramp(value: number, [from, to]: readonly [number, number]): number {
  return clamp((value - from) / (to - from), 0, 1);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
