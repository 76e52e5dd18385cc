// Cache marks: at most four per request, since more are refused, and the ones set for clients that set none.
import type { JsonObject } from "../../core/json.ts";
import type { Block } from "./content.ts";
import type { Turn } from "./conversation.ts";

/** Anthropic Messages API, "Prompt caching": breakpoints per request. */
const MARKS_MAX = 4;

/** Everything that can carry a mark, in the order of the cached prefix. */
interface Markable {
  readonly tools: readonly JsonObject[];
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
}

/**
 * Keeps at most four marks: the first, which other conversations share, and the last three, which cover everything
 * before them.
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

/** The number of user turns to mark: the last, and the one up to which the previous request was marked. */
const TURNS_MARKED = 2;
const MARK = { cache_control: { type: "ephemeral" } };
/** Blocks that can't carry a mark (Messages API, "What cannot be cached"). */
const UNMARKABLE: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/**
 * Marks the last tool, the last system block and the last two user turns, which covers a growing conversation. Changes
 * nothing if the client has set a mark.
 */
export function setMarks(given: Markable): Markable {
  let hasOwn = false;
  mapBlocks(given, () => {
    hasOwn = true;
    return true;
  });
  if (hasOwn) return given;
  const users = given.turns.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const marked = new Set(users.slice(-TURNS_MARKED));
  return {
    tools: markLast(given.tools),
    system: markLast(given.system),
    turns: given.turns.map((turn, at) =>
      marked.has(at) ? { ...turn, content: markLast(turn.content) } : turn,
    ),
  };
}

function markLast<B extends JsonObject>(blocks: readonly B[]): readonly B[] {
  const last = blocks.findLastIndex(({ type, text }) => !UNMARKABLE.has(type) && text !== "");
  return blocks.map((block, at) => (at === last ? { ...block, ...MARK } : block));
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
