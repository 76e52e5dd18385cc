// Measures the structure of a JSON text in one linear pass, so that texts that would be slow to parse are rejected
// first.
import { SHORT_CHARACTERS, scanText } from "./text-scan.ts";

export interface JsonShape {
  /** The deepest nesting of arrays and objects. */
  readonly depth: number;
  /** The total number of array elements and object fields. */
  readonly elements: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in one bit, as do `]` and `}`. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const CASE = 0x20;
const SPACE = 0x20;

/** Returns the shape of a text, stopping as soon as it exceeds `most`. Invalid JSON has some shape too. */
export function measureShape(text: string, most: JsonShape): JsonShape {
  return (text.length > SHORT_CHARACTERS ? scanText(text, most) : null) ?? readShape(text, most);
}

/** The same, character by character. */
export function readShape(text: string, most: JsonShape): JsonShape {
  let depth = 0;
  let deepest = 0;
  let elements = 0;
  /** True right after an opening bracket, before the first element. */
  let isFirst = false;
  for (let at = 0; at < text.length && deepest <= most.depth && elements <= most.elements; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if ((code & ~CASE) === CLOSES) {
      depth--;
      isFirst = false;
      continue;
    }
    if (isFirst || code === COMMA) elements++;
    isFirst = (code & ~CASE) === OPENS;
    if (isFirst) deepest = Math.max(deepest, ++depth);
    else if (code === QUOTE) at = findStringEnd(text, at + 1);
  }
  return { depth: deepest, elements };
}

/** Returns the end of the string that begins at `from`, or the text's length. */
export function findStringEnd(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  if (quote === -1) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  // Searching from quote to quote would take five times as long for code, which is full of quotes.
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
