// Rows and symmetric matrices of numbers, stored row by row in one array.

/** Clamps a value to between −`most` and `most`. */
export function clampMagnitude(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

/**
 * Sums four ways at once and takes a single type of array, for speed. Sums declared as a list
 * (`let [first, second] = [0, 0]`) would take twice as long.
 */
export function dot(one: Float32Array, other: Float64Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
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
export function addScaled(into: Float64Array, row: Float64Array, times: number): void {
  for (let at = 0; at < row.length; at++) into[at] = (into[at] ?? 0) + times * (row[at] ?? 0);
}

/** Adds a multiple of the row's outer product with itself. */
export function addOuter(square: Float64Array, row: Float64Array, times: number): void {
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

/**
 * Returns the quadratic form row' × matrix × row, given the upper half of the matrix. Takes two rows of it at a time,
 * because a single sum would wait for each of its additions.
 */
export function measureUnder(half: Float32Array, row: Float64Array): number {
  const width = row.length;
  let sum = 0;
  for (let at = 0, from = 0; at < width; at += 2) {
    /** Where the columns of this row and of the next would start, if they weren't cut off at the diagonal. */
    const next = from + width - at - 1;
    const value = row[at] ?? 0;
    const nextValue = row[at + 1] ?? 0;
    let part = ((half[from + at] ?? 0) * value) / 2;
    let nextPart = ((half[next + at + 1] ?? 0) * nextValue) / 2;
    if (at + 1 < width) part += (half[from + at + 1] ?? 0) * nextValue;
    for (let other = at + 2; other < width; other++) {
      const against = row[other] ?? 0;
      part += (half[from + other] ?? 0) * against;
      nextPart += (half[next + other] ?? 0) * against;
    }
    sum += 2 * value * part;
    sum += 2 * nextValue * nextPart;
    from = next + width - at - 2;
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
