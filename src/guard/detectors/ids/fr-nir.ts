// The French NIR: fifteen digits, of which the department may end in a letter.
import { DIGITS, endsAt } from "../../characters.ts";
import type { Detector, Span } from "../../detector.ts";
import { SPACE as SPACE_SEPARATOR } from "../../forms.ts";

const CHARACTERS = 15;
const SPACE = 32;
/** The departments whose number ends in a letter count as these. */
const CORSICA: ReadonlyMap<string, string> = new Map([
  ["2A", "19"],
  ["2B", "18"],
]);

const SPACED = /\d \d\d \d\d \d[\dAB] \d{3} \d{3} \d\d/y;
const WHOLE = /\d{6}[\dAB]\d{8}/y;

function checkKey(number: string): boolean {
  const department = number.slice(5, 7);
  const whole = number.slice(0, 5) + (CORSICA.get(department) ?? department) + number.slice(7, 13);
  // A letter that isn't Corsica's makes it no number.
  return 97 - (Number(whole) % 97) === Number(number.slice(13));
}

function find(text: string, at: number, isAfterWord: () => boolean): Span | null {
  const isSpaced = text.charCodeAt(at + 1) === SPACE;
  if (isSpaced && text.charCodeAt(at + 4) !== SPACE) return null;
  const form = isSpaced ? SPACED : WHOLE;
  form.lastIndex = at;
  if (!form.test(text) || !endsAt(text, form.lastIndex)) return null;
  const to = form.lastIndex;
  const number = text.slice(at, to).replaceAll(" ", "");
  if (!checkKey(number)) return null;
  // Without spaces and letters it is any number of fifteen digits.
  return isSpaced || CORSICA.has(number.slice(5, 7)) || isAfterWord() ? { from: at, to } : null;
}

export const FR_NIR: Detector = {
  name: "fr_nir",
  group: "ids",
  mark: "NIR",
  rule: "numéros de sécurité sociale, in groups or after a word, with their key",
  starts: DIGITS,
  runs: [1, CHARACTERS],
  asks: ({ length, separator, next }) =>
    length > 1 || (separator === SPACE_SEPARATOR && next === 2) ? "always" : "never",
  find,
  hasSpaces: true,
  words: ["nir", "insee", "sécurité sociale", "securite sociale"],
};
