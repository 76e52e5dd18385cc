// The classes of characters that separate values from the text beside them.

const ASCII = 128;

/** 1 for each of these characters. */
export function markAscii(characters: string): Uint8Array {
  const marks = new Uint8Array(ASCII);
  for (const character of characters) marks[character.charCodeAt(0)] = 1;
  return marks;
}

export const DIGITS = "0123456789";
export const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const LETTERS = `${CAPITALS}${CAPITALS.toLowerCase()}`;
export const HEX = `${DIGITS}abcdefABCDEF`;
const ALPHANUMERIC = markAscii(DIGITS + LETTERS);
const TOKEN = markAscii(`${DIGITS}${LETTERS}_-`);
const BASE64 = markAscii(`${DIGITS}${LETTERS}+/`);

/** ASCII letters and digits alone: Chinese and Japanese have no spaces, so their letters may stand beside a value. */
export function isAlphanumeric(code: number): boolean {
  return code < ASCII && ALPHANUMERIC[code] === 1;
}

/** The characters of tokens: base64url. */
export function isToken(code: number): boolean {
  return code < ASCII && TOKEN[code] === 1;
}

export function isBase64(code: number): boolean {
  return code < ASCII && BASE64[code] === 1;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

export function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

export function isHex(code: number): boolean {
  const lower = code | 32;
  return isDigit(code) || (lower >= 97 && lower <= 102);
}

/** True for the two halves of a character outside the basic plane. */
export function isPair(first: number, second: number): boolean {
  return first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
}

/** True if no ASCII letter or digit follows: NaN, behind the text's end, is none. */
export function endsAt(text: string, at: number): boolean {
  return !isAlphanumeric(text.charCodeAt(at));
}

/** The number of digits from here on, at most so many. */
export function countDigits(text: string, at: number, most: number): number {
  let count = 0;
  while (count < most && isDigit(text.charCodeAt(at + count))) count++;
  return count;
}

/** The end of a run of such characters, at most so many. */
export function findRunEnd(
  text: string,
  at: number,
  charactersMax: number,
  isIn: (code: number) => boolean,
): number {
  const limit = Math.min(text.length, at + charactersMax);
  let end = at;
  while (end < limit && isIn(text.charCodeAt(end))) end++;
  return end;
}

const UNITS = 65_536;
/** Ranges of Latin, Greek and Cyrillic letters. */
const LETTER_RANGES = [
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0xaa, 0xaa],
  [0xb5, 0xb5],
  [0xba, 0xba],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2af],
  [0x370, 0x373],
  [0x376, 0x37d],
  [0x37f, 0x37f],
  [0x386, 0x386],
  [0x388, 0x3ff],
  [0x400, 0x481],
  [0x48a, 0x52f],
  [0x1c80, 0x1c8f],
  [0x1e00, 0x1fff],
  [0x2c60, 0x2c7f],
  [0xa640, 0xa69f],
  [0xa720, 0xa7ff],
  [0xfb00, 0xfb06],
  [0xff21, 0xff3a],
  [0xff41, 0xff5a],
] as const;
/** The first of ten digits each. */
const DIGIT_STARTS = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xff10] as const;
const SPACE = 32;
const SPACES = "\t\n\v\f\r\u00a0\u2007\u202f\u3000";

interface WordTables {
  /** 1 for what may not stand beside a word. */
  readonly beside: Uint8Array;
  /** Each character without case; spaces as one kind. */
  readonly folds: Uint16Array;
  /** The same, with `_` and `-` as spaces: fields' names. */
  readonly nameFolds: Uint16Array;
}

let tables: WordTables | null = null;

/** Made when first asked for: a gateway without rules needs none. */
export function readWordTables(): WordTables {
  tables ??= makeWordTables();
  return tables;
}

function makeWordTables(): WordTables {
  const beside = new Uint8Array(UNITS);
  const folds = new Uint16Array(UNITS);
  for (let code = 0; code < UNITS; code++) folds[code] = code;
  for (const [first, last] of LETTER_RANGES) {
    beside.fill(1, first, last + 1);
    for (let code = first; code <= last; code++) {
      const lower = String.fromCharCode(code).toLowerCase();
      if (lower.length === 1) folds[code] = lower.charCodeAt(0);
    }
  }
  for (const first of DIGIT_STARTS) beside.fill(1, first, first + 10);
  for (const space of SPACES) folds[space.charCodeAt(0)] = SPACE;
  const nameFolds = folds.slice();
  for (const character of "_-") nameFolds[character.charCodeAt(0)] = SPACE;
  return { beside, folds, nameFolds };
}
