// Strings of JSON as they are written, and what they say.
import { isHex } from "./characters.ts";
import type { Notation } from "./text-filter.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const LOWER_U = 117;
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
  if (code !== LOWER_U) return 1;
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

/** The notation of a string between its quotes. */
export const JSON_STRING: Notation = {
  skip: (written, from, characters) => {
    let at = from;
    for (let count = 0; count < characters; count++) {
      // A backslash that stands for itself may be the last character that is known.
      at += written.charCodeAt(at) === BACKSLASH ? measureEscape(written, at) || 1 : 1;
    }
    return at;
  },
  write: (text) => JSON.stringify(text).slice(1, -1),
};

/**
 * Reads what belongs to a string from there on. `to` is the position behind it: that of the closing quote, of an escape of
 * which a part is missing, or the end.
 */
export function readString(written: string, from: number): { readonly to: number; readonly text: string } {
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
  return { to: at, text: text + written.slice(copied, at) };
}
