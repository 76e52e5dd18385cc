// The limit on cache marks: more than four in one request are refused, so the least useful ones go.
import type { JsonObject } from "../../core/json.ts";
import type { Block } from "./content.ts";
import type { Turn } from "./conversation.ts";

/** Anthropic Messages API, "Prompt caching": breakpoints in one request. */
const MARKS_MAX = 4;

/** All that can carry a mark, in the order of the cached prefix. */
export interface Markable {
  readonly tools: readonly JsonObject[];
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
}

/**
 * The same with at most four marks: the first, which other conversations share, and the last three, which cover all
 * that stands before them.
 */
export function limitMarks(given: Markable): Markable & { readonly isChanged: boolean } {
  let total = 0;
  mapBlocks(given, () => {
    total += 1;
    return true;
  });
  if (total <= MARKS_MAX) return { ...given, isChanged: false };
  let index = -1;
  const kept = mapBlocks(given, () => {
    index += 1;
    return index === 0 || index > total - MARKS_MAX;
  });
  return { ...kept, isChanged: true };
}

function mapBlocks(given: Markable, keeps: () => boolean): Markable {
  const block = <B extends JsonObject>(one: B): B => {
    const content: unknown = one.content;
    const inner = Array.isArray(content) ? { ...one, content: content.map(block) } : one;
    if (inner.cache_control === undefined || keeps()) return inner;
    return { ...inner, cache_control: undefined }; // JSON leaves it out
  };
  return {
    tools: given.tools.map(block),
    system: given.system.map(block),
    turns: given.turns.map((turn) => ({ ...turn, content: turn.content.map(block) })),
  };
}
