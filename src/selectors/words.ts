// The most common words, and the correction of typing errors: a letter that is missing, extra, wrong, or swapped with its
// neighbour or with the space beside it.

import { readFileSync } from "node:fs";
import { readCodes } from "./codes.ts";
import { indexHashes } from "./hash-index.ts";
import { hashCodes, hashWord, isWord } from "./ngrams.ts";
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
const ASCII_WORD = /^[a-z]+$/;

export type Words = ReturnType<typeof makeWords>;

let shipped: Words | undefined;

export function loadShippedWords(): Words {
  shipped ??= makeWords(String(JSON.parse(readFileSync(String(path), "utf8")).words).split(" "));
  return shipped;
}

/** Takes the words in order of frequency, the most common first. */
export function makeWords(words: readonly string[]) {
  const findPlace = indexHashes(Int32Array.from(words, hashWord));
  const shortened = new Map<number, number>();
  for (const [place, word] of words.entries())
    if (word.length >= LONG_LETTERS_MIN)
      for (const hash of hashShortened(word)) if (!shortened.has(hash)) shortened.set(hash, place);
  const isKnown = (hash: number) => findPlace(hash) >= 0;
  const isSure = (word: string) => {
    const place = findPlace(hashWord(word));
    return place >= 0 && place < (word.length < LONG_LETTERS_MIN ? COMMON_WORDS : words.length);
  };
  return {
    isKnown,
    /** Returns the most common similar word. Null if there is none. */
    correct: (word: string): string | null => {
      if (word.length > MENDED_LETTERS_MAX) return null;
      const isShort = word.length < LONG_LETTERS_MIN;
      const most = isShort ? COMMON_WORDS : words.length;
      const similar = isShort
        ? hashSwapped(word).map(findPlace)
        : hashShortened(word).map((hash) => shortened.get(hash) ?? -1);
      const first = Math.min(most, ...similar.filter((place) => place >= 0));
      return first < most ? (words[first] ?? null) : null;
    },
    /** Moves the space between two words by one letter. Null if that doesn't make two words. */
    moveSpace: (one: string, other: string): string | null => {
      const letters = one + other;
      const areStrange = !isKnown(hashWord(one)) && !isKnown(hashWord(other));
      for (const at of one && other ? [one.length + 1, one.length - 1] : []) {
        const [first, second] = [letters.slice(0, at), letters.slice(at)];
        // An s at the end makes an unknown word of a known one, without a typing error.
        const isEnding = letters[Math.min(at, one.length)] === "s" && !areStrange;
        if (!isEnding && isSure(first) && isSure(second)) return `${first} ${second}`;
      }
      return null;
    },
  };
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
    if (!ASCII_WORD.test(text.slice(start, at))) continue;
    const word = text.slice(start, at);
    left--;
    const before = findFirst(/[a-z]+(?= $)/, text.slice(Math.max(copied, start - MENDED_LETTERS_MAX), start));
    const after = findFirst(/(?<=^ )[a-z]+/, text.slice(at, at + MENDED_LETTERS_MAX));
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
  let [seen, known] = [0, 0];
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

function findFirst(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[0] ?? "";
}

/** Hashes the word itself, and the word without each one of its letters. */
function hashShortened(word: string): readonly number[] {
  const hashes = [hashWord(word)];
  for (let at = 0; at < word.length; at++) hashes.push(hashWord(word.slice(0, at) + word.slice(at + 1)));
  return hashes;
}

/** Hashes the word with each letter swapped with the next. */
function hashSwapped(word: string): readonly number[] {
  return Array.from({ length: word.length - 1 }, (_, at) =>
    hashWord(`${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`),
  );
}
