// The length of an answer that the task itself asks for: "800 words", "in one sentence", "rewrite this module".
import { readCodes } from "./codes.ts";
import { indexHashes } from "./hash-index.ts";
import { again, units } from "./length-units.data.json";
import { hashCodes, hashWord } from "./ngrams.ts";

/** Where people say how long an answer should be: characters read from the head of a task, and from its tail. */
const HEAD_CHARS = 400;
const TAIL_CHARS = 200;
const NUMBER = /^(\d{1,2}[,.]?\d{3}|\d{1,5})$/;
const SEPARATOR = /[\s()[\]"':;!?–—-]/;
/** By code, 1 for separators. The others are in a range between letters and ideographs, but for one. */
const BETWEEN = Uint8Array.from({ length: 256 }, (_, code) =>
  Number(SEPARATOR.test(String.fromCharCode(code))),
);
const WIDE_FROM = 0x1680;
const WIDE_TO = 0x3000;
const NO_BREAK = 0xfeff;
const TOKENS_MAX = 8_000;
/** Numbers that people write out. */
const NAMED: ReadonlyMap<string, number> = new Map(Object.entries(units.numbers));
/** Nearly all words are none of these, which their hashes tell without a string for each. */
const findNamed = indexHashes(Int32Array.from(NAMED.keys(), hashWord));
const DIGIT_FIRST = "0".charCodeAt(0);
const DIGIT_LAST = "9".charCodeAt(0);
const DIGITS_MAX = "12,345".length;
const NUMBER_CHARS_MAX = Math.max(DIGITS_MAX, ...[...NAMED.keys()].map(({ length }) => length));
/** By the word for a unit of text, the tokens of one. */
const TOKENS: ReadonlyMap<string, number> = new Map(
  Object.entries(units.words).flatMap(([tokens, words]) =>
    words.map((word) => [word, Number(tokens)] as const),
  ),
);
/** Ideographs stand without spaces: a number, then one of these. */
const DENSE = new RegExp(`(\\d{1,5}|[一二两三四五六七八九十])\\s*(${Object.keys(units.dense).join("|")})`);
const DENSE_TOKENS: ReadonlyMap<string, number> = new Map(Object.entries(units.dense));
const DENSE_DIGITS = "零一二三四五六七八九十";

/** A text to be written again stands beside the words that ask for it, and is longer than they are. */
const AGAIN_CHARS = 120;
const AGAIN_TOKENS_MIN = 40;

/**
 * Returns the tokens of the answer that a task in lower case, itself of `taskTokens`, asks for. Null if it asks for no
 * length.
 */
export function readAskedTokens(task: string, taskTokens = 0): number | null {
  return readUnits(takeEnds(task, HEAD_CHARS, TAIL_CHARS)) ?? readAgain(task, taskTokens);
}

function takeEnds(task: string, head: number, tail: number): string {
  return task.length <= head + tail ? task : `${task.slice(0, head)} ${task.slice(-tail)}`;
}

function readAgain(task: string, taskTokens: number): number | null {
  if (taskTokens < AGAIN_TOKENS_MIN) return null;
  const ends = takeEnds(task, AGAIN_CHARS, AGAIN_CHARS);
  return again.some((word) => ends.includes(word)) ? Math.min(TOKENS_MAX, taskTokens) : null;
}

function readUnits(text: string): number | null {
  return readSpaced(text) ?? readUnspaced(text);
}

function readSpaced(text: string): number | null {
  const codes = readCodes(text);
  let count: number | null = null;
  for (let at = 0; at < text.length; at++) {
    const start = at;
    while (at < text.length && !isBetween(codes[at] ?? 0)) at++;
    if (at === start) continue;
    if (count !== null) {
      const each = TOKENS.get(text.slice(start, at).replace(/[.,،。]+$/, ""));
      if (each !== undefined) return Math.min(TOKENS_MAX, each * count);
    }
    count = mayCount(codes, start, at) ? readCount(text.slice(start, at)) : null;
  }
  return null;
}

function readUnspaced(text: string): number | null {
  const dense = DENSE.exec(text);
  if (dense === null) return null;
  const [, count = "", unit = ""] = dense;
  const number = /\d/.test(count) ? Number(count) : readDense(count);
  return Math.min(TOKENS_MAX, number * (DENSE_TOKENS.get(unit) ?? 1));
}

/** True for spaces and for the signs that separate words. */
function isBetween(code: number): boolean {
  if (code < BETWEEN.length) return BETWEEN[code] === 1;
  if (code < WIDE_FROM || (code > WIDE_TO && code !== NO_BREAK)) return false;
  return SEPARATOR.test(String.fromCharCode(code));
}

/** True if the word may be a number. A few others share a hash with one. */
function mayCount(codes: Uint16Array, start: number, end: number): boolean {
  if (end - start > NUMBER_CHARS_MAX) return false;
  return isDigit(codes[start] ?? 0) || findNamed(hashCodes(codes, start, end)) >= 0;
}

function isDigit(code: number): boolean {
  return code >= DIGIT_FIRST && code <= DIGIT_LAST;
}

function readCount(word: string): number | null {
  if (!isDigit(word.charCodeAt(0))) return NAMED.get(word) ?? null;
  return NUMBER.test(word) ? Number(word.replace(/[.,]/, "")) : null;
}

function readDense(sign: string): number {
  return sign === "两" ? 2 : DENSE_DIGITS.indexOf(sign);
}
