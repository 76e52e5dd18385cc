// The predictor's word embedding and its heads, fitted by stochastic gradients. Half of the embedding comes from the
// words' own structure (a truncated singular value decomposition), so that it also carries information about prompts
// without labels.
import { STRUCTURE_SIZE } from "../../../src/selectors/text/structure.ts";
import { TOPICS } from "../../../src/selectors/text/topics.ts";
import { makeDice, shuffled } from "../dice.ts";
import type { SparseRow } from "./vocabulary.ts";

export interface Example extends SparseRow {
  readonly structure: Float32Array;
  readonly topic: number;
  /** NaN if unknown. */
  readonly difficulty: number;
  readonly logTokens: number;
  /** The index of its pool's first model among all heads. */
  readonly head: number;
  readonly scores: Float32Array | null;
  readonly weight: number;
}

export interface Fitted {
  readonly size: number;
  /** The first `plain` numbers of a word are its plain ones. */
  readonly plain: number;
  readonly embedding: Float32Array;
  readonly topics: Float32Array;
  readonly difficulty: Float32Array;
  readonly outputTokens: Float32Array;
}

const PLAIN = 128;
const LEARNED = 32;
const SIZE = PLAIN + LEARNED;
const INPUT = SIZE + STRUCTURE_SIZE;
const WIDTH = INPUT + 1;
const EPOCHS = 6;
const RATE = 0.08;
const DECAY = 2e-4;
/** Small, so that the embedding doesn't memorise the labels on which online learning is tested. */
const OUTCOME_WEIGHT = 0.05;
const DIFFICULTY_WEIGHT = 0.3;

export function embed(examples: readonly Example[], words: number, outcomes: number, seed: number): Fitted {
  const embedding = new Float32Array(words * SIZE);
  const plain = plainEmbedding(examples, words, seed);
  const dice = makeDice(seed + 1);
  for (let word = 0; word < words; word++) {
    embedding.set(plain.subarray(word * PLAIN, (word + 1) * PLAIN), word * SIZE);
    for (let dim = PLAIN; dim < SIZE; dim++) embedding[word * SIZE + dim] = (dice() - 0.5) * 0.2;
  }
  const rows = TOPICS.length + 2 + outcomes;
  const model = {
    embedding,
    heads: new Float32Array(rows * WIDTH),
    embeddingSquares: new Float32Array(words * SIZE).fill(1e-3),
    headSquares: new Float32Array(rows * WIDTH).fill(1e-2),
  };
  for (let row = 0; row < rows; row++) {
    for (let dim = PLAIN; dim < SIZE; dim++) model.heads[row * WIDTH + dim] = (dice() - 0.5) * 0.2;
  }
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = RATE * (1 - epoch / EPOCHS) + 0.005;
    for (const at of shuffled(examples.length, seed + 10 + epoch)) {
      const example = examples[at];
      if (example !== undefined) step(model, example, rate);
    }
  }
  const head = (row: number) => model.heads.slice(row * WIDTH, (row + 1) * WIDTH);
  return {
    size: SIZE,
    plain: PLAIN,
    embedding,
    topics: model.heads.slice(0, TOPICS.length * WIDTH),
    difficulty: head(TOPICS.length),
    outputTokens: head(TOPICS.length + 1),
  };
}

interface Model {
  readonly embedding: Float32Array;
  readonly heads: Float32Array;
  readonly embeddingSquares: Float32Array;
  readonly headSquares: Float32Array;
}

const input = new Float32Array(WIDTH);
const back = new Float32Array(SIZE);

