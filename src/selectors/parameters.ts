// The predictor's parameters, as they are shipped: words by their hashes, a row of small integers for each, a few heads.

import { readFileSync } from "node:fs";
import path from "./parameters.data.json" with { type: "file" };
import { STRUCTURE_SIZE } from "./structure.ts";
import { TOPICS } from "./topics.ts";

/** The file's form; the long rows are base64. */
export interface ParameterFile {
  readonly about: string;
  /** Numbers a word is embedded in. */
  readonly size: number;
  /** The first so many of them come from the words' own structure, the others from labels. */
  readonly plain: number;
  /** Uint32, ascending. */
  readonly hashes: string;
  /** Uint8: a word's rarity in 1/20. */
  readonly rarity: string;
  /** Int8, a row of `size` for each hash; times `scales`. */
  readonly embedding: string;
  readonly scales: readonly number[];
  readonly unknownRarity: number;
  readonly supportFrom: number;
  readonly supportTo: number;
  /** Float32, a row for each topic: `size`, the structure, a constant. */
  readonly topics: string;
  readonly difficulty: string;
  /** Predicts the logarithm of the number of tokens. */
  readonly outputTokens: string;
}

export type Parameters = Readonly<ReturnType<typeof readParameters>>;

const RARITY_UNIT = 1 / 20;

let shipped: Parameters | undefined;

export function shippedParameters(): Parameters {
  // A megabyte that is read when it is first needed, and in the binary once: what is code is there twice.
  shipped ??= readParameters(JSON.parse(readFileSync(String(path), "utf8")));
  return shipped;
}

/** Throws when the rows don't fit each other: a broken build must not start. */
export function readParameters(file: ParameterFile) {
  const { size, plain, unknownRarity, supportFrom, supportTo } = file;
  const hashes = new Uint32Array(Uint8Array.fromBase64(file.hashes).buffer);
  const embedding = new Int8Array(Uint8Array.fromBase64(file.embedding).buffer);
  const width = size + STRUCTURE_SIZE + 1;
  const heads = new Float32Array(Uint8Array.fromBase64(file.topics).buffer);
  if (embedding.length !== hashes.length * size || heads.length !== TOPICS.length * width) {
    throw new Error("The router's parameters are unsound: their sizes don't fit.");
  }
  return {
    ...{ size, plain, unknownRarity, supportFrom, supportTo },
    /** The word's place, or −1. */
    indexOf: indexed(hashes),
    rarity: Float32Array.from(Uint8Array.fromBase64(file.rarity), (units) => units * RARITY_UNIT),
    embedding,
    scales: Float32Array.from(file.scales),
    topics: TOPICS.map((_, at) => heads.subarray(at * width, (at + 1) * width)),
    difficulty: new Float32Array(Uint8Array.fromBase64(file.difficulty).buffer),
    outputTokens: new Float32Array(Uint8Array.fromBase64(file.outputTokens).buffer),
  };
}

/** An open-addressed table: a look-up is a few nanoseconds, and there are thousands for a long text. */
function indexed(hashes: Uint32Array): (hash: number) => number {
  const slots = 1 << Math.ceil(Math.log2(hashes.length * 2 + 2));
  const mask = slots - 1;
  const keys = new Uint32Array(slots);
  const places = new Int32Array(slots).fill(-1);
  for (const [place, hash] of hashes.entries()) {
    let slot = hash & mask;
    while (places[slot] !== -1) slot = (slot + 1) & mask;
    keys[slot] = hash;
    places[slot] = place;
  }
  return (hash) => {
    let slot = hash & mask;
    while (places[slot] !== -1) {
      if (keys[slot] === hash) return places[slot] ?? -1;
      slot = (slot + 1) & mask;
    }
    return -1;
  };
}
