// Ids that have letters in them, so that they count without a word.
import { CAPITALS, DIGITS, endsAt, isDigit } from "../../characters.ts";
import { digits, isDate, readNumber } from "../../checksums.ts";
import type { Detector, Span } from "../../detector.ts";
import { HYPHEN as HYPHEN_SEPARATOR, PLUS } from "../../forms.ts";

const HYPHEN = 45;

/** Reads so many digits, as `digits`, and returns where they end, or -1. */
function readDigits(text: string, at: number, count: number, into = 0): number {
  for (let read = 0; read < count; read++) {
    const code = text.charCodeAt(at + read);
    if (!isDigit(code)) return -1;
    digits[into + read] = code - 48;
  }
  return at + count;
}

function findMatch(text: string, at: number, characters: number, form: RegExp): string | null {
  const part = text.slice(at, at + characters);
  return form.test(part) && endsAt(text, at + characters) ? part : null;
}

const NINO = /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/;
const SPACED_NINO = /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D]$/;

export const UK_NINO: Detector = {
  name: "uk_nino",
  group: "ids",
  mark: "NINO",
  rule: "National Insurance numbers, whole or by pairs",
  starts: CAPITALS,
  runs: [2, 9],
  find: (text, at) => {
    const isSpaced = text.charCodeAt(at + 2) === 32;
    const characters = isSpaced ? 13 : 9;
    const found = findMatch(text, at, characters, isSpaced ? SPACED_NINO : NINO);
    return found === null ? null : { from: at, to: at + characters };
  },
  hasSpaces: true,
};

const PAN = /^[A-Z]{3}[ABCFGHJKLPT][A-Z](?!0000)\d{4}[A-Z]$/;

export const IN_PAN: Detector = {
  name: "in_pan",
  group: "ids",
  mark: "PAN",
  rule: "Permanent Account Numbers of India",
  starts: CAPITALS,
  runs: [10],
  find: (text, at) => (findMatch(text, at, 10, PAN) === null ? null : { from: at, to: at + 10 }),
};

const NIF_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";
const NIE_LETTERS = "XYZ";

/** Reads digits, at most one hyphen, and the letter that belongs to them. `first` stands for the letter before them. */
function findNif(text: string, from: number, at: number, count: number, first: number): Span | null {
  const behind = readDigits(text, at, count);
  if (behind === -1) return null;
  const letter = text.charCodeAt(behind) === HYPHEN ? behind + 1 : behind;
  const number = first * 10_000_000 + readNumber(0, count);
  if (text.charAt(letter) !== NIF_LETTERS.charAt(number % 23) || !endsAt(text, letter + 1)) return null;
  return { from, to: letter + 1 };
}

export const ES_NIF: Detector = {
  name: "es_nif",
  group: "ids",
  mark: "NIF",
  rule: "DNI and NIE numbers with their letter",
  starts: `${DIGITS}${NIE_LETTERS}`,
  runs: [1, 8, 9],
  asks: ({ length }) => (length > 1 ? "always" : "never"),
  find: (text, at) => {
    const first = NIE_LETTERS.indexOf(text.charAt(at));
    if (first === -1) return findNif(text, at, at, 8, 0);
    return findNif(text, at, text.charCodeAt(at + 1) === HYPHEN ? at + 2 : at + 1, 7, first);
  },
};

/** Digits, and the letters that stand for them where two people would have the same code. */
const CF_DIGIT = "[0-9LMNPQRSTUV]";
const CF = new RegExp(`^[A-Z]{6}${CF_DIGIT}{2}[ABCDEHLMPRST]${CF_DIGIT}{2}[A-Z]${CF_DIGIT}{3}[A-Z]$`);
/** By rank of a digit, or of a letter. */
const CF_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
] as const;

