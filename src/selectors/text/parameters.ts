// The predictor's parameters as shipped: hashed words, a row of small integers for each, and a few linear heads.

import { readFileSync } from "node:fs";
import { ByteRows, FloatRows } from "../../core/world/weighted-sums.ts";
import { indexHashes } from "./hash-index.ts";
import path from "./parameters.data.json" with { type: "file" };
import { STRUCTURE_SIZE } from "./structure.ts";
import { TOPICS } from "./topics.ts";

/** The file's format. Long rows are base64. */
export interface ParameterFile {
  readonly about: string;
  /** Dimensions of a word's embedding. */
  readonly size: number;
  /** Leading dimensions that come from the words' own structure. The others come from labels. */
  readonly plain: number;
  /** Uint32, ascending. */
  readonly hashes: string;
  /** Uint8: a word's rarity in units of 1/20. */
  readonly rarity: string;
  /** Int8, a row of `size` for each hash, to be multiplied by `scales`. */
  readonly embedding: string;
  readonly scales: readonly number[];
  readonly unknownRarity: number;
  readonly supportFrom: number;
  readonly supportTo: number;
  /** Float32, a row for each topic: weights for the `size` dimensions and the structure, then a constant. */
  readonly topics: string;
  readonly difficulty: string;
  /** Predicts the natural logarithm of the number of tokens. */
  readonly outputTokens: string;
}

export type Parameters = Readonly<ReturnType<typeof readParameters>>;

const RARITY_UNIT = 1 / 20;

let shipped: Parameters | undefined;

export function loadShippedParameters(): Parameters {
  // A megabyte, read when first needed. As a file it is in the binary once; as code it would be there twice.
  shipped ??= readParameters(JSON.parse(readFileSync(String(path), "utf8")));
  return shipped;
}

/** Throws an Error if the sizes don't match: a broken build must not start. */
export function readParameters(file: ParameterFile) {
  const { size, plain, unknownRarity, supportFrom, supportTo } = file;
  const hashes = new Uint32Array(Uint8Array.fromBase64(file.hashes).buffer);
  const embedding = new Int8Array(Uint8Array.fromBase64(file.embedding).buffer);
  const width = size + STRUCTURE_SIZE + 1;
  const heads = new Float32Array(Uint8Array.fromBase64(file.topics).buffer);
  if (embedding.length !== hashes.length * size || heads.length !== TOPICS.length * width) {
    throw new Error("The router's parameters are invalid: their sizes don't match.");
  }
  const topics = new FloatRows(width, TOPICS.length);
  for (const topic of TOPICS.keys())
    topics.setColumn(topic, heads.subarray(topic * width, (topic + 1) * width));
  return {
    size,
    plain,
    unknownRarity,
    supportFrom,
    supportTo,
    /** Returns the word's index, or −1. */
    indexOf: indexHashes(hashes),
    rarity: Float32Array.from(Uint8Array.fromBase64(file.rarity), (units) => units * RARITY_UNIT),
    /** A row for each word. */
    embedding: new ByteRows(embedding, size),
    words: hashes.length,
    /** Names these parameters: what others made means something else. */
    fingerprint: Bun.hash.wyhash(embedding).toString(36),
    scales: Float32Array.from(file.scales),
    /** A row for each input. The last one is the constant. */
    topics,
    difficulty: new Float32Array(Uint8Array.fromBase64(file.difficulty).buffer),
    outputTokens: new Float32Array(Uint8Array.fromBase64(file.outputTokens).buffer),
  };
}
