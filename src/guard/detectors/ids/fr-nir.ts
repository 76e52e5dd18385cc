// The French NIR: fifteen digits, of which the department may end in a letter.
import { endsAt, isDigit } from "../../characters.ts";
import type { Detector, Span } from "../../detector.ts";

const GROUPS = [1, 2, 2, 2, 3, 3, 2] as const;
const CHARACTERS = 15;
/** The place of the letter: 2A and 2B are Corsica. */
const LETTER_PLACE = 6;
const SPACE = 32;
const CORSICA: ReadonlyMap<string, string> = new Map([
  ["2A", "19"],
  ["2B", "18"],
]);

/** Reads the number's characters, with a space between groups or without any. */
function readCharacters(
  text: string,
  at: number,
): { readonly characters: string; readonly to: number } | null {
  const isSpaced = text.charCodeAt(at + 1) === SPACE;
  let characters = "";
  let to = at;
  for (const group of GROUPS) {
    if (isSpaced && characters !== "" && text.charCodeAt(to++) !== SPACE) return null;
    for (const end = to + group; to < end; to++) {
      const isLetter = characters.length === LETTER_PLACE && /[AB]/.test(text.charAt(to));
      if (!isLetter && !isDigit(text.charCodeAt(to))) return null;
      characters += text.charAt(to);
    }
  }
  return characters.length === CHARACTERS && endsAt(text, to) ? { characters, to } : null;
}

function find(text: string, at: number, isAfterWord: boolean): Span | null {
  const read = readCharacters(text, at);
  if (read === null) return null;
  const { characters, to } = read;
  const department = CORSICA.get(characters.slice(5, 7));
  if (department === undefined && /[AB]/.test(characters)) return null;
  // Without spaces and letters it is any number of fifteen digits.
  if (to - at === CHARACTERS && department === undefined && !isAfterWord) return null;
  const number = Number(
    characters.slice(0, 5) + (department ?? characters.slice(5, 7)) + characters.slice(7, 13),
  );
  return 97 - (number % 97) === Number(characters.slice(13)) ? { from: at, to } : null;
}

export const FR_NIR: Detector = {
  name: "fr_nir",
  group: "ids",
  mark: "NIR",
  rule: "numéros de sécurité sociale, in groups or after a word, with their key",
  starts: "123456789",
  runs: [1, CHARACTERS],
  find,
  words: ["nir", "insee", "sécurité sociale", "securite sociale"],
};
