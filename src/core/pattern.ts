// Patterns for model ids: `*` matches any characters, and case is ignored.

const compiled = new Map<string, RegExp>();
/** Patterns come from the configuration and from keys. More than this many means that every key has its own. */
const COMPILED_MAX = 1000;

/** True if any of the patterns matches the whole id. */
export function matchesAny(patterns: readonly string[], id: string): boolean {
  return patterns.some((pattern) => pattern === "*" || matches(pattern, id));
}

function matches(pattern: string, id: string): boolean {
  if (!pattern.includes("*")) return pattern.toLowerCase() === id.toLowerCase();
  const known = compiled.get(pattern) ?? compile(pattern);
  return known.test(id);
}

function compile(pattern: string): RegExp {
  const expression = makePattern(pattern, "i");
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(pattern, expression);
  return expression;
}

/** Returns an expression for the whole text, in which `*` matches any text: `gemini-*`. */
export function makePattern(pattern: string, flags: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, flags);
}