function step(model: Model, example: Example, rate: number): void {
  const { at, values, structure, weight } = example;
  input.fill(0);
  for (let word = 0; word < at.length; word++) {
    const start = (at[word] ?? 0) * SIZE;
    const value = values[word] ?? 0;
    for (let dim = 0; dim < SIZE; dim++)
      input[dim] = (input[dim] ?? 0) + value * (model.embedding[start + dim] ?? 0);
  }
  input.set(structure, SIZE);
  input[INPUT] = 1;
  back.fill(0);
  const logits = TOPICS.map((_, row) => output(model, row));
  const most = Math.max(...logits);
  const sum = logits.reduce((all, logit) => all + Math.exp(logit - most), 0);
  for (const [row, logit] of logits.entries()) {
    const wanted = row === example.topic ? 0.97 : 0.03 / (TOPICS.length - 1);
    learn(model, row, (wanted - Math.exp(logit - most) / sum) * weight, rate);
  }
  const row = TOPICS.length;
  const harder = example.difficulty - output(model, row);
  if (!Number.isNaN(harder)) learn(model, row, clipped(harder) * DIFFICULTY_WEIGHT * weight, rate);
  learn(model, row + 1, clipped(example.logTokens - output(model, row + 1)) * 0.5 * weight, rate);
  for (const [m, score] of (example.scores ?? []).entries()) {
    if (Number.isNaN(score)) continue;
    const place = row + 2 + example.head + m;
    const chance = 1 / (1 + Math.exp(-output(model, place)));
    learn(
      model,
      place,
      (score - chance) * OUTCOME_WEIGHT * Math.min(1, 15 / (example.scores?.length ?? 1)),
      rate,
    );
  }
  for (let word = 0; word < at.length; word++) {
    const start = (at[word] ?? 0) * SIZE;
    const value = values[word] ?? 0;
    for (let dim = PLAIN; dim < SIZE; dim++) {
      const place = start + dim;
      const old = model.embedding[place] ?? 0;
      const gradient = value * (back[dim] ?? 0) - DECAY * old;
      const squares = (model.embeddingSquares[place] ?? 0) + gradient * gradient;
      model.embeddingSquares[place] = squares;
      model.embedding[place] = old + (rate * gradient) / Math.sqrt(squares);
    }
  }
}

function clipped(error: number): number {
  return Math.max(-1.5, Math.min(1.5, error));
}

function output(model: Model, row: number): number {
  let sum = 0;
  const start = row * WIDTH;
  for (let at = 0; at < WIDTH; at++) sum += (model.heads[start + at] ?? 0) * (input[at] ?? 0);
  return sum;
}

/** Takes one head's step along its error. The embedding's share of it is collected in `back`. */
function learn(model: Model, row: number, error: number, rate: number): void {
  const start = row * WIDTH;
  for (let at = 0; at < WIDTH; at++) {
    const place = start + at;
    const old = model.heads[place] ?? 0;
    if (at < SIZE) back[at] = (back[at] ?? 0) + error * old;
    const gradient = error * (input[at] ?? 0) - DECAY * old;
    const squares = (model.headSquares[place] ?? 0) + gradient * gradient;
    model.headSquares[place] = squares;
    model.heads[place] = old + (rate * gradient) / Math.sqrt(squares);
  }
}

/** The first right singular vectors of prompts × words, by subspace iteration, scaled to match the rest. */
function plainEmbedding(examples: readonly Example[], words: number, seed: number): Float32Array {
  const dice = makeDice(seed);
  let basis = Float32Array.from({ length: words * PLAIN }, () => dice() - 0.5);
  orthonormal(basis, words);
  const projected = new Float32Array(PLAIN);
  for (let round = 0; round < 6; round++) {
    const next = new Float32Array(words * PLAIN);
    for (const { at, values, weight } of examples) {
      projected.fill(0);
      for (let word = 0; word < at.length; word++) {
        const start = (at[word] ?? 0) * PLAIN;
        for (let dim = 0; dim < PLAIN; dim++)
          projected[dim] = (projected[dim] ?? 0) + (values[word] ?? 0) * (basis[start + dim] ?? 0);
      }
      for (let word = 0; word < at.length; word++) {
        const start = (at[word] ?? 0) * PLAIN;
        const value = (values[word] ?? 0) * weight;
        for (let dim = 0; dim < PLAIN; dim++)
          next[start + dim] = (next[start + dim] ?? 0) + value * (projected[dim] ?? 0);
      }
    }
    orthonormal(next, words);
    basis = next;
  }
  return basis.map((value) => value * 4);
}

function orthonormal(basis: Float32Array, words: number): void {
  for (let dim = 0; dim < PLAIN; dim++) {
    for (let other = 0; other < dim; other++) {
      let along = 0;
      for (let word = 0; word < words; word++)
        along += (basis[word * PLAIN + dim] ?? 0) * (basis[word * PLAIN + other] ?? 0);
      for (let word = 0; word < words; word++)
        basis[word * PLAIN + dim] =
          (basis[word * PLAIN + dim] ?? 0) - along * (basis[word * PLAIN + other] ?? 0);
    }
    let norm = 0;
    for (let word = 0; word < words; word++) norm += (basis[word * PLAIN + dim] ?? 0) ** 2;
    const scale = 1 / Math.sqrt(norm || 1);
    for (let word = 0; word < words; word++)
      basis[word * PLAIN + dim] = (basis[word * PLAIN + dim] ?? 0) * scale;
  }
}
