// Texts that a spreadsheet would read as a formula.
import { removeInvisible } from "../text/names.ts";

/** Some programs skip a tab or a carriage return, and what follows begins the cell. */
const SKIPPED = /^[\t\r]/;
const OPERATOR = /^[=+\-@]/;
/** Most texts begin like this, and need no closer look. */
const PLAIN = /^[\w{}[\]"'/#$]/;
/** The invisible characters before the first visible one are hardly more. */
const SEEN_MAX = 1000;

/** Returns a text that no spreadsheet takes as a formula: with an apostrophe before one. A full-width sign counts too. */
export function escapeFormula(text: string): string {
  if (PLAIN.test(text)) return text;
  const seen = removeInvisible(text.slice(0, SEEN_MAX).normalize("NFKC")).replace(/^[\s\p{Cc}]+/u, "");
  return SKIPPED.test(text) || OPERATOR.test(seen) ? `'${text}` : text;
}
