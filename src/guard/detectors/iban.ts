// IBANs: the length of their country, whole or in groups of four, and the remainder by 97.
import { endsAt, isCapital, isDigit } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

const COUNTRIES = (
  "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 " +
  "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 " +
  "MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 " +
  "TR26 UA29 VA22 VG24 XK20"
)
  .split(" ")
  .map((row) => ({ country: row.slice(0, 2), length: Number(row.slice(2)) }));
const LETTERS = 26;
/** By the ranks of the country's letters. */
const LENGTHS = new Uint8Array(LETTERS * LETTERS);
for (const { country, length } of COUNTRIES) LENGTHS[rankCountry(country, 0)] = length;
const GROUP = 4;
const SPACE = 32;

function rankCountry(text: string, at: number): number {
  return (text.charCodeAt(at) - 65) * LETTERS + text.charCodeAt(at + 1) - 65;
}

/** 0 for what is no country. */
function findLength(text: string, at: number): number {
  return isCapital(text.charCodeAt(at + 1)) ? (LENGTHS[rankCountry(text, at)] ?? 0) : 0;
}

/** A number below it can take one more character and stay an integer of 32 bits: to divide is slow. */
const UNDIVIDED_MAX = 20_000_000;

/** Appends a character to a number of which only the remainder by 97 counts: a digit as one place, a letter as two. */
function addCharacter(number: number, code: number): number {
  const small = number < UNDIVIDED_MAX ? number : number % 97;
  return isDigit(code) ? small * 10 + code - 48 : small * 100 + code - 55;
}

/** Check digits go from 02 to 98: others, such as 00, may have the right remainder too. */
function hasCheckDigits(text: string, at: number): boolean {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  if (!isDigit(tens) || !isDigit(ones)) return false;
  const check = (tens - 48) * 10 + ones - 48;
  return check >= 2 && check <= 98;
}

function find(text: string, at: number): Span | null {
  if (!hasCheckDigits(text, at + 2)) return null;
  const length = findLength(text, at);
  if (length === 0) return null;
  const isGrouped = text.charCodeAt(at + GROUP) === SPACE;
  // Its end is looked at first, since most others fail there.
  if (!endsAt(text, at + length + (isGrouped ? Math.floor((length - 1) / GROUP) : 0))) return null;
  let number = 0;
  let to = at + GROUP;
  for (let read = GROUP; read < length; read++, to++) {
    if (isGrouped && read % GROUP === 0 && text.charCodeAt(to++) !== SPACE) return null;
    const code = text.charCodeAt(to);
    if (!isDigit(code) && !isCapital(code)) return null;
    number = addCharacter(number, code);
  }
  for (let first = at; first < at + GROUP; first++) number = addCharacter(number, text.charCodeAt(first));
  return number % 97 === 1 ? { from: at, to } : null;
}

export const IBAN: Detector = {
  name: "iban",
  group: "finance",
  mark: "IBAN",
  rule: "IBANs of their country's length, whole or in groups of four, with their checksum",
  starts: [...new Set(COUNTRIES.map(({ country }) => country.charAt(0)))].join(""),
  runs: [GROUP, ...new Set(COUNTRIES.map(({ length }) => length))],
  find,
  hasSpaces: true,
};