function checkCf(code: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const unit = code.charCodeAt(at);
    const rank = isDigit(unit) ? unit - 48 : unit - 65;
    sum += at % 2 === 0 ? (CF_ODD[rank] ?? 0) : rank;
  }
  return code.charCodeAt(15) === 65 + (sum % 26);
}

export const IT_CF: Detector = {
  name: "it_cf",
  group: "ids",
  mark: "CF",
  rule: "codici fiscali of people with their check letter",
  starts: CAPITALS,
  runs: [16],
  find: (text, at) => {
    const code = findMatch(text, at, 16, CF);
    return code !== null && checkCf(code) ? { from: at, to: at + 16 } : null;
  },
};

const NRIC = /^[STFG]\d{7}[A-Z]$/;
const NRIC_WEIGHTS = [2, 7, 6, 5, 4, 3, 2] as const;
const NRIC_LETTERS = { citizens: "JZIHGFEDCBA", others: "XWUTRQPNMLK" } as const;

function checkNric(id: string): boolean {
  let sum = id.startsWith("T") || id.startsWith("G") ? 4 : 0;
  for (const [at, weight] of NRIC_WEIGHTS.entries()) sum += (id.charCodeAt(at + 1) - 48) * weight;
  const letters = id.startsWith("S") || id.startsWith("T") ? NRIC_LETTERS.citizens : NRIC_LETTERS.others;
  return id.charAt(8) === letters.charAt(sum % 11);
}

export const SG_NRIC: Detector = {
  name: "sg_nric",
  group: "ids",
  mark: "NRIC",
  rule: "NRIC and FIN numbers with their letter",
  starts: "STFG",
  runs: [9],
  find: (text, at) => {
    const id = findMatch(text, at, 9, NRIC);
    return id !== null && checkNric(id) ? { from: at, to: at + 9 } : null;
  },
};

const HETU = /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]$/;
const HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY";
/** The century of birth by the sign: before 1900, before 2000, and from then on. */
const HETU_BEFORE_2000 = "-UVWXY";

function checkHetu(id: string): boolean {
  readDigits(id, 0, 6);
  readDigits(id, 7, 3, 6);
  const sign = id.charAt(6);
  const century = sign === "+" ? 1800 : HETU_BEFORE_2000.includes(sign) ? 1900 : 2000;
  const person = readNumber(6, 3);
  if (!isDate(century + readNumber(4, 2), readNumber(2, 2), readNumber(0, 2))) return false;
  return person >= 2 && person <= 899 && id.charAt(10) === HETU_LETTERS.charAt(readNumber(0, 9) % 31);
}

export const FI_HETU: Detector = {
  name: "fi_hetu",
  group: "ids",
  mark: "HETU",
  rule: "henkilötunnukset with a valid date and their check character",
  starts: "0123",
  runs: [6, 11],
  asks: ({ length, separator, next }) => {
    if (length > 6) return "always";
    return (separator & (HYPHEN_SEPARATOR | PLUS)) !== 0 && (next === 3 || next === 4) ? "always" : "never";
  },
  find: (text, at) => {
    const id = findMatch(text, at, 11, HETU);
    return id !== null && checkHetu(id) ? { from: at, to: at + 11 } : null;
  },
};

const CN_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2] as const;
const CN_LETTERS = "10X98765432";

export const CN_ID: Detector = {
  name: "cn_id",
  group: "ids",
  mark: "CNID",
  rule: "Chinese resident ids of 18 characters with a valid date and their checksum",
  starts: "123456789",
  runs: [18],
  find: (text, at) => {
    if (readDigits(text, at, 17) === -1) return null;
    if (!isDate(readNumber(6, 4), readNumber(10, 2), readNumber(12, 2))) return null;
    let sum = 0;
    for (const [place, weight] of CN_WEIGHTS.entries()) sum += (digits[place] ?? 0) * weight;
    return text.charAt(at + 17).toUpperCase() === CN_LETTERS.charAt(sum % 11)
      ? { from: at, to: at + 18 }
      : null;
  },
};
