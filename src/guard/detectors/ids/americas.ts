// Ids of the United States, Canada and Brazil.
import { areAlike, checkLuhn, digits, readNumber } from "../../checksums.ts";
import type { Detector } from "../../detector.ts";
import { DOT, HYPHEN, makeForm, SPACE } from "../../forms.ts";
import { makeNumber } from "./number.ts";

const SOCIAL = makeForm([3, 2, 4], SPACE | HYPHEN);
/** Numbers that were printed in advertisements and on sample cards. */
const FAKE_SSNS = new Set(["078051120", "457555462", "219099999"]);

function isSsn(): boolean {
  const area = readNumber(0, 3);
  return area !== 0 && area !== 666 && readNumber(3, 2) !== 0 && readNumber(5, 4) !== 0;
}

function isItin(): boolean {
  const group = readNumber(3, 2);
  return (
    (group >= 50 && group <= 65) ||
    (group >= 70 && group <= 88) ||
    (group >= 90 && group <= 92) ||
    group >= 94
  );
}

function computeCpfDigit(count: number): number {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += (digits[at] ?? 0) * (count + 1 - at);
  return ((sum * 10) % 11) % 10;
}

function isCpf(): boolean {
  return !areAlike(11) && computeCpfDigit(9) === digits[9] && computeCpfDigit(10) === digits[10];
}

/** `390.533.447-05` */
const CPF = makeForm([3, 3, 3, 2], DOT | HYPHEN);

export const US_SSN: Detector = makeNumber({
  name: "us_ssn",
  mark: "SSN",
  rule: "social security numbers, 3-2-4 or after a word",
  forms: [SOCIAL],
  bare: [9],
  firsts: "012345678",
  words: ["ssn", "social security"],
  check: isSsn,
  fakes: FAKE_SSNS,
});

export const US_ITIN: Detector = makeNumber({
  name: "us_itin",
  mark: "ITIN",
  rule: "individual taxpayer numbers, 3-2-4 or after a word",
  forms: [SOCIAL],
  bare: [9],
  firsts: "9",
  words: ["itin", "individual taxpayer", "taxpayer identification"],
  check: isItin,
});

export const CA_SIN: Detector = makeNumber({
  name: "ca_sin",
  mark: "SIN",
  rule: "social insurance numbers, 3-3-3 or after a word, with Luhn's checksum",
  forms: [makeForm([3, 3, 3], SPACE | HYPHEN)],
  bare: [9],
  firsts: "12345679",
  words: ["sin", "social insurance", "assurance sociale"],
  check: () => checkLuhn(0, 9),
});

export const BR_CPF: Detector = makeNumber({
  name: "br_cpf",
  mark: "CPF",
  rule: "CPF numbers, 3.3.3-2 or after a word, with their checksum",
  forms: [CPF],
  bare: [11],
  words: ["cpf", "cadastro de pessoas físicas"],
  check: isCpf,
});
