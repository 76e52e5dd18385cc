// Sums of rows, each times a value, are the same with the processor's wide instructions and without them.
import { describe, expect, test } from "bun:test";
import { ByteRows, FloatRows } from "../../../src/core/world/weighted-sums.ts";
import { startPlain } from "../../../src/core/world/weighted-sums-plain.ts";
import { Dice } from "../../sim/dice.ts";

/** Addresses in the memory of the plain program. */
const PLACES = 0;
const VALUES = 20_000;
const SUMS = 40_000;
const ROWS = 50_000;

/** Returns the plain program, with these rows in its memory. */
function startWith(rows: Int8Array | Float32Array) {
  const program = startPlain();
  program.memory.grow(Math.ceil(rows.byteLength / 65_536));
  const { buffer } = program.memory;
  new Uint8Array(buffer, ROWS).set(new Uint8Array(rows.buffer));
  return { program, buffer };
}

describe("rows of bytes", () => {
  test.each([
    [0, 16],
    [1, 16],
    [7, 160],
    [30, 17],
    // More than are added up at once.
    [2500, 32],
  ])("%i of them, of %i columns", (count, columns) => {
    const dice = new Dice(count);
    const bytes = Int8Array.from({ length: 40 * columns }, () => dice.int(-128, 127));
    const rows = new ByteRows(bytes, columns);
    const { program, buffer } = startWith(bytes);
    const sums = new Float32Array(columns + 1).fill(-1);
    // The second time, nothing is left of the first.
    for (let time = 0; time < 2; time++) {
      new Float32Array(buffer, SUMS, columns).fill(0);
      for (let at = 0; at < count; at++) {
        const row = dice.int(0, 39);
        const value = dice.int(0, 999) / 77;
        rows.add(row, value);
        new Int32Array(buffer, PLACES, 1)[0] = ROWS + row * columns;
        new Float32Array(buffer, VALUES, 1)[0] = value;
        program.addBytes(PLACES, VALUES, 1, columns, SUMS);
      }
      rows.take(sums);
      expect([...sums]).toEqual([...new Float32Array(buffer, SUMS, columns), -1]);
    }
  });
});

test.each([
  [1, 1],
  [3, 8],
  [206, 55],
  [189, 344],
])("%i rows of %i numbers", (count, columns) => {
  const dice = new Dice(count);
  const numbers = Float32Array.from({ length: count * columns }, () => dice.next() * 12 - 6);
  const rows = new FloatRows(count, columns);
  for (let column = 0; column < columns; column++)
    rows.setColumn(
      column,
      numbers.filter((_, at) => at % columns === column),
    );
  const { program, buffer } = startWith(numbers);
  for (let time = 0; time < 2; time++) {
    const values = Float64Array.from({ length: count }, () => dice.next() * 30 - 15);
    new Float64Array(buffer, VALUES, count).set(values);
    new Float64Array(buffer, SUMS, columns).fill(0);
    program.addFloats(ROWS, VALUES, count, columns, SUMS);
    expect([...rows.sum(values)]).toEqual([...new Float64Array(buffer, SUMS, columns)]);
  }
});
