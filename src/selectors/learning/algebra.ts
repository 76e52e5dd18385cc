// Rows and symmetric matrices of numbers, stored row by row in one array.

/** Clamps a value to between −`most` and `most`. */
export function clampMagnitude(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

/** Sums four ways at once and takes a single type of array, for speed: each decision asks about hundreds of models. */
export function dot(one: Float32Array, other: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const end = other.length;
  let at = 0;
  for (; at + 3 < end; at += 4) {
    first += (one[at] ?? 0) * (other[at] ?? 0);
    second += (one[at + 1] ?? 0) * (other[at + 1] ?? 0);
    third += (one[at + 2] ?? 0) * (other[at + 2] ?? 0);
    fourth += (one[at + 3] ?? 0) * (other[at + 3] ?? 0);
  }
  for (; at < end; at++) first += (one[at] ?? 0) * (other[at] ?? 0);
  return first + second + third + fourth;
}

/** Adds a multiple of a row. */
export function addScaled(into: Float64Array, row: Float32Array, times: number): void {
  for (let at = 0; at < row.length; at++) into[at] = (into[at] ?? 0) + times * (row[at] ?? 0);
}

/** Adds a multiple of the row's outer product with itself. */
export function addOuter(square: Float64Array, row: Float32Array, times: number): void {
  const width = row.length;
  for (let at = 0; at < width; at++)
    addScaled(square.subarray(at * width, (at + 1) * width), row, times * (row[at] ?? 0));
}

export function multiply(square: Float64Array, row: ArrayLike<number>): Float64Array {
  const width = row.length;
  const result = new Float64Array(width);
  for (let at = 0; at < width; at++) {
    let sum = 0;
    const start = at * width;
    for (let other = 0; other < width; other++) sum += (square[start + other] ?? 0) * (row[other] ?? 0);
    result[at] = sum;
  }
  return result;
}

/** Returns the upper half of a symmetric matrix, its diagonal included, row by row. */
export function halve(square: Float64Array, width: number): Float32Array {
  const half = new Float32Array((width * (width + 1)) / 2);
  let to = 0;
  for (let row = 0; row < width; row++)
    for (let at = row; at < width; at++) half[to++] = square[row * width + at] ?? 0;
  return half;
}

/** Returns the quadratic form row' × matrix × row, given the upper half of the matrix. */
export function measureUnder(half: Float32Array, row: Float32Array): number {
  const width = row.length;
  let sum = 0;
  for (let at = 0, start = 0; at < width; start += width - at, at++) {
    const value = row[at] ?? 0;
    if (value === 0) continue;
    let part = ((half[start] ?? 0) * value) / 2;
    for (let other = at + 1; other < width; other++)
      part += (half[start - at + other] ?? 0) * (row[other] ?? 0);
    sum += 2 * value * part;
  }
  return sum;
}

/**
 * Inverts (square + ridge × identity) by Gauss-Jordan elimination. It is positive definite, so no pivot is 0. In
 * slices, because a matrix of 189 rows takes 10 ms.
 */
export function* invert(square: Float64Array, width: number, ridge: number): Generator<void, Float64Array> {
  const result = square.slice();
  for (let at = 0; at < width; at++) result[at * width + at] = (result[at * width + at] ?? 0) + ridge;
  for (let pivot = 0; pivot < width; pivot++) {
    eliminate(result, width, pivot);
    if (pivot % PIVOTS_AT_ONCE === PIVOTS_AT_ONCE - 1) yield;
  }
  return result;
}
const PIVOTS_AT_ONCE = 16;

function eliminate(result: Float64Array, width: number, pivot: number): void {
  const start = pivot * width;
  const scale = 1 / (result[start + pivot] ?? 1);
  result[start + pivot] = 1;
  for (let at = 0; at < width; at++) result[start + at] = (result[start + at] ?? 0) * scale;
  for (let row = 0; row < width; row++) {
    if (row === pivot) continue;
    const times = result[row * width + pivot] ?? 0;
    result[row * width + pivot] = 0;
    for (let at = 0; at < width; at++)
      result[row * width + at] = (result[row * width + at] ?? 0) - times * (result[start + at] ?? 0);
  }
}
