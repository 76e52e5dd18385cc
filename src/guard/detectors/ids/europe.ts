// Ids in digits of European countries.
import { checkLuhn, digits, isDate, readNumber, sumWeighted } from "../../checksums.ts";
import type { Detector } from "../../detector.ts";
import { HYPHEN, makeForm, PLUS, SPACE } from "../../forms.ts";
import { makeNumber } from "./number.ts";

const NHS_WEIGHTS = [10, 9, 8, 7, 6, 5, 4, 3, 2] as const;
const BSN_WEIGHTS = [9, 8, 7, 6, 5, 4, 3, 2, -1] as const;
const PESEL_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3] as const;
/** The centuries of birth, by the twenties that are added to the month. */
const PESEL_CENTURIES = [1900, 2000, 2100, 2200, 1800] as const;

function isNhs(): boolean {
  return (11 - (sumWeighted(NHS_WEIGHTS) % 11)) % 11 === digits[9];
}

function isBsn(): boolean {
  return readNumber(0, 9) > 0 && sumWeighted(BSN_WEIGHTS) % 11 === 0;
}

function isPesel(): boolean {
  const month = readNumber(2, 2);
  const century = PESEL_CENTURIES[Math.floor(month / 20)] ?? 0;
  if (!isDate(century + readNumber(0, 2), month % 20, readNumber(4, 2))) return false;
  return (10 - (sumWeighted(PESEL_WEIGHTS) % 10)) % 10 === digits[10];
}

/** True if one of the first ten digits stands there two or three times, and the others at most once. */
function hasOneRepeat(): boolean {
  const counts = new Uint8Array(10);
  for (let at = 0; at < 10; at++) counts[digits[at] ?? 0] = (counts[digits[at] ?? 0] ?? 0) + 1;
  const repeats = counts.filter((count) => count > 1);
  return repeats.length === 1 && (repeats[0] ?? 0) <= 3;
}

/** ISO 7064, mod 11,10. */
function isSteuerId(): boolean {
  if (!hasOneRepeat()) return false;
  let product = 10;
  for (let at = 0; at < 10; at++) {
    const sum = ((digits[at] ?? 0) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digits[10];
}

/** Coordination numbers have 60 added to the day. */
function isPersonnummer(count: number): boolean {
  const from = count - 10;
  const year = from === 2 ? readNumber(0, 4) : 2000 + readNumber(0, 2);
  return isDate(year, readNumber(from + 2, 2), readNumber(from + 4, 2) % 60) && checkLuhn(from, 10);
}

export const UK_NHS: Detector = makeNumber({
  name: "uk_nhs",
  mark: "NHS",
  rule: "NHS numbers, 3-3-4 or after a word, with their checksum",
  forms: [makeForm([3, 3, 4], SPACE | HYPHEN)],
  bare: [10],
  words: ["nhs", "national health"],
  check: isNhs,
});

export const NL_BSN: Detector = makeNumber({
  name: "nl_bsn",
  mark: "BSN",
  rule: "burgerservicenummers after a word, with their checksum",
  bare: [9],
  words: ["bsn", "burgerservicenummer", "sofi", "sofinummer"],
  check: isBsn,
});

export const PL_PESEL: Detector = makeNumber({
  name: "pl_pesel",
  mark: "PESEL",
  rule: "PESEL numbers after a word, with a valid date and their checksum",
  bare: [11],
  words: ["pesel"],
  check: isPesel,
});

export const DE_STEUERID: Detector = makeNumber({
  name: "de_steuerid",
  mark: "STEUERID",
  rule: "German tax ids, 2 3 3 3 or after a word, with their checksum",
  forms: [makeForm([2, 3, 3, 3], SPACE | HYPHEN)],
  bare: [11],
  firsts: "123456789",
  words: [
    "steuer-id",
    "steuerid",
    "idnr",
    "tin",
    "steueridentifikationsnummer",
    "steuer-identifikationsnummer",
    "steuerliche identifikationsnummer",
  ],
  check: isSteuerId,
});

export const SE_PNR: Detector = makeNumber({
  name: "se_pnr",
  mark: "PNR",
  rule: "personnummers with - or +, or after a word, with a valid date and Luhn's checksum",
  forms: [makeForm([6, 4], HYPHEN | PLUS), makeForm([8, 4], HYPHEN | PLUS)],
  bare: [10, 12],
  words: ["personnummer", "personnr", "pnr"],
  check: isPersonnummer,
});
