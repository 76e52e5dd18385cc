// Scans long texts 16 bytes at a time with the program in `scan.wat`.
import { PROGRAM } from "./scan-program.ts";

/** Texts are scanned in pieces of this size. */
const PIECE_BYTES = 262_144;
/** The program's marks stand behind the piece. */
const MARKS_AT = 262_208;
/** A character has at most three bytes in UTF-8, half a pair included. */
const PIECE_CHARACTERS = Math.floor(PIECE_BYTES / 3);
/** Shorter texts cost less to read character by character than to copy. */
export const SHORT_CHARACTERS = 256;
const INTEGER_MAX = 0x7fff_ffff;

/** The program's exports. */
interface ScanProgram {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly deepest: WebAssembly.Global<"i32">;
  readonly elements: WebAssembly.Global<"i32">;
  readonly hasSurrogate: WebAssembly.Global<"i32">;
  readonly hasOddNumber: WebAssembly.Global<"i32">;
  readonly marks: WebAssembly.Global<"i32">;
  begin(mostDepth: number, mostElements: number): void;
  /** Returns 1 if there is more than allowed. */
  shape(bytes: number): number;
  dense(bytes: number): number;
}

interface LoadedScanner {
  readonly program: ScanProgram;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();
let loaded: LoadedScanner | null | undefined;

function isProgram(exports: object): exports is ScanProgram {
  return "memory" in exports && "shape" in exports && "dense" in exports;
}

/** Loaded at first use: short texts never need it. Null if the processor lacks the instructions. */
function load(): LoadedScanner | null {
  if (loaded !== undefined) return loaded;
  loaded = null;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.fromBase64(PROGRAM)));
    if (isProgram(exports))
      loaded = { program: exports, bytes: new Uint8Array(exports.memory.buffer, 0, PIECE_BYTES) };
  } catch {}
  return loaded;
}

/** As in `core/json/shape.ts`. */
interface TextShape {
  readonly depth: number;
  readonly elements: number;
}

export interface ScannedShape extends TextShape {
  /** True if a string may have the escape of a surrogate. Only final if the shape is within bounds. */
  readonly hasSurrogate: boolean;
  /** True if a number may read differently elsewhere: it has an exponent, or more than 15 characters. */
  readonly hasOddNumber: boolean;
}

/** Returns what `measureShape` does, for JSON in UTF-8. Null if this machine can't scan. */
export function scanBytes(json: Uint8Array, most: TextShape): ScannedShape | null {
  const scanner = load();
  if (scanner === null) return null;
  const { program, bytes } = scanner;
  begin(program, most);
  for (let at = 0; at < json.length; at += PIECE_BYTES) {
    const piece = json.subarray(at, at + PIECE_BYTES);
    bytes.set(piece);
    if (program.shape(piece.length) === 1) break;
  }
  return readShape(program);
}

/**
 * Returns where the outermost colons and commas and the last bracket stand in the JSON that was just scanned, up to
 * 1,024 of them. They mean nothing if it was longer than 256 KB.
 */
export function readMarks(): Int32Array {
  if (!loaded) return new Int32Array(0);
  const { marks, memory } = loaded.program;
  return new Int32Array(memory.buffer, MARKS_AT, marks.value);
}

/** The same as `scanBytes` for JSON as text. */
export function scanText(json: string, most: TextShape): ScannedShape | null {
  const scanner = load();
  if (scanner === null) return null;
  const { program, bytes } = scanner;
  begin(program, most);
  for (const piece of eachPiece(json)) {
    if (program.shape(encoder.encodeInto(piece, bytes).written) === 1) break;
  }
  return readShape(program);
}

/**
 * Returns the size of a text in UTF-8, and how many of its bytes are digits or of letters from U+0F00 to U+1DFF. Null if
 * this machine can't scan.
 */
export function scanLetters(text: string): { readonly bytes: number; readonly dense: number } | null {
  const scanner = load();
  if (scanner === null) return null;
  let bytes = 0;
  let dense = 0;
  for (const piece of eachPiece(text)) {
    const { written } = encoder.encodeInto(piece, scanner.bytes);
    bytes += written;
    dense += scanner.program.dense(written);
  }
  return { bytes, dense };
}

function begin(program: ScanProgram, { depth, elements }: TextShape): void {
  program.begin(Math.min(depth, INTEGER_MAX), Math.min(elements, INTEGER_MAX));
}

function readShape(program: ScanProgram): ScannedShape {
  return {
    depth: program.deepest.value,
    elements: program.elements.value,
    hasSurrogate: program.hasSurrogate.value === 1,
    hasOddNumber: program.hasOddNumber.value === 1,
  };
}

/** No pair of surrogates is parted. */
function* eachPiece(text: string): Generator<string> {
  if (text.length <= PIECE_CHARACTERS) {
    yield text;
    return;
  }
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + PIECE_CHARACTERS;
    if (isFirstOfPair(text.charCodeAt(end - 1))) end--;
    yield text.slice(at, end);
  }
}

function isFirstOfPair(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
