// Adds up rows of numbers, each times a value of its own, several columns at a time with the program in
// `weighted-sums.wat`.
import { PAGE_BYTES, type Program, startPlain } from "./weighted-sums-plain.ts";
import { PROGRAM } from "./weighted-sums-program.ts";

/** The columns that the program adds up at once. */
const BYTE_COLUMNS = 16;
const FLOAT_COLUMNS = 8;
/** The rows of bytes that are added up at once. */
const PIECE_ROWS = 1024;

let compiled: WebAssembly.Module | null | undefined;

/** Null if the processor lacks the instructions. */
function compile(): WebAssembly.Module | null {
  if (compiled !== undefined) return compiled;
  compiled = null;
  try {
    compiled = new WebAssembly.Module(Uint8Array.fromBase64(PROGRAM));
  } catch {}
  return compiled;
}

function isProgram(exports: object): exports is Program {
  return "memory" in exports && "addBytes" in exports && "addFloats" in exports;
}

/** Returns the program with a memory of its own, of at least this size. */
function start(bytes: number): Program {
  const module = compile();
  const exports = module === null ? null : new WebAssembly.Instance(module).exports;
  const program = exports !== null && isProgram(exports) ? exports : startPlain();
  program.memory.grow(Math.ceil(bytes / PAGE_BYTES));
  return program;
}

/** Rows of Int8, of which some are added up in Float32. */
export class ByteRows {
  readonly #program: Program;
  readonly #from: number;
  /** With the columns that only fill up. */
  readonly #width: number;
  readonly #sums: Float32Array;
  readonly #values: Float32Array;
  readonly #places: Int32Array;
  #count = 0;

  constructor(rows: Int8Array, columns: number) {
    const count = rows.length / columns;
    this.#width = Math.ceil(columns / BYTE_COLUMNS) * BYTE_COLUMNS;
    this.#from = this.#width * 4 + PIECE_ROWS * 8;
    this.#program = start(this.#from + count * this.#width);
    const { buffer } = this.#program.memory;
    this.#sums = new Float32Array(buffer, 0, columns);
    this.#values = new Float32Array(buffer, this.#width * 4, PIECE_ROWS);
    this.#places = new Int32Array(buffer, this.#width * 4 + PIECE_ROWS * 4, PIECE_ROWS);
    const all = new Int8Array(buffer, this.#from);
    for (let row = 0; row < count; row++)
      all.set(rows.subarray(row * columns, (row + 1) * columns), row * this.#width);
  }

  /** Adds a row times a value to the sums. */
  add(row: number, value: number): void {
    if (this.#count === PIECE_ROWS) this.#sumUp();
    this.#places[this.#count] = this.#from + row * this.#width;
    this.#values[this.#count++] = value;
  }

  /** Writes the sums of all rows added since the last call into the beginning of `into`. */
  take(into: Float32Array | Float64Array): void {
    this.#sumUp();
    into.set(this.#sums);
    this.#sums.fill(0);
  }

  #sumUp(): void {
    const { byteOffset: places } = this.#places;
    this.#program.addBytes(places, this.#values.byteOffset, this.#count, this.#width, 0);
    this.#count = 0;
  }
}

/** Rows of Float32 that are all added up, in Float64. */
export class FloatRows {
  readonly #program: Program;
  readonly #from: number;
  /** With the columns that only fill up. */
  readonly #width: number;
  readonly #sums: Float64Array;
  readonly #values: Float64Array;
  readonly #all: Float32Array;

  /** All numbers are 0 at first. */
  constructor(rows: number, columns: number) {
    this.#width = Math.ceil(columns / FLOAT_COLUMNS) * FLOAT_COLUMNS;
    this.#from = (this.#width + rows) * 8;
    this.#program = start(this.#from + rows * this.#width * 4);
    const { buffer } = this.#program.memory;
    this.#sums = new Float64Array(buffer, 0, columns);
    this.#values = new Float64Array(buffer, this.#width * 8, rows);
    this.#all = new Float32Array(buffer, this.#from, rows * this.#width);
  }

  /** Sets a column's number in each row. */
  setColumn(column: number, numbers: Float32Array): void {
    for (let row = 0; row < numbers.length; row++) this.#all[row * this.#width + column] = numbers[row] ?? 0;
  }

  /** Returns the sums by column. There must be a value for each row. */
  sum(values: Float64Array): Float64Array {
    this.#values.set(values);
    this.#sums.fill(0);
    this.#program.addFloats(this.#from, this.#values.byteOffset, values.length, this.#width, 0);
    return this.#sums.slice();
  }
}
