// Rows and square matrices of numbers: what learning on the spot reckons with, and their form as text.

export function squared(row: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < row.length; at++) sum += (row[at] ?? 0) ** 2;
  return sum;
}

export function product(square: Float64Array, row: Float32Array): Float64Array {
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

export function dot(one: Float64Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < other.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** The upper triangle, row by row. */
export function upper(square: Float64Array, width: number): Float64Array {
  const rows: number[] = [];
  for (let at = 0; at < width; at++) rows.push(...square.subarray(at * width + at, (at + 1) * width));
  return Float64Array.from(rows);
}

export function packed(values: Float64Array): string {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function unpacked(text: unknown, length: number): Float32Array | null {
  if (typeof text !== "string") return null;
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    const values = new Float32Array(bytes.buffer);
    return values.length === length && values.every(Number.isFinite) ? values : null;
  } catch {
    return null;
  }
}
