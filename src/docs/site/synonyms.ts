// The search's synonyms, and the words that it ignores.
import rows from "./synonyms.yaml";

const ROWS: readonly string[] = rows;

/** Groups of phrases that stand for each other. */
export const SYNONYMS: readonly (readonly string[])[] = ROWS.map((row) => row.split(", "));

/** Words that say nothing about a question's subject. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be by can cant do does doesnt dont for from get got has have how i if in is isnt it its me much my no not of
  on or our so such than that the their then there these they this to too use used was we were what when where which who why
  will with wont you your`.split(/\s+/),
);

/** Words of many questions that say little about their subject. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `able add adding allow bug configure configured custom doc docs documentation enable feature gateway get getting
  implement implementation issue llm need option please possible poundkey problem question request run running see set specific start
  support tell using want way work working`.split(/\s+/),
);

/** Names of a gateway such as this one, as users of others have them in mind. The longest come first. */
export const SELF_NAMES: readonly string[] = [
  "litellm proxy server",
  "litellm proxy",
  "litellm server",
  "llm proxy",
  "llm gateway",
  "ai gateway",
];
