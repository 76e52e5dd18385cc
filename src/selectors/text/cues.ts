// The hashed words, beginnings of words and characters of a task by which its kind is known in any language.
import { readCodes } from "./codes.ts";
import { HashSet } from "./hash-index.ts";
import { FNV_PRIME, FNV_START, finalizeHash, hashCodes, PAIR_PRIME } from "./ngrams.ts";

/** Where people say what they want: characters read from the head of a task, and from its tail. */
const HEAD_CHARS = 700;
const TAIL_CHARS = 300;
/** A cue in the first words, or in the last, is another than the same one elsewhere. */
const EDGE_CHARS = 48;
/** A text is expected to have at most a cue for this many characters. With more, the set grows. */
const CHARS_PER_CUE = 2;
/** The sizes of beginnings and endings of words, which their forms share. */
const STEM = 4;
const LONG_STEM = 6;
/** The hashes that words, beginnings and endings of words, signs and ideographs begin with. */
const WORD = startHash(1);
const HEAD = startHash(2);
const TAIL = startHash(3);
const SIGN_START = startHash(4);
const DENSE = startHash(5);
const EDGE_SALT = 0x51ed270b;
/** All numbers are one cue. */
const NUMBER = finalizeHash(Math.imul(48, PAIR_PRIME));

function startHash(salt: number): number {
  return Math.imul(FNV_START ^ salt, FNV_PRIME);
}

/** Scripts are told apart because texts in them share other amounts of cues. */
export const SCRIPTS = ["latin", "arabic", "han", "kana", "other"] as const;
const LATIN = 0;
const ARABIC = 1;
const HAN = 2;
const KANA = 3;
const OTHER = 4;

export interface Cues {
  /** Each once. Signed, but where they are learned from. */
  readonly hashes: Int32Array | Uint32Array;
  /** The place of the main script in SCRIPTS. */
  readonly script: number;
}

/** Emptied for each task. */
const FOUND = new HashSet(0);

/** Reads the cues of a task in lower case. Bounded work for a text of any length. */
export function readCues(task: string): Cues {
  const hashes = FOUND;
  hashes.clear(Math.min(task.length, HEAD_CHARS + TAIL_CHARS) / CHARS_PER_CUE);
  const letters = new Uint32Array(SCRIPTS.length);
  const reader = { hashes, letters };
  if (task.length <= HEAD_CHARS + TAIL_CHARS) readPart(reader, task, EDGE_CHARS, task.length - EDGE_CHARS);
  else {
    readPart(reader, task.slice(0, HEAD_CHARS), EDGE_CHARS, HEAD_CHARS);
    readPart(reader, task.slice(-TAIL_CHARS), 0, TAIL_CHARS - EDGE_CHARS);
  }
  // Japanese is written in both.
  const han = letters[HAN] ?? 0;
  const kana = letters[KANA] ?? 0;
  if (kana * 4 > han) letters[KANA] = kana + han;
  return { hashes: hashes.list(), script: letters.indexOf(Math.max(...letters)) };
}

interface CueReader {
  readonly hashes: HashSet;
  /** By script. */
  readonly letters: Uint32Array;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: with a function for each kind of token it took 1.8 times as long
function readPart({ hashes, letters }: CueReader, text: string, headTo: number, tailFrom: number): void {
  const codes = readCodes(text);
  let before = 0;
  for (let at = 0; at < text.length; ) {
    const start = at;
    const code = codes[at++] ?? 0;
    const sort = SORTS[code] ?? 0;
    let hash = NUMBER;
    if (sort >= LETTER) {
      hash = Math.imul(WORD ^ code, FNV_PRIME);
      let head = Math.imul(HEAD ^ code, FNV_PRIME);
      let shortHead = 0;
      for (let next = codes[at] ?? 0; (SORTS[next] ?? 0) >= LETTER; next = codes[++at] ?? 0) {
        hash = Math.imul(hash ^ next, FNV_PRIME);
        if (at - start < LONG_STEM) head = Math.imul(head ^ next, FNV_PRIME);
        if (at - start === STEM - 1) shortHead = head;
      }
      if (at - start > STEM) addStems(hashes, shortHead, codes, at - STEM, at);
      if (at - start > LONG_STEM) addStems(hashes, head, codes, at - LONG_STEM, at);
      hash = finalizeHash(hash);
    } else if (sort >= IDEOGRAPH) {
      hashes.add(hashRange(codes, start, start + 3, DENSE));
      hash = hashRange(codes, start, at, DENSE);
    } else if (sort === DIGIT) while (SORTS[codes[at] ?? 0] === DIGIT) at++;
    else {
      if (sort === SIGN) hashes.add(hashRange(codes, start, at, SIGN_START));
      continue;
    }
    if (sort >= IDEOGRAPH) letters[sort & SCRIPT] = (letters[sort & SCRIPT] ?? 0) + at - start;
    hashes.add(hash);
    if (before !== 0) hashes.add(finalizeHash(Math.imul(before, PAIR_PRIME) ^ hash));
    if (start < headTo || start >= tailFrom) hashes.add(finalizeHash(hash ^ EDGE_SALT));
    before = hash;
  }
}

/** Adds the beginning of a word, hashed while it was read, and its ending. */
function addStems(hashes: HashSet, head: number, codes: Uint16Array, from: number, to: number): void {
  hashes.add(finalizeHash(head));
  hashes.add(hashRange(codes, from, to, TAIL));
}

/** The sorts of characters. Letters and ideographs carry the place of their script. */
const SIGN = 1;
const DIGIT = 2;
const SCRIPT = 7;
const IDEOGRAPH = 8;
/** Letters belong to scripts that put spaces between words. */
const LETTER = 16;
/** The first and the last code of each range, and its sort. A later range is an exception to earlier ones. */
const RANGES = [
  [33, 0xffff, SIGN],
  [48, 57, DIGIT],
  [97, 122, LETTER | LATIN],
  [0xaa, 0x24f, LETTER | LATIN],
  [0x250, 0x1fff, LETTER | OTHER],
  [0x600, 0x77f, LETTER | ARABIC],
  [0x3400, 0xd7af, IDEOGRAPH | OTHER],
  [0x3040, 0x30ff, IDEOGRAPH | KANA],
  [0x4e00, 0x9fff, IDEOGRAPH | HAN],
] as const;
/** Marks among the letters of Latin and Arabic. */
const MARKS = "«»·¿×÷،؛؟٪";
const SORTS = makeSorts();

/** Returns the sort of each code, 0 for spaces. */
function makeSorts(): Uint8Array {
  const sorts = new Uint8Array(2 ** 16);
  for (const [first, last, sort] of RANGES) sorts.fill(sort, first, last + 1);
  for (const mark of MARKS) {
    const code = mark.charCodeAt(0);
    const script = (sorts[code] ?? 0) & SCRIPT;
    sorts[code] = script === LATIN ? SIGN : IDEOGRAPH | script;
  }
  return sorts;
}

function hashRange(codes: Uint16Array, from: number, to: number, start: number): number {
  return finalizeHash(hashCodes(codes, from, to, start));
}
