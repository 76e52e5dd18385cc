// Lists of patterns that say which tools may be used: `*` matches any characters, `!` takes away whatever else is said.
import { matchesPattern } from "../text/pattern.ts";

/** True if the patterns allow the name. Case counts. An empty list allows nothing. */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
  let isAllowed = false;
  for (const pattern of patterns) {
    if (pattern.startsWith("!")) {
      if (matchesPattern(pattern.slice(1), name)) return false;
    } else if (!isAllowed) isAllowed = matchesPattern(pattern, name);
  }
  return isAllowed;
}

/** The most patterns of a list. */
export const TOOL_PATTERNS_MAX = 100;
