// The commonest words, and the mending of a word with a typing error: to the commonest of those that are the same once a
// letter is left out of each, so that one letter may be missing, too many, another, or have changed places with its neighbour.

import { readFileSync } from "node:fs";
import { hashWord } from "./ngrams.ts";
import path from "./words.data.json" with { type: "file" };

/** Longer words aren't words: looking at each letter of them would take long. */
const MENDED_LETTERS_MAX = 24;

export type Words = ReturnType<typeof makeWords>;

let shipped: Words | undefined;

export function shippedWords(): Words {
  shipped ??= makeWords(String(JSON.parse(readFileSync(String(path), "utf8")).words).split(" "));
  return shipped;
}

/** The words by how common they are. */
export function makeWords(words: readonly string[]) {
  const known = new Set(words.map(hashWord));
  const shortened = new Map<number, number>();
  for (const [place, word] of words.entries())
    for (const hash of hashShortened(word)) if (!shortened.has(hash)) shortened.set(hash, place);
  return {
    /** By the hash of the whole word. */
    isKnown: (hash: number) => known.has(hash),
    /** A known word in place of one that isn't; null: there is none like it. */
    mend: (word: string): string | null => {
      if (word.length > MENDED_LETTERS_MAX) return null;
      let first = words.length;
      for (const hash of hashShortened(word)) first = Math.min(first, shortened.get(hash) ?? first);
      return words[first] ?? null;
    },
  };
}

/** The word, and what it is without each of its letters. */
function hashShortened(word: string): readonly number[] {
  const hashes = [hashWord(word)];
  for (let at = 0; at < word.length; at++) hashes.push(hashWord(word.slice(0, at) + word.slice(at + 1)));
  return hashes;
}
