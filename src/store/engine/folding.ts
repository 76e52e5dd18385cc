// Texts compared without regard to case. The engines' own `lower` isn't enough: SQLite's folds the letters of ASCII only,
// as PostgreSQL's does in some locales.
import { escapeLike } from "./sql.ts";

const BEYOND_ASCII = /[^\p{ASCII}]/gu;
type BindValue = (value: string) => string;

/** Any further letters of a text are compared as they are. Most alphabets have fewer. */
const SPELLINGS_MAX = 64;

/** Returns the condition that a column is the text, in any case. `bindValue` returns a placeholder. */
export function composeIs(column: string, text: string, bindValue: BindValue): string {
  const { folded, write } = foldText(text, bindValue);
  return `${write(column)} = ${bindValue(folded)}`;
}

/** Returns the condition that any of the columns contains the text, in any case. */
export function composeContains(columns: readonly string[], text: string, bindValue: BindValue): string {
  const { folded, write } = foldText(text, bindValue);
  const part = bindValue(`%${escapeLike(folded)}%`);
  return columns.map((column) => `${write(column)} LIKE ${part} ESCAPE '\\'`).join(" OR ");
}

/**
 * Besides `lower`, a column is only rewritten in those letters that the text has, so a text of ASCII costs nothing more.
 * That comes first, because some locales write a letter differently at the end of a word.
 */
function foldText(text: string, bindValue: BindValue) {
  const spellings = listSpellings(text);
  const folds = [...spellings].map((pair) => pair.map(bindValue).join(", "));
  return {
    folded: text.toLowerCase().replace(BEYOND_ASCII, (letter) => spellings.get(letter) ?? letter),
    write: (column: string) =>
      `lower(${folds.reduce((inner, letters) => `replace(${inner}, ${letters})`, column)})`,
  };
}

/** Returns the other spellings of the text's letters beyond ASCII, each with the letter by which both are replaced. */
function listSpellings(given: string): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const [letter] of given.matchAll(BEYOND_ASCII)) {
    const folded = foldLetter(letter);
    for (const spelling of [letter, letter.toUpperCase(), letter.toLowerCase()]) {
      const isLetter = spelling !== folded && [...spelling].length === 1;
      if (isLetter && spellings.size < SPELLINGS_MAX) spellings.set(spelling, folded);
    }
  }
  return spellings;
}

/** Returns the same letter for both cases, also for those that two small letters share, such as σ and ς. */
function foldLetter(letter: string): string {
  const folded = letter.toUpperCase().toLowerCase();
  return [...folded].length === 1 ? folded : letter.toLowerCase();
}
