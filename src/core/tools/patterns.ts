// The rights to tools by lists of patterns, on several levels.
import { matchesPatterns } from "../fields/tool-list.ts";
import type { AllowedTools } from "../limits/member-limits.ts";

/** `name` is NAME_tool, unshortened. A tool passes every level that says something. */
export function isToolAllowed(levels: readonly AllowedTools[], name: string): boolean {
  for (const level of levels) if (level !== null && !matchesPatterns(level, name)) return false;
  return true;
}

/** True if every level takes all of the server and takes nothing of it away, as its prompts and resources need. */
export function isWholeServerAllowed(levels: readonly AllowedTools[], server: string): boolean {
  const prefix = `${server}_`;
  return levels.every((level) => level === null || takesWhole(level, prefix));
}

/** True if every level may allow some tool of the server. */
export function mayUseSome(levels: readonly AllowedTools[], server: string): boolean {
  const prefix = `${server}_`;
  for (const level of levels) if (level !== null && !mayTakeSome(level, prefix)) return false;
  return true;
}

function mayTakeSome(patterns: readonly string[], prefix: string): boolean {
  let canTake = false;
  for (const pattern of patterns) {
    if (pattern === "!*" || pattern === `!${prefix}*`) return false;
    canTake ||= !pattern.startsWith("!") && canTouch(pattern, prefix);
  }
  return canTake;
}

function takesWhole(patterns: readonly string[], prefix: string): boolean {
  const isTaken = patterns.some((pattern) => pattern === "*" || pattern === `${prefix}*`);
  return (
    isTaken && !patterns.some((pattern) => pattern.startsWith("!") && canTouch(pattern.slice(1), prefix))
  );
}

/** True if the pattern may match a name that begins with `prefix`. */
function canTouch(pattern: string, prefix: string): boolean {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern.startsWith(prefix);
  const head = pattern.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
}
