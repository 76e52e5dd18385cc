// The search's synonyms, and the words that it ignores.
import rows from "./synonyms.yaml";

const ROWS: readonly string[] = rows;

/** Groups of phrases that stand for each other. */
export const SYNONYMS: readonly (readonly string[])[] = ROWS.map((row) => row.split(", "));

/** Words that say nothing about a question's subject. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be by can cant do does doesnt for from get got has have how i if in is isnt it its me my no not of
  on or our so such than that the their then there these they this to too use used was we were what when where which who why
  will with wont you your`.split(/\s+/),
);
