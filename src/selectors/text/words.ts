// The most common words, and the correction of typing errors: a letter that is missing, extra, wrong, or swapped with its
// neighbour or with the space beside it.

import { readFileSync } from "node:fs";
import { readCodes } from "./codes.ts";
import { indexHashes } from "./hash-index.ts";
import { FNV_START, hashCodes, hashPart, hashWord, isWord } from "./ngrams.ts";
import path from "./words.data.json" with { type: "file" };

/** More unknown words than these are not typing errors but another language or a listing. */
const MENDED_MAX = 32;
/** Longer strings aren't words, and trying each of their letters would take too long. */
const MENDED_LETTERS_MAX = 24;
/** Words of fewer letters resemble too many others: they are corrected only to the most common ones. */
const LONG_LETTERS_MIN = 4;
const COMMON_WORDS = 400;
/** A text is judged by this many words to be in another language. Fewer than the minimum say nothing. */
const JUDGED_WORDS = 24;
const JUDGED_WORDS_MIN = 4;
const SPACE = 32;

export type Words = ReturnType<typeof makeWords>;

let shipped: Words | undefined;

export function loadShippedWords(): Words {
  shipped ??= makeWords(String(JSON.parse(readFileSync(String(path), "utf8")).words).split(" "));
  return shipped;
}

/** Takes the words in order of frequency, the most common first. */
export function makeWords(words: readonly string[]) {
  const findPlace = indexHashes(Int32Array.from(words, hashWord));
  const { findShortened, shortenedPlaces } = indexShortened(words);
  const isKnown = (hash: number) => findPlace(hash) >= 0;
  const isSure = (letters: string, from: number, to: number) => {
    const place = findPlace(hashPart(letters, from, to));
    return place >= 0 && place < (to - from < LONG_LETTERS_MIN ? COMMON_WORDS : words.length);
  };
  const findSimilar = (word: string) =>
    word.length < LONG_LETTERS_MIN
      ? hashSwapped(word).map(findPlace)
      : hashShortened(word).map((hash) => shortenedPlaces[findShortened(hash)] ?? -1);
  const isEitherKnown = (one: string, other: string) => isKnown(hashWord(one)) || isKnown(hashWord(other));
  return {
    isKnown,
    /** Returns the most common similar word. Null if there is none. */
    correct: (word: string): string | null => {
      if (word.length > MENDED_LETTERS_MAX) return null;
      const most = word.length < LONG_LETTERS_MIN ? COMMON_WORDS : words.length;
      let first = most;
      for (const place of findSimilar(word)) if (place >= 0 && place < first) first = place;
      return first < most ? (words[first] ?? null) : null;
    },
    /** Moves the space between two words by one letter. Null if that doesn't make two words. */
    moveSpace: (one: string, other: string): string | null => {
      if (one === "" || other === "") return null;
      const letters = one + other;
      for (const at of [one.length + 1, one.length - 1]) {
        if (!isSure(letters, 0, at) || !isSure(letters, at, letters.length)) continue;
        // An s at the end makes an unknown word of a known one, without a typing error.
        const isEnding = letters[Math.min(at, one.length)] === "s" && isEitherKnown(one, other);
        if (!isEnding) return `${letters.slice(0, at)} ${letters.slice(at)}`;
      }
      return null;
    },
  };
}

/** Finds words, the most common first, by the hashes of what is left of them without a letter. */
function indexShortened(words: readonly string[]) {
  const [hashes, places]: [number[], number[]] = [[], []];
  for (const [place, word] of words.entries()) {
    if (word.length < LONG_LETTERS_MIN) continue;
    for (const hash of hashShortened(word)) {
      hashes.push(hash);
      places.push(place);
    }
  }
  return { findShortened: indexHashes(Int32Array.from(hashes)), shortenedPlaces: Int32Array.from(places) };
}

/** Corrects typing errors in the first few unknown words of a text in lower case, if it is in the words' language. */
export function mendText(text: string, words: Words): string {
  const codes = readCodes(text);
  if (isForeign(codes, text.length, words)) return text;
  let mended = "";
  let copied = 0;
  let left = MENDED_MAX;
  for (let at = 0; at < text.length && left > 0; at++) {
    const start = at;
    at = findWordEnd(codes, at);
    if (at - start < 2 || words.isKnown(hashCodes(codes, start, at))) continue;
    if (findAsciiEnd(codes, start, at) < at) continue;
    const word = text.slice(start, at);
    left--;
    const before = readBefore(text, codes, start, Math.max(copied, start - MENDED_LETTERS_MAX));
    const after = readAfter(text, codes, at);
    const moved = words.moveSpace(before, word);
    const from = moved === null ? start : start - 1 - before.length;
    const ahead = moved ?? words.moveSpace(word, after);
    if (moved === null && ahead !== null) at += 1 + after.length;
    mended += text.slice(copied, from) + (ahead ?? words.correct(word) ?? word);
    copied = at;
  }
  return mended + text.slice(copied);
}

/** True if most of the first words are unknown. */
function isForeign(codes: Uint16Array, end: number, { isKnown }: Words): boolean {
  let seen = 0;
  let known = 0;
  for (let at = 0; at < end && seen < JUDGED_WORDS; at++) {
    const start = at;
    at = findWordEnd(codes, at);
    if (at - start < 2) continue;
    seen++;
    known += Number(isKnown(hashCodes(codes, start, at)));
  }
  return seen >= JUDGED_WORDS_MIN && known * 2 < seen;
}

function findWordEnd(codes: Uint16Array, from: number): number {
  let at = from;
  while (isWord(codes[at] ?? 0)) at++;
  return at;
}

/** Returns the word that a single space separates from `to`, from `least` at the earliest. Empty if there is none. */
function readBefore(text: string, codes: Uint16Array, to: number, least: number): string {
  if (codes[to - 1] !== SPACE) return "";
  let from = to - 1;
  while (from > least && isAsciiLetter(codes[from - 1] ?? 0)) from--;
  return text.slice(from, to - 1);
}

/** Returns the word behind the space at `from`, or as much of it as is tried. Empty if there is none. */
function readAfter(text: string, codes: Uint16Array, from: number): string {
  if (codes[from] !== SPACE) return "";
  return text.slice(from + 1, findAsciiEnd(codes, from + 1, from + MENDED_LETTERS_MAX));
}

/** Returns where a run of ASCII letters ends, at most at `most`. */
function findAsciiEnd(codes: Uint16Array, from: number, most: number): number {
  let at = from;
  while (at < most && isAsciiLetter(codes[at] ?? 0)) at++;
  return at;
}

function isAsciiLetter(code: number): boolean {
  return code < 128 && isWord(code);
}

/** Hashes the word itself, and the word without each one of its letters. */
function hashShortened(word: string): readonly number[] {
  const hashes = [hashWord(word)];
  let before = FNV_START;
  for (let at = 0; at < word.length; at++) {
    hashes.push(hashPart(word, at + 1, word.length, before));
    before = hashPart(word, at, at + 1, before);
  }
  return hashes;
}

/** Hashes the word with each letter swapped with the next. */
function hashSwapped(word: string): readonly number[] {
  const hashes: number[] = [];
  let before = FNV_START;
  for (let at = 0; at < word.length - 1; at++) {
    const next = hashPart(word, at + 1, at + 2, before);
    hashes.push(hashPart(word, at + 2, word.length, hashPart(word, at, at + 1, next)));
    before = hashPart(word, at, at + 1, before);
  }
  return hashes;
}
