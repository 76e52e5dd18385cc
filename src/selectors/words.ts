// The most common words, and the correction of typing errors to the most common word that matches once a letter is
// dropped from each, so one letter may be missing, extra, wrong or swapped with its neighbour.

import { readFileSync } from "node:fs";
import { hashWord } from "./ngrams.ts";
import path from "./words.data.json" with { type: "file" };

/** Longer strings aren't words, and trying each of their letters would take too long. */
const MENDED_LETTERS_MAX = 24;

export type Words = ReturnType<typeof makeWords>;

let shipped: Words | undefined;

export function loadShippedWords(): Words {
  shipped ??= makeWords(String(JSON.parse(readFileSync(String(path), "utf8")).words).split(" "));
  return shipped;
}

/** Takes the words in order of frequency, the most common first. */
export function makeWords(words: readonly string[]) {
  const known = new Set(words.map(hashWord));
  const shortened = new Map<number, number>();
  for (const [place, word] of words.entries())
    for (const hash of hashShortened(word)) if (!shortened.has(hash)) shortened.set(hash, place);
  return {
    /** Takes the hash of the whole word, a plural's s included. */
    isKnown: (hash: number) => known.has(hash),
    /** Returns the most common similar word. Null if there is none. */
    correct: (word: string): string | null => {
      if (word.length > MENDED_LETTERS_MAX) return null;
      let first = words.length;
      for (const hash of hashShortened(word)) first = Math.min(first, shortened.get(hash) ?? first);
      return words[first] ?? null;
    },
  };
}

/** Hashes the word itself, and the word without each one of its letters. */
function hashShortened(word: string): readonly number[] {
  const hashes = [hashWord(word)];
  for (let at = 0; at < word.length; at++) hashes.push(hashWord(word.slice(0, at) + word.slice(at + 1)));
  return hashes;
}
