// What the gateway itself says to a model, in the turns of an API whose messages are lists of blocks.
import type { Turn } from "./turns.ts";

/**
 * Returns the turns with these blocks at the end of the newest one of the user's, or if `role` is `system`, in a message
 * behind it. The same list if there are none.
 */
export function sayInTurns<Block>(
  turns: readonly Turn<Block>[],
  blocks: readonly Block[],
  role: "user" | "system",
): readonly Turn<Block>[] {
  if (blocks.length === 0) return turns;
  const newest = turns.findLastIndex((turn) => turn.role === "user");
  const place = role === "system" ? newest + 1 : newest;
  const there = turns[place];
  if (there?.role === role) return turns.with(place, { role, content: [...there.content, ...blocks] });
  return turns.toSpliced(place, 0, { role, content: blocks });
}
