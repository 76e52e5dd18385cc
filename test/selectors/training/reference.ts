// The offline reference from the same labels: a ridge regression on all words and word pairs, weighted by rarity.
import { readFeatures } from "../../../src/selectors/text/features.ts";
import type { HashCounts } from "../../../src/selectors/text/hash-index.ts";
import type { Row } from "./data.ts";
import { makeRequest } from "./pools.ts";
import { average } from "./statistics.ts";

interface Words {
  readonly at: Uint32Array;
  readonly values: Float64Array;
}

/** Chosen on parts that aren't scored. */
const RIDGE = 10;
const ROUNDS = 30;

/** Returns the predicted lead of the first model over the second, for the scored rows. */
export function referenceLeanings(drawn: readonly Row[], scored: readonly Row[]): readonly number[] {
  const grams = drawn.map(({ prompt }) => readFeatures(makeRequest(prompt)).grams);
  const counts = new Map<number, number>();
  for (const own of grams) for (const hash of own.keys()) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const places = new Map([...counts.keys()].map((hash, at) => [hash, at]));
  const wordsOf = (own: HashCounts): Words => {
    const known = [...own].filter(([hash]) => counts.has(hash));
    const rare = (hash: number) => Math.log((drawn.length + 1) / (counts.get(hash) ?? 1));
    const values = known.map(([hash, count]) => (1 + Math.log(Math.max(count, 0.1))) * rare(hash));
    const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
    return {
      at: Uint32Array.from(known, ([hash]) => places.get(hash) ?? 0),
      values: Float64Array.from(values, (value) => value / norm),
    };
  };
  const gaps = drawn.map(({ scores }) => (scores[0] ?? 0) - (scores[1] ?? 0));
  const mean = average(gaps);
  const weights = ridge(
    grams.map(wordsOf),
    Float64Array.from(gaps, (gap) => gap - mean),
    places.size,
  );
  return scored.map(({ prompt }) => along(wordsOf(readFeatures(makeRequest(prompt)).grams), weights));
}

function along({ at, values }: Words, weights: Float64Array): number {
  let sum = 0;
  for (let place = 0; place < at.length; place++)
    sum += (values[place] ?? 0) * (weights[at[place] ?? 0] ?? 0);
  return sum;
}

/** Solved by conjugate gradients. */
function ridge(rows: readonly Words[], wanted: Float64Array, size: number): Float64Array {
  const weights = new Float64Array(size);
  let left = spread(rows, wanted, size);
  let way = left.slice();
  let square = squareOf(left);
  for (let round = 0; round < ROUNDS && square > 1e-9; round++) {
    const bent = spread(
      rows,
      Float64Array.from(rows, (row) => along(row, way)),
      size,
    );
    for (let at = 0; at < size; at++) bent[at] = (bent[at] ?? 0) + RIDGE * (way[at] ?? 0);
    const step = square / way.reduce((sum, value, at) => sum + value * (bent[at] ?? 0), 0);
    for (let at = 0; at < size; at++) weights[at] = (weights[at] ?? 0) + step * (way[at] ?? 0);
    left = left.map((value, at) => value - step * (bent[at] ?? 0));
    const next = squareOf(left);
    way = left.map((value, at) => value + (next / square) * (way[at] ?? 0));
    square = next;
  }
  return weights;
}

function spread(rows: readonly Words[], amounts: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size);
  for (const [r, { at, values }] of rows.entries())
    for (let place = 0; place < at.length; place++) {
      const word = at[place] ?? 0;
      sums[word] = (sums[word] ?? 0) + (values[place] ?? 0) * (amounts[r] ?? 0);
    }
  return sums;
}

function squareOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}
