// Patterns for model ids, in which `*` matches any characters.

/** No provider may have this name, so the pattern of all its models matches none. */
export const NO_PROVIDER = "None";
export const NO_MODELS = `${NO_PROVIDER}#*`;

/** True if any of the patterns matches the whole id. Case is ignored. */
export function matchesAny(patterns: readonly string[], id: string): boolean {
  const text = id.toLowerCase();
  for (const pattern of patterns)
    if (pattern === "*" || matchesPattern(pattern.toLowerCase(), text)) return true;
  return false;
}

/**
 * True if the pattern matches the whole text. Case counts. Takes at most the product of both lengths: clients send
 * patterns and texts, and a regular expression of many stars could take hours.
 */
export function matchesPattern(wanted: string, text: string): boolean {
  if (!wanted.includes("*")) return wanted === text;
  let at = 0;
  let place = 0;
  /** Where the last star stands, and up to where it has matched. */
  let star = -1;
  let matched = 0;
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
