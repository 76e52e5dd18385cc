// A list of patterns prepared for many names: thousands of tools are matched when a list is made.
import type { AllowedTools } from "../core/limits/member-limits.ts";
import { matchesPattern } from "../core/text/pattern.ts";

type IsNamed = (name: string) => boolean;

/** Patterns that name something, by the work that they take. */
class PatternSet {
  readonly #exact = new Set<string>();
  readonly #prefixes: string[] = [];
  readonly #others: string[] = [];
  #hasAll = false;

  add(pattern: string): void {
    const star = pattern.indexOf("*");
    if (star === -1) this.#exact.add(pattern);
    else if (pattern === "*") this.#hasAll = true;
    else if (star === pattern.length - 1) this.#prefixes.push(pattern.slice(0, -1));
    else this.#others.push(pattern);
  }

  has(name: string): boolean {
    if (this.#hasAll || this.#exact.has(name)) return true;
    for (const prefix of this.#prefixes) if (name.startsWith(prefix)) return true;
    for (const pattern of this.#others) if (matchesPattern(pattern, name)) return true;
    return false;
  }
}

/** Returns the same as `matchesPatterns` for each name. */
export function prepareMatcher(patterns: readonly string[]): IsNamed {
  const given = new PatternSet();
  const taken = new PatternSet();
  for (const pattern of patterns)
    if (pattern.startsWith("!")) taken.add(pattern.slice(1));
    else given.add(pattern);
  return (name) => given.has(name) && !taken.has(name);
}

/** Returns the same as `isToolAllowed` for each name. */
export function prepareLevels(levels: readonly AllowedTools[]): IsNamed {
  const matchers = levels.flatMap((level) => (level === null ? [] : [prepareMatcher(level)]));
  return (name) => matchers.every((matcher) => matcher(name));
}
