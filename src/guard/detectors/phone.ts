// Telephone numbers: international ones by their + or 00, others after a word.
import { DIGITS, endsAt, isAlphanumeric, isDigit } from "../characters.ts";
import { digits } from "../checksums.ts";
import type { Detector, Span } from "../detector.ts";

const INTERNATIONAL_MIN = 8;
const INTERNATIONAL_MAX = 15;
const NATIONAL_MIN = 7;
const NATIONAL_MAX = 12;
/** The characters of so many digits, with a separator between each two, and brackets. */
const NATIONAL_CHARACTERS = NATIONAL_MIN * 2 + 1;
const PLUS = 43;
const ZERO = 48;
const OPEN = 40;
const CLOSE = 41;
/** A day in the international form, which has the digits of a telephone number. */
const DAY = /^(?:19|20)\d\d-[01]\d-[0-3]\d$/;

/** Where groups of digits end, how many digits they have, and whether something parts them. */
interface DigitGroups {
  readonly to: number;
  readonly count: number;
  readonly isParted: boolean;
}

function isSeparator(code: number): boolean {
  return code === 32 || code === 45 || code === 46;
}

/** Where a group ends, with its brackets, or -1. Its digits are put behind the `count` that were read. */
function readGroup(text: string, at: number, isOpen: boolean, count: number): number {
  const from = isOpen ? at + 1 : at;
  let to = from;
  while (to - from <= INTERNATIONAL_MAX && isDigit(text.charCodeAt(to))) {
    digits[count + to - from] = text.charCodeAt(to) - 48;
    to++;
  }
  if (to === from) return -1;
  if (isOpen) return text.charCodeAt(to) === CLOSE ? to + 1 : -1;
  return endsAt(text, to) ? to : -1;
}

/** Reads as many groups as fit into so many digits, with one separator between each two. One may stand in brackets. */
function readGroups(text: string, at: number, digitsMax: number): DigitGroups {
  let read: DigitGroups = { to: at, count: 0, isParted: false };
  let hasBrackets = false;
  for (let from = at; ; ) {
    const isOpen = text.charCodeAt(from) === OPEN;
    if (isOpen && hasBrackets) return read;
    hasBrackets ||= isOpen;
    const to = readGroup(text, from, isOpen, read.count);
    const count = read.count + to - from - (isOpen ? 2 : 0);
    if (to === -1 || count > digitsMax) return read;
    read = { to, count, isParted: isOpen || read.count > 0 };
    from = isSeparator(text.charCodeAt(to)) ? to + 1 : to;
    if (from === to && !isOpen && text.charCodeAt(to) !== OPEN) return read;
  }
}

/** `+1 … 555 01xx`: numbers of films and manuals. */
function isDocumented(count: number): boolean {
  return count === 11 && digits[0] === 1 && [5, 5, 5, 0, 1].every((digit, at) => digits[at + 4] === digit);
}

function findInternational(text: string, at: number, from: number): Span | null {
  if (!isDigit(text.charCodeAt(from)) || text.charCodeAt(from) === ZERO) return null;
  const { to, count } = readGroups(text, from, INTERNATIONAL_MAX);
  return count < INTERNATIONAL_MIN || isDocumented(count) ? null : { from: at, to };
}

/** True if the digits of a national number may follow: most numbers are shorter, and need no look for a word. */
function hasDigits(text: string, at: number): boolean {
  let count = 0;
  for (let place = at; place < at + NATIONAL_CHARACTERS; place++) {
    const code = text.charCodeAt(place);
    if (isDigit(code)) count++;
    else if (!(isSeparator(code) || code === OPEN || code === CLOSE)) return false;
    if (count === NATIONAL_MIN) return true;
  }
  return false;
}

function findNational(text: string, at: number): Span | null {
  const { to, count, isParted } = readGroups(text, at, NATIONAL_MAX);
  if (count < NATIONAL_MIN || !(isParted || digits[0] === 0)) return null;
  return DAY.test(text.slice(at, to)) ? null : { from: at, to };
}

function find(text: string, at: number, isAfterWord: () => boolean): Span | null {
  const code = text.charCodeAt(at);
  if (isAlphanumeric(text.charCodeAt(at - 1))) return null;
  if (code === PLUS) return findInternational(text, at, at + 1);
  const isLong = code === ZERO && text.charCodeAt(at + 1) === ZERO;
  const found = isLong ? findInternational(text, at, at + 2) : null;
  if (found !== null) return found;
  return hasDigits(text, at) && isAfterWord() ? findNational(text, at) : null;
}

export const PHONE: Detector = {
  name: "phone",
  group: "contact",
  mark: "PHONE",
  rule: "telephone numbers with + or 00 and 8 to 15 digits; others of 7 to 12 digits after a word",
  starts: `${DIGITS}+(`,
  asks: ({ hasTwoZeros }) => (hasTwoZeros ? "always" : "nearWord"),
  find,
  hasSpaces: true,
  words: ["tel", "phone", "telephone", "mobile", "mobil", "telefon", "cell", "fax", "call"],
};
