// Compares lists of allowed tools: whether one lets nothing pass that another doesn't.
import type { AllowedTools } from "../limits/member-limits.ts";
import { matchesPattern } from "../text/pattern.ts";

interface SplitList {
  readonly given: readonly string[];
  readonly taken: readonly string[];
}

/**
 * True if every tool that the list allows is allowed by the bound too, by the form of their patterns alone. A list of which
 * this can't be shown is refused: `["a*"]` within `["a*", "!ab"]` has to repeat `!ab`.
 */
export function isNarrower(tools: AllowedTools, bound: AllowedTools): boolean {
  if (bound === null) return true;
  const own = splitList(tools ?? ["*"]);
  const most = splitList(bound);
  const open = own.given.filter((pattern) => !isCovered(pattern, own.taken));
  return open.every(
    (pattern) =>
      isCovered(pattern, most.given) &&
      most.taken.every((taken) => isApart(taken, pattern) || isCovered(taken, own.taken)),
  );
}

function splitList(tools: readonly string[]): SplitList {
  return {
    given: tools.filter((pattern) => !pattern.startsWith("!")),
    taken: tools.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1)),
  };
}

/** A star of the pattern is matched by a star alone, so whatever the pattern matches is matched as well. */
function isCovered(pattern: string, by: readonly string[]): boolean {
  return by.some((one) => matchesPattern(one, pattern));
}

/** True if no text matches both, by what they begin and end with. */
function isApart(one: string, other: string): boolean {
  if (!one.includes("*")) return !matchesPattern(other, one);
  if (!other.includes("*")) return !matchesPattern(one, other);
  const starts = [one, other].map((pattern) => pattern.slice(0, pattern.indexOf("*")));
  const ends = [one, other].map((pattern) => pattern.slice(pattern.lastIndexOf("*") + 1));
  return (
    !starts.some((start) => starts.every((each) => start.startsWith(each))) ||
    !ends.some((end) => ends.every((each) => end.endsWith(each)))
  );
}
