// Predicts a task's kind, difficulty and length of answer from its cues, in any of the languages that it was trained on:
// a linear model over hashed cues, trained by test/selectors/training/train-kinds.ts.
import { readFileSync } from "node:fs";
import { KINDS } from "../../core/models/skill.ts";
import { ByteRows } from "../../core/world/weighted-sums.ts";
import { type Cues, SCRIPTS } from "./cues.ts";
import type { RequestFeatures } from "./features.ts";
import { indexHashes } from "./hash-index.ts";
import path from "./kinds.data.json" with { type: "file" };
import type { Shape } from "./shape.ts";
import { readStructure, STRUCTURE_SIZE } from "./structure.ts";

/** The file's format. Long rows are base64. */
export interface KindFile {
  readonly about: string;
  /** Uint32, ascending. */
  readonly hashes: string;
  /** Int8, a row of OUTPUTS for each hash, to be multiplied by `scales`. */
  readonly weights: string;
  readonly scales: readonly number[];
  /** Float32, a row of OUTPUTS for each number of the structure, then the constants. */
  readonly structure: string;
  /** By script, the shares of known cues that are usual in foreign material and in training material. */
  readonly supportFrom: readonly number[];
  readonly supportTo: readonly number[];
}

/**
 * After the kinds, the model predicts the difficulty, the length of the answer, whether it is as long as the task, and
 * whether the task is a question as benchmarks ask them.
 */
export const OUTPUTS = KINDS.length + 4;
/** The numbers of the structure that describe what is around the task. */
const AROUND = [2, 14, 15, 16, 17, 18] as const;
/** In their stead, one of them is the length of the whole task, of which the others see a part. */
const LENGTH_AT = 2;

export type KindModel = Readonly<ReturnType<typeof readKindModel>>;

let shipped: KindModel | undefined;

export function loadKindModel(): KindModel {
  shipped ??= readKindModel(JSON.parse(readFileSync(String(path), "utf8")));
  return shipped;
}

/** Throws an Error if the sizes don't match: a broken build must not start. */
export function readKindModel(file: KindFile) {
  const hashes = new Uint32Array(Uint8Array.fromBase64(file.hashes).buffer);
  const weights = new Int8Array(Uint8Array.fromBase64(file.weights).buffer);
  const structure = new Float32Array(Uint8Array.fromBase64(file.structure).buffer);
  const areScripts = [file.supportFrom, file.supportTo].every(({ length }) => length === SCRIPTS.length);
  const isWhole = weights.length === hashes.length * OUTPUTS && file.scales.length === OUTPUTS;
  if (!isWhole || !areScripts || structure.length !== (STRUCTURE_SIZE + 1) * OUTPUTS)
    throw new Error("The router's kinds are invalid: their sizes don't match.");
  return {
    /** Returns the cue's index, or −1. */
    indexOf: indexHashes(hashes),
    size: hashes.length,
    /** A row for each cue. */
    weights: new ByteRows(weights, OUTPUTS),
    structure,
    scales: file.scales,
    supportFrom: file.supportFrom,
    supportTo: file.supportTo,
  };
}

/** Stands for what is around a task. */
const ALONE: Shape = {
  images: 0,
  turns: 1,
  hasSystem: false,
  chars: 0,
  tools: 0,
  toolChars: 0,
  format: "text",
  outputTokensMax: null,
};

/** Reads the shape of the task as a short row of numbers, whatever is around it. */
export function readTaskShape(
  task: Pick<RequestFeatures, "turnChars" | "counts" | "options" | "taskTokens">,
): Float32Array {
  const shape = readStructure(task, ALONE);
  for (const at of AROUND) shape[at] = 0;
  shape[LENGTH_AT] = Math.log1p(task.taskTokens) / 3 - 1.3;
  return shape;
}

/** Pure. `shape` is the row of numbers for the shape of the task. */
export function understand(cues: Cues, shape: Float32Array, model: KindModel = loadKindModel()) {
  const sums = new Float64Array(OUTPUTS);
  const known = addCues(sums, cues, model);
  for (let at = 0; at < STRUCTURE_SIZE; at++)
    if (shape[at] !== 0) addRow(sums, model.structure, at, shape[at] ?? 0);
  addRow(sums, model.structure, STRUCTURE_SIZE, 1);
  const from = model.supportFrom[cues.script] ?? 0;
  const to = model.supportTo[cues.script] ?? 1;
  const share = known / Math.max(1, cues.hashes.length);
  return {
    /** The shares of KINDS. They sum to 1. */
    kinds: softmax(sums.slice(0, KINDS.length)),
    difficultyLogit: sums[KINDS.length] ?? 0,
    logTokens: sums[KINDS.length + 1] ?? 0,
    /** 0…1: how likely the answer is as long as what it is about, such as a translation. */
    copies: toShare(sums[KINDS.length + 2] ?? 0),
    /** 0…1: how likely it is a question of a benchmark, on which models' outcomes are known. */
    tested: toShare(sums[KINDS.length + 3] ?? 0),
    /** 0…1: from the share of known cues that is usual in foreign material to that of training material. */
    support: Math.min(1, Math.max(0, (share - from) / (to - from))),
  };
}

/** Adds up what the known cues say. Returns how many there are. */
function addCues(sums: Float64Array, { hashes }: Cues, { indexOf, weights, scales }: KindModel): number {
  let known = 0;
  for (let cue = 0; cue < hashes.length; cue++) {
    const at = indexOf(hashes[cue] ?? 0);
    if (at < 0) continue;
    known++;
    weights.add(at, 1);
  }
  weights.take(sums);
  const norm = 1 / Math.sqrt(known + 1);
  for (let output = 0; output < OUTPUTS; output++)
    sums[output] = (sums[output] ?? 0) * norm * (scales[output] ?? 0);
  return known;
}

function addRow(sums: Float64Array, rows: Float32Array, at: number, value: number): void {
  const from = at * OUTPUTS;
  for (let output = 0; output < OUTPUTS; output++)
    sums[output] = (sums[output] ?? 0) + value * (rows[from + output] ?? 0);
}

function toShare(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** In place. */
export function softmax(logits: Float64Array): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < logits.length; at++) most = Math.max(most, logits[at] ?? 0);
  let sum = 0;
  for (let at = 0; at < logits.length; at++) {
    const share = Math.exp((logits[at] ?? 0) - most);
    logits[at] = share;
    sum += share;
  }
  for (let at = 0; at < logits.length; at++) logits[at] = (logits[at] ?? 0) / sum;
  return logits;
}
