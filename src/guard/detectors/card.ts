// Card numbers: the prefixes of the networks, their lengths and groups, and Luhn's checksum.
import { endsAt, isDigit } from "../characters.ts";
import { checkLuhn, digits, readNumber } from "../checksums.ts";
import type { Detector, Span } from "../detector.ts";
import { type Form, HYPHEN, makeForm, readForm, SPACE } from "../forms.ts";

/** Numbers that networks and payment providers publish for tests. */
const TEST_CARDS: ReadonlySet<string> = new Set([
  "4111111111111111",
  "4242424242424242",
  "4000000000000002",
  "5555555555554444",
  "5105105105105100",
  "378282246310005",
  "371449635398431",
  "6011111111111117",
  "3530111333300000",
]);
const SIXTEEN = makeForm([4, 4, 4, 4], SPACE | HYPHEN);
const FIFTEEN = makeForm([4, 6, 5], SPACE | HYPHEN);
const FOURTEEN = makeForm([4, 6, 4], SPACE | HYPHEN);

function isAmex(first: number): boolean {
  return first >= 3400 && first < 3500 ? true : first >= 3700 && first < 3800;
}

function isDiners(first: number): boolean {
  return (
    (first >= 3600 && first < 3700) || (first >= 3800 && first < 3900) || (first >= 3000 && first < 3060)
  );
}

function isMastercard(first: number): boolean {
  return (first >= 5100 && first < 5600) || (first >= 2221 && first <= 2720);
}

function isDiscover(first: number): boolean {
  return first === 6011 || (first >= 6440 && first < 6600);
}

/** Visa, Mastercard, Discover, JCB, UnionPay: of sixteen digits. */
function hasSixteen(first: number): boolean {
  if (first >= 4000 && first < 5000) return true;
  if (isMastercard(first) || isDiscover(first)) return true;
  return (first >= 3528 && first < 3590) || (first >= 6200 && first < 6300);
}

/** The form of a number with these first four digits, or null if no network has them. */
function findForm(first: number): Form | null {
  if (hasSixteen(first)) return SIXTEEN;
  if (isAmex(first)) return FIFTEEN;
  return isDiners(first) ? FOURTEEN : null;
}

function readDigits(text: string, at: number, count: number): number {
  for (let read = 0; read < count; read++) {
    const code = text.charCodeAt(at + read);
    if (!isDigit(code)) return -1;
    digits[read] = code - 48;
  }
  return at + count;
}

/** True behind a decimal point: `0.5239477450767043` has the digits of a card. */
function isFraction(text: string, at: number): boolean {
  return text.charAt(at - 1) === "." && isDigit(text.charCodeAt(at - 2));
}

function findEnd(text: string, at: number, form: Form): number {
  if (!isDigit(text.charCodeAt(at + 4))) return readForm(text, at, form);
  // Without separators, networks other than American Express write sixteen digits.
  if (form === FOURTEEN || isFraction(text, at)) return -1;
  const to = readDigits(text, at, form.count);
  return to !== -1 && endsAt(text, to) ? to : -1;
}

function find(text: string, at: number): Span | null {
  if (readDigits(text, at, 4) === -1) return null;
  const form = findForm(readNumber(0, 4));
  if (form === null) return null;
  const to = findEnd(text, at, form);
  if (to === -1 || !checkLuhn(0, form.count)) return null;
  return TEST_CARDS.has(text.slice(at, to).replaceAll(/\D/g, "")) ? null : { from: at, to };
}

export const CARD: Detector = {
  name: "card",
  group: "finance",
  mark: "CARD",
  rule: "card numbers of 14 to 16 digits with a network's prefix and Luhn's checksum",
  starts: "23456",
  runs: [4, 15, 16],
  asks: ({ length, next, separator }) => {
    if (length > 4) return "always";
    return (separator & (SPACE | HYPHEN)) !== 0 && (next === 4 || next === 6) ? "always" : "never";
  },
  find,
  hasSpaces: true,
  isByContext: true,
};
