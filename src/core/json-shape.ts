// Measures the structure of a JSON text in one linear pass, so that a text too slow to parse never is parsed.

export interface JsonShape {
  /** The deepest nesting of arrays and objects. */
  readonly depth: number;
  /** The number of all array elements and object fields. */
  readonly elements: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in one bit. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const CASE = 0x20;
const SPACE = 0x20;

/** The shape of a JSON text; the pass stops at the first excess over `most`. A text that isn't JSON has some shape too. */
export function measureShape(text: string, most: JsonShape): JsonShape {
  let depth = 0;
  let deepest = 0;
  let elements = 0;
  /** Behind an opening bracket, where the first element has not come yet. */
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
    else if (code === QUOTE) at = stringEnd(text, at + 1);
  }
  return { depth: deepest, elements };
}

/** The end of the string that begins at `from`; the text's length if it has none. */
function stringEnd(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  if (quote === -1) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  // A search from quote to quote takes five times as long where a prompt of code has one in every few letters.
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
