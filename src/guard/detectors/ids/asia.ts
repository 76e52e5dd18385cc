// Ids in digits of Australia, India and Korea.
import { digits, isDate, readNumber, sumWeighted } from "../../checksums.ts";
import type { Detector } from "../../detector.ts";
import { HYPHEN, makeForm, SPACE } from "../../forms.ts";
import { makeNumber } from "./number.ts";

const TFN_WEIGHTS = [1, 4, 3, 7, 5, 8, 6, 9, 10] as const;
const MEDICARE_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9] as const;
const RRN_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5] as const;
/** The century of birth, by the seventh digit. */
const RRN_CENTURIES = [1800, 1900, 1900, 2000, 2000, 1900, 1900, 2000, 2000, 1800] as const;
/** Places of registration go up to it. */
const RRN_PLACE_MAX = 96;

function makeTable(rows: readonly string[]): Uint8Array {
  return Uint8Array.from(rows.join(""), Number);
}

/** Verhoeff's tables: the products of the dihedral group of ten, and the permutations by place. */
const PRODUCTS = makeTable([
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
]);
const PERMUTATIONS = makeTable([
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
]);

function checkVerhoeff(count: number): boolean {
  let check = 0;
  for (let at = 0; at < count; at++) {
    const digit = PERMUTATIONS[(at % 8) * 10 + (digits[count - 1 - at] ?? 0)] ?? 0;
    check = PRODUCTS[check * 10 + digit] ?? 0;
  }
  return check === 0;
}

function isPalindrome(count: number): boolean {
  for (let at = 0; at < count / 2; at++) if (digits[at] !== digits[count - 1 - at]) return false;
  return true;
}

function isRrn(): boolean {
  const year = (RRN_CENTURIES[digits[6] ?? 0] ?? 0) + readNumber(0, 2);
  if (!isDate(year, readNumber(2, 2), readNumber(4, 2)) || readNumber(7, 2) > RRN_PLACE_MAX) return false;
  return (11 - (sumWeighted(RRN_WEIGHTS) % 11)) % 10 === digits[12];
}

export const AU_TFN: Detector = makeNumber({
  name: "au_tfn",
  mark: "TFN",
  rule: "tax file numbers, 3-3-3 or after a word, with their checksum",
  forms: [makeForm([3, 3, 3], SPACE | HYPHEN)],
  bare: [9],
  words: ["tfn", "tax file"],
  check: () => sumWeighted(TFN_WEIGHTS) % 11 === 0 && readNumber(0, 9) > 0,
});

export const AU_MEDICARE: Detector = makeNumber({
  name: "au_medicare",
  mark: "MEDICARE",
  rule: "Medicare numbers, 4-5-1 or after a word, with their checksum",
  forms: [makeForm([4, 5, 1], SPACE | HYPHEN)],
  bare: [10],
  firsts: "23456",
  words: ["medicare"],
  check: () => sumWeighted(MEDICARE_WEIGHTS) % 10 === digits[8],
});

export const IN_AADHAAR: Detector = makeNumber({
  name: "in_aadhaar",
  mark: "AADHAAR",
  rule: "Aadhaar numbers, 4-4-4 or after a word, with Verhoeff's checksum",
  forms: [makeForm([4, 4, 4], SPACE | HYPHEN)],
  bare: [12],
  firsts: "23456789",
  words: ["aadhaar", "aadhar", "uidai", "आधार"],
  check: () => !isPalindrome(12) && checkVerhoeff(12),
});

export const KR_RRN: Detector = makeNumber({
  name: "kr_rrn",
  mark: "RRN",
  rule: "resident registration numbers, 6-7 or after a word, with a valid date and the checksum of those before October 2020",
  forms: [makeForm([6, 7], HYPHEN)],
  bare: [13],
  words: ["rrn", "resident registration", "주민등록번호"],
  check: isRrn,
});
