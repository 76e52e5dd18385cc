// Ids in digits of Australia, India and Korea.
import { digits, isDate, readNumber, sumWeighted } from "../../checksums.ts";
import type { Detector } from "../../detector.ts";
import { isHyphen, isSpaceOrHyphen, makeForm } from "../../forms.ts";
import { makeNumber } from "./number.ts";

const TFN_WEIGHTS = [1, 4, 3, 7, 5, 8, 6, 9, 10] as const;
const MEDICARE_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9] as const;
const RRN_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5] as const;
/** The century of birth, by the seventh digit. */
const RRN_CENTURIES = [1800, 1900, 1900, 2000, 2000, 1900, 1900, 2000, 2000, 1800] as const;
/** Places of registration go up to it. */
const RRN_PLACE_MAX = 96;

/** Verhoeff's tables: the products of the dihedral group of ten, and the permutations by place. */
const PRODUCTS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
] as const;
const PERMUTATIONS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
  [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
  [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
  [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
  [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
  [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
  [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
] as const;

function checkVerhoeff(count: number): boolean {
  let check = 0;
  for (let at = 0; at < count; at++) {
    const digit = PERMUTATIONS[at % 8]?.[digits[count - 1 - at] ?? 0] ?? 0;
    check = PRODUCTS[check]?.[digit] ?? 0;
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
  forms: [makeForm([3, 3, 3], isSpaceOrHyphen)],
  bare: [9],
  words: ["tfn", "tax file"],
  check: () => readNumber(0, 9) > 0 && sumWeighted(TFN_WEIGHTS) % 11 === 0,
});

export const AU_MEDICARE: Detector = makeNumber({
  name: "au_medicare",
  mark: "MEDICARE",
  rule: "Medicare numbers, 4-5-1 or after a word, with their checksum",
  forms: [makeForm([4, 5, 1], isSpaceOrHyphen)],
  bare: [10],
  words: ["medicare"],
  check: () =>
    (digits[0] ?? 0) >= 2 && (digits[0] ?? 0) <= 6 && sumWeighted(MEDICARE_WEIGHTS) % 10 === digits[8],
});

export const IN_AADHAAR: Detector = makeNumber({
  name: "in_aadhaar",
  mark: "AADHAAR",
  rule: "Aadhaar numbers, 4-4-4 or after a word, with Verhoeff's checksum",
  forms: [makeForm([4, 4, 4], isSpaceOrHyphen)],
  bare: [12],
  words: ["aadhaar", "aadhar", "uidai", "आधार"],
  check: () => (digits[0] ?? 0) >= 2 && !isPalindrome(12) && checkVerhoeff(12),
});

export const KR_RRN: Detector = makeNumber({
  name: "kr_rrn",
  mark: "RRN",
  rule: "resident registration numbers, 6-7 or after a word, with a valid date and the checksum of those before October 2020",
  forms: [makeForm([6, 7], isHyphen)],
  bare: [13],
  words: ["rrn", "resident registration", "주민등록번호"],
  check: isRrn,
});
