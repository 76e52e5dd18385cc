// The hashed words, beginnings of words and characters of a task by which its kind is known in any language.
import { readCodes } from "./codes.ts";
import { HashSet } from "./hash-index.ts";
import { FNV_PRIME, FNV_START, hashCodes } from "./ngrams.ts";

/** Where people say what they want: characters read from the head of a task, and from its tail. */
const HEAD_CHARS = 700;
const TAIL_CHARS = 300;
/** A cue in the first words, or in the last, is another than the same one elsewhere. */
const EDGE_CHARS = 48;
const PAIR_PRIME = 0x9e3779b1;
/** The sizes of beginnings and endings of words, which their forms share. */
const STEMS = [4, 6] as const;
const WORD_SALT = 1;
const STEM_SALT = 2;
const TAIL_SALT = 3;
const SIGN_SALT = 4;
const DENSE_SALT = 5;
const EDGE_SALT = 0x51ed270b;
const DIGITS = 48;
const SPACE = 32;

/** Scripts are told apart because texts in them share other amounts of cues. */
export const SCRIPTS = ["latin", "arabic", "han", "kana", "other"] as const;
const HAN = 2;
const KANA = 3;

export interface Cues {
  /** Each once. Signed, but where they are learned from. */
  readonly hashes: Int32Array | Uint32Array;
  /** The place of the main script in SCRIPTS. */
  readonly script: number;
}

/** Reads a task's cues. Bounded work for a text of any length. */
export function readCues(task: string): Cues {
  const text = task.toLowerCase();
  const hashes = new HashSet();
  const letters = new Uint32Array(SCRIPTS.length);
  const reader = { hashes, letters };
  if (text.length <= HEAD_CHARS + TAIL_CHARS) readPart(reader, text, EDGE_CHARS, text.length - EDGE_CHARS);
  else {
    readPart(reader, text.slice(0, HEAD_CHARS), EDGE_CHARS, HEAD_CHARS);
    readPart(reader, text.slice(-TAIL_CHARS), 0, TAIL_CHARS - EDGE_CHARS);
  }
  // Japanese is written in both.
  const [han = 0, kana = 0] = [letters[HAN], letters[KANA]];
  if (kana * 4 > han) letters[KANA] = kana + han;
  return { hashes: hashes.list(), script: letters.indexOf(Math.max(...letters)) };
}

interface Reader {
  readonly hashes: HashSet;
  /** By script. */
  readonly letters: Uint32Array;
}

function readPart(reader: Reader, text: string, headTo: number, tailFrom: number): void {
  const { hashes } = reader;
  const part = readCodes(text);
  let before = 0;
  for (let at = 0; at < text.length; ) {
    const start = at;
    at = findEnd(part, at);
    const hash = readToken(reader, part, start, at);
    if (hash === 0) continue;
    hashes.add(hash);
    if (before !== 0) hashes.add(finalize(Math.imul(before, PAIR_PRIME) ^ hash));
    if (start < headTo || start >= tailFrom) hashes.add(finalize(hash ^ EDGE_SALT));
    before = hash;
  }
}

/** Returns where a word, a number or a single sign ends. */
function findEnd(part: Uint16Array, start: number): number {
  const code = part[start] ?? 0;
  let at = start + 1;
  if (isLetter(code)) while (isLetter(part[at] ?? 0)) at++;
  else if (isDigit(code)) while (isDigit(part[at] ?? 0)) at++;
  return at;
}

/** Returns the hash of a word, a number or an ideograph. 0 for anything else, which is read by itself. */
function readToken({ hashes, letters }: Reader, part: Uint16Array, start: number, end: number): number {
  const code = part[start] ?? 0;
  const script = findScript(code);
  if (isDigit(code)) return finalize(DIGITS * PAIR_PRIME);
  if (script < 0) {
    if (code > SPACE) hashes.add(hashRange(part, start, end, SIGN_SALT));
    return 0;
  }
  letters[script] = (letters[script] ?? 0) + end - start;
  if (!isLetter(code)) {
    hashes.add(hashRange(part, start, start + 3, DENSE_SALT));
    return hashRange(part, start, end, DENSE_SALT);
  }
  for (const size of STEMS) {
    if (end - start <= size) break;
    hashes.add(hashRange(part, start, start + size, STEM_SALT));
    hashes.add(hashRange(part, end - size, end, TAIL_SALT));
  }
  return hashRange(part, start, end, WORD_SALT);
}

function isDigit(code: number): boolean {
  return code >= DIGITS && code < DIGITS + 10;
}

/** Returns the place in SCRIPTS of a letter or ideograph. −1 for anything else. */
function findScript(code: number): number {
  if (code < 0x250) return isLetter(code) ? 0 : -1;
  if (code >= 0x600 && code < 0x780) return 1;
  if (code >= 0x4e00 && code <= 0x9fff) return 2;
  if (code >= 0x3040 && code < 0x3100) return 3;
  return code < 0x2000 || (code >= 0x3400 && code <= 0xd7af) ? 4 : -1;
}

/** True for a letter of a script that puts spaces between words. */
function isLetter(code: number): boolean {
  return LETTERS[code] === 1;
}

/** Marks among the letters of Latin, Greek and Arabic. */
const MARKS = new Set([..."«»·¿×÷;·،؛؟٪"].map((mark) => mark.charCodeAt(0)));
/** By code, 1 for letters, because each character is looked at several times. */
const LETTERS = Uint8Array.from({ length: 2 ** 16 }, (_, code) => {
  if (code < 128) return Number(code >= 97 && code <= 122);
  return Number(code >= 0xaa && code < 0x2000 && !MARKS.has(code));
});

function hashRange(codes: Uint16Array, from: number, to: number, salt: number): number {
  return finalize(hashCodes(codes, from, to, Math.imul(FNV_START ^ salt, FNV_PRIME)));
}

function finalize(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
