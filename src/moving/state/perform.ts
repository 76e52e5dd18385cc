// Makes the changes of a plan, one transaction each, in an order in which a repeat goes on where the last one stopped.
import type { Change, KeepSecret, Plan } from "./draft.ts";
import type { StateWorld } from "./known.ts";
import { writeMemory } from "./memory.ts";

interface Performing {
  readonly keep: KeepSecret;
  /** Called after each change. */
  readonly onChange: (change: Change) => void;
  /** True if the rest is left to a repeat. Asked before each change. Missing if there is none. */
  readonly isOver?: () => boolean;
}

/**
 * First what the file will have made is noted, so that nothing is made that a later pruning wouldn't know. Then accounts,
 * aliases, keys and tokens are made and changed, and at last what is pruned is removed. Throws the use cases' Faults.
 */
export async function performPlan(
  world: StateWorld,
  { file, changes, removals, entries, before }: Plan,
  { keep, onChange, isOver }: Performing,
): Promise<void> {
  const { store, clock } = world;
  const note = async (noted: Plan["entries"]) => {
    const pruned = removals.map(({ id }) => id);
    await writeMemory(store, file, { entries: noted, pruned, atMs: clock.nowMs() });
  };
  const names = new Map(entries.map((one) => [`${one.kind} ${one.id}`, one]));
  const left = before.entries.filter(({ kind, id }) => !names.has(`${kind} ${id}`));
  const changing = new Set(changes.map(({ kind, id }) => `${kind} ${id}`));
  const begun = entries.map((one) => (changing.has(`${one.kind} ${one.id}`) ? { ...one, digest: "" } : one));
  if (changes.length + removals.length > 0) await note([...begun, ...left]);
  for (const change of [...changes, ...removals]) {
    if (isOver?.()) return;
    await change.run(world, keep);
    onChange(change);
  }
  if (JSON.stringify(entries) !== JSON.stringify(before.entries)) await note(entries);
}
