// The program in `weighted-sums.wat`, for processors that lack its instructions. The sums are the same, bit by bit.

/** The program's exports. All numbers but the counts are addresses in its memory. */
export interface Program {
  readonly memory: { readonly buffer: ArrayBufferLike; grow(pages: number): number };
  addBytes(places: number, values: number, count: number, columns: number, into: number): void;
  addFloats(rows: number, values: number, count: number, columns: number, into: number): void;
}

export const PAGE_BYTES = 65_536;

/** Returns the program with a memory of one page. */
export function startPlain(): Program {
  const memory = {
    buffer: new ArrayBuffer(PAGE_BYTES),
    grow(pages: number) {
      const before = memory.buffer.byteLength;
      memory.buffer = memory.buffer.transfer(before + pages * PAGE_BYTES);
      return before / PAGE_BYTES;
    },
  };
  return {
    memory,
    addBytes(places, values, count, columns, into) {
      const from = new Int32Array(memory.buffer, places, count);
      const times = new Float32Array(memory.buffer, values, count);
      const sums = new Float32Array(memory.buffer, into, columns);
      for (let at = 0; at < count; at++) {
        const row = new Int8Array(memory.buffer, from[at], columns);
        const value = times[at] ?? 0;
        // The sum is rounded as it is stored.
        for (let column = 0; column < columns; column++)
          sums[column] = (sums[column] ?? 0) + Math.fround(value * (row[column] ?? 0));
      }
    },
    addFloats(rows, values, count, columns, into) {
      const all = new Float32Array(memory.buffer, rows, count * columns);
      const times = new Float64Array(memory.buffer, values, count);
      const sums = new Float64Array(memory.buffer, into, columns);
      for (let at = 0; at < count; at++) {
        const value = times[at] ?? 0;
        for (let column = 0; column < columns; column++)
          sums[column] = (sums[column] ?? 0) + value * (all[at * columns + column] ?? 0);
      }
    },
  };
}
