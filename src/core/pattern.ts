// Patterns for model ids: `*` matches any characters, and case is ignored.

/** True if any of the patterns matches the whole id. */
export function matchesAny(patterns: readonly string[], id: string): boolean {
  return patterns.some((pattern) => pattern === "*" || matches(pattern, id));
}

/**
 * Takes at most the product of both lengths: clients send patterns too, and a regular expression of many stars could take
 * hours.
 */
function matches(pattern: string, id: string): boolean {
  const [wanted, text] = [pattern.toLowerCase(), id.toLowerCase()];
  if (!wanted.includes("*")) return wanted === text;
  let [at, place] = [0, 0];
  /** Where the last star stands, and up to where it has matched. */
  let [star, matched] = [-1, 0];
  while (at < text.length) {
    if (wanted[place] === "*") {
      star = place++;
      matched = at;
    } else if (wanted[place] === text[at]) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++matched;
    } else return false;
  }
  while (wanted[place] === "*") place++;
  return place === wanted.length;
}

/** Returns an expression for the whole text, in which `*` matches any text: `gemini-*`. */
export function makePattern(pattern: string, flags: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, flags);
}
