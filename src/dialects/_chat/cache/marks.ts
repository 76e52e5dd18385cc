// Cache marks: at most four per request, since more are refused, and the ones set for clients that set none.
import type { MarkTime } from "../../../core/models/words/cache-marks.ts";
import type { Turn } from "../turns.ts";

/** Everything that can hold a mark, in the order of the cached prefix. */
export interface Cacheable<Block> {
  readonly tools: readonly Block[];
  readonly system: readonly Block[];
  readonly turns: readonly Turn<Block>[];
}

/** An API's form of marks, in one list of blocks. */
export interface MarkForm<Block> {
  /** Calls `keeps` for each mark, in order, and removes it if that is false. */
  filter(blocks: readonly Block[], keeps: () => boolean): readonly Block[];
  /** Marks the end of the list. */
  set(blocks: readonly Block[], place: keyof Cacheable<Block>): readonly Block[];
}

/** Returns the fields of Anthropic's mark. */
export function makeMark(time: MarkTime) {
  return { cache_control: time === "5m" ? { type: "ephemeral" } : { type: "ephemeral", ttl: time } };
}

/** Anthropic Messages API and Amazon Bedrock, "Prompt caching": breakpoints per request. */
const MARKS_MAX = 4;
/** The number of user turns to mark: the last, and the one up to which the previous request was marked. */
const TURNS_MARKED = 2;

/** Replaces each list of blocks. */
export function mapLists<Block>(
  { tools, system, turns }: Cacheable<Block>,
  map: (blocks: readonly Block[], place: keyof Cacheable<Block>) => readonly Block[],
): Cacheable<Block> {
  return {
    tools: map(tools, "tools"),
    system: map(system, "system"),
    turns: turns.map((turn) => ({ ...turn, content: map(turn.content, "turns") })),
  };
}

function countMarks<Block>(given: Cacheable<Block>, form: MarkForm<Block>): number {
  let count = 0;
  mapLists(given, (blocks) => form.filter(blocks, () => ++count > 0));
  return count;
}

/**
 * Keeps at most four marks: the first, which other conversations share, and the last three, which cover everything
 * before them.
 */
export function limitMarks<Block>(
  given: Cacheable<Block>,
  form: MarkForm<Block>,
): Cacheable<Block> & { readonly isChanged: boolean } {
  const total = countMarks(given, form);
  if (total <= MARKS_MAX) return { ...given, isChanged: false };
  let index = 0;
  const keeps = () => index++ === 0 || index > total - MARKS_MAX + 1;
  return { ...mapLists(given, (blocks) => form.filter(blocks, keeps)), isChanged: true };
}

/**
 * Marks the ends of the tools, the system prompt and the last two user turns, which covers a growing conversation.
 * Returns the same object if the client has set a mark.
 */
export function setMarks<Block>(given: Cacheable<Block>, form: MarkForm<Block>): Cacheable<Block> {
  if (countMarks(given, form) > 0) return given;
  const users = given.turns.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const marked = new Set(users.slice(-TURNS_MARKED));
  return {
    tools: form.set(given.tools, "tools"),
    system: form.set(given.system, "system"),
    turns: given.turns.map((turn, at) =>
      marked.has(at) ? { ...turn, content: form.set(turn.content, "turns") } : turn,
    ),
  };
}
