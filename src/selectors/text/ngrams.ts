// A text as hashed words and pairs of words, normalised so that case, digits, spacing and plurals make no difference.
import { readCodes } from "./codes.ts";
import type { HashCounts } from "./hash-index.ts";

export const FNV_START = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;
export const PAIR_PRIME = 0x9e3779b1;
/** Signs that distinguish kinds of tasks. Other punctuation is formatting and skipped. */
const COUNTED_SIGNS = "+*/=<>{}[]()$\\_^|#`%&@~";
const SIGN_OF = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(COUNTED_SIGNS.includes(String.fromCharCode(code))),
);

/** Counts made while a text is scanned. */
export type TextCounts = ReturnType<typeof makeCounts>;

export function makeCounts() {
  return {
    chars: 0,
    words: 0,
    /** Letters in all words. */
    letters: 0,
    numbers: 0,
    /** Digits of the longest number. */
    longestNumber: 0,
    signs: 0,
    /** Ends of lines that aren't empty. */
    lines: 0,
    /** Letters outside ASCII, ideographs included. */
    foreign: 0,
    ideographs: 0,
    questions: 0,
  };
}

/** Hashes a word in lower case, a plural's s included. */
export function hashWord(word: string): number {
  return hashPart(word, 0, word.length);
}

/** Hashes a part of a word like `hashWord`, or from another start. */
export function hashPart(word: string, from: number, to: number, start = FNV_START): number {
  let hash = start;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ word.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** Hashes a part of a text like `hashWord`, or from another start. */
export function hashCodes(codes: Uint16Array, from: number, to: number, start = FNV_START): number {
  let hash = start;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (codes[at] ?? 0), FNV_PRIME);
  return hash;
}

/** Adds the hash of each word, number, telling sign and pair of neighbours in a text in lower case to `grams`. Linear. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: split into functions, in three ways, a scan took 1.1 to 1.3 times as long
export function scan(text: string, counts: TextCounts, grams: HashCounts, weight: number): void {
  const codes = readCodes(text);
  const end = text.length;
  counts.chars += end;
  let before = 0;
  let lineStart = 0;
  let at = 0;
  while (at < end) {
    const code = codes[at] ?? 0;
    const start = at;
    let hash = 0;
    if (isWord(code)) {
      let previous = FNV_START;
      hash = FNV_START;
      let last = code;
      for (let next = code; isWord(next); next = codes[++at] ?? 0) {
        previous = hash;
        hash = Math.imul(hash ^ next, FNV_PRIME);
        if (next > 127) counts.foreign++;
        last = next;
      }
      counts.words++;
      counts.letters += at - start;
      // "cats" is hashed like "cat".
      if (last === 115 && at - start > 3) hash = previous;
    } else if (isDigit(code)) {
      while (isDigit(codes[at] ?? 0)) at++;
      counts.numbers++;
      counts.longestNumber = Math.max(counts.longestNumber, at - start);
      hash = Math.imul(FNV_START ^ 48, FNV_PRIME);
    } else {
      at++;
      if (code < 128) {
        if (code === 10 && lineStart < start) counts.lines++;
        if (code === 10) lineStart = at;
        if (code === 63) counts.questions++;
        if (SIGN_OF[code] !== 1) continue;
        counts.signs++;
        grams.add(Math.imul(FNV_START ^ code, FNV_PRIME), weight);
        continue;
      }
      if (!isIdeograph(code)) continue;
      counts.ideographs++;
      counts.foreign++;
      hash = Math.imul(FNV_START ^ code, FNV_PRIME);
    }
    before = addGram(grams, finalizeHash(hash), before, weight);
  }
}

/** Adds a word and its pair with the one before, and returns the word. */
function addGram(grams: HashCounts, hash: number, before: number, weight: number): number {
  grams.add(hash, weight);
  if (before !== 0) grams.add(finalizeHash(Math.imul(before, PAIR_PRIME) ^ hash), weight);
  return hash;
}

/** Spreads the bits of a hash over all of it. */
export function finalizeHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** True for a letter of a script that puts spaces between words. */
export function isWord(code: number): boolean {
  return WORDS[code] === 1;
}

/** By code, 1 for letters: a look takes less than comparisons, and each character is looked at several times. */
const WORDS = new Uint8Array(2 ** 16)
  .fill(1, 97, 123)
  .fill(1, 0xaa, 0x2000)
  .fill(0, 0xd7, 0xd8)
  .fill(0, 0xf7, 0xf8);

function isIdeograph(code: number): boolean {
  return (code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af);
}
