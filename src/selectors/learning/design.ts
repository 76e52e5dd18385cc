// A request as the learner sees it: its topics, its words and its length, each as a block of a weight of its own.
import { readLogLength, readTopics, readWords } from "../predictor.ts";

/** The squares of these are what a block may explain of a score beside the topics. */
const WORDS_SCALE = Math.sqrt(0.5);
const LENGTH_SCALE = 0.5;
/** The lengths, as logarithms of tokens, around which requests are alike. */
const LENGTHS = [3, 4, 5, 6, 7, 8] as const;

export interface Design {
  readonly phi: Float32Array;
  /** The likeliest topic, and its share. */
  readonly topic: number;
  readonly top: number;
}

/** From a prediction's row. */
export function readDesign(row: Float32Array): Design {
  const topics = readTopics(row);
  const words = readWords(row);
  const logLength = readLogLength(row);
  const phi = new Float32Array(topics.length + words.length + LENGTHS.length);
  phi.set(topics);
  const norm = Math.sqrt(words.reduce((sum, value) => sum + value * value, 0)) || 1;
  for (let at = 0; at < words.length; at++) phi[topics.length + at] = (WORDS_SCALE * (words[at] ?? 0)) / norm;
  for (const [at, length] of LENGTHS.entries())
    phi[topics.length + words.length + at] = LENGTH_SCALE * Math.exp(-((logLength - length) ** 2) / 2);
  const top = Math.max(...topics);
  return { phi, topic: topics.indexOf(top), top };
}
