// Strings of JSON as they are written: read in pieces, and given to a filter as what they say.
import { FilteredText, type Notation, type TextFilter } from "./text-filter.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const LETTER_U = 117;
const SHORT_ESCAPE = 2;
const LONG_ESCAPE = 6;
/** The characters behind a backslash, and what they stand for. */
const ESCAPES: ReadonlyMap<number, string> = new Map(
  Object.entries({
    '"': '"',
    "\\": "\\",
    "/": "/",
    b: "\b",
    f: "\f",
    n: "\n",
    r: "\r",
    t: "\t",
  }).map(([written, character]) => [written.charCodeAt(0), character]),
);

/**
 * Returns how many characters the escape takes that the backslash begins, or 0 if the text ends within it. A backslash that
 * begins none, which no JSON has, stands for itself.
 */
function measureEscape(written: string, at: number): number {
  if (at + 1 >= written.length) return 0;
  const code = written.charCodeAt(at + 1);
  if (ESCAPES.has(code)) return SHORT_ESCAPE;
  if (code !== LETTER_U) return 1;
  for (let digit = at + SHORT_ESCAPE; digit < at + LONG_ESCAPE; digit++) {
    if (digit >= written.length) return 0;
    if (!isHex(written.charCodeAt(digit))) return 1;
  }
  return LONG_ESCAPE;
}

function readEscape(written: string, at: number, length: number): string {
  if (length === 1) return "\\";
  if (length === SHORT_ESCAPE) return ESCAPES.get(written.charCodeAt(at + 1)) ?? "";
  return String.fromCharCode(Number.parseInt(written.slice(at + SHORT_ESCAPE, at + LONG_ESCAPE), 16));
}

function isHex(code: number): boolean {
  const lower = code | 32;
  return (code >= 48 && code <= 57) || (lower >= 97 && lower <= 102);
}

const ESCAPED: Notation = {
  skip: (written, from, characters) => {
    let at = from;
    for (let count = 0; count < characters; count++) {
      at += written.charCodeAt(at) === BACKSLASH ? measureEscape(written, at) || 1 : 1;
    }
    return at;
  },
  write: (text) => JSON.stringify(text).slice(1, -1),
};

/** A string between its quotes. */
export class JsonString {
  readonly #filtered: FilteredText;
  readonly #isKept: boolean;
  /** What it said so far, if that is kept. */
  said = "";
  /** What leaves now of what was taken. */
  left = "";

  constructor(filter: TextFilter, isKept: boolean) {
    this.#filtered = new FilteredText(filter, ESCAPED);
    this.#isKept = isKept;
  }

  /**
   * Takes what belongs to the string from there on, and returns the position behind it: that of the closing quote, of an
   * escape that goes on in the next piece, or the end.
   */
  take(written: string, from: number): number {
    let text = "";
    let copied = from;
    let at = from;
    while (at < written.length) {
      const code = written.charCodeAt(at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) {
        at++;
        continue;
      }
      const length = measureEscape(written, at);
      if (length === 0) break;
      text += written.slice(copied, at) + readEscape(written, at, length);
      at += length;
      copied = at;
    }
    text += written.slice(copied, at);
    if (this.#isKept) this.said += text;
    this.left = at === from ? "" : this.#filtered.push(written.slice(from, at), text);
    return at;
  }

  end(): string {
    return this.#filtered.end();
  }
}
