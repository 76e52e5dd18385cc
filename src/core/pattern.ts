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
  const source = pattern
    .split("*")
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  const expression = new RegExp(`^${source}$`, "i");
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(pattern, expression);
  return expression;
}
