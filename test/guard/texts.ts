// Texts for the guard's tests: hostile ones, lists of words, and a repeatable chance.

/** A repeatable chance (mulberry32), of numbers from 0 to below `most`. */
export function makeChance(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

const SYLLABLES = ["ka", "ro", "tem", "li", "sun", "ber", "dor", "vi", "nel", "mo", "gra", "pe"] as const;

/** Different words of two to five syllables, some with a space. */
export function makeWords(count: number): readonly string[] {
  const chance = makeChance(7);
  const words = new Set<string>();
  const part = () =>
    Array.from({ length: 2 + chance(3) }, () => SYLLABLES[chance(SYLLABLES.length)]).join("");
  while (words.size < count) words.add(chance(3) === 0 ? `${part()} ${part()}` : part());
  return [...words];
}

/** Beginnings of values, over and over, by name. */
const HOSTILE: Readonly<Record<string, string>> = {
  digits: "4532015112830367",
  "digits in groups": "4532 0151 1283 0367 ",
  "single digits": "1 2 3 4 5 ",
  "bare digits": "536904399 ",
  "leading zeros": "030 901 ",
  hex: "0f3a9be1c2d4",
  "hex in pairs": "3c:22:",
  addresses: "a@a.a@",
  "long local parts": `${"a.b-c".repeat(12)}@`,
  tokens: "eyJ",
  "tokens with hyphens": "eyJ-",
  "parts of tokens": "eyJhbGciOiJIUzI1NiJ9.",
  "key prefixes": "sk-proj-",
  "short keys": "sk-proj-aB3dE5gH ",
  begins: "-----BEGIN ",
  "whole begins": "-----BEGIN RSA PRIVATE KEY-----\n",
  "begins with bodies": `-----BEGIN PRIVATE KEY-----\n${"aB3d".repeat(15)}\n`,
  urls: "a://b:c",
  hyphens: "-",
  colons: "a:",
  countries: "DE12 3456 7890 ",
  "words and digits": "ssn 536 90 ",
  assignments: "password=aB3dE5gHjK7 ",
};

export function makeHostile(characters: number): readonly (readonly [string, string])[] {
  return Object.entries(HOSTILE).map(([name, part]) => [
    name,
    part.repeat(Math.ceil(characters / part.length)).slice(0, characters),
  ]);
}
