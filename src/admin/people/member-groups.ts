// The groups of the company's directory that people are in.
import type { Member } from "../../core/people/people.ts";
import type { AdminWorld } from "../world.ts";

/** By person. */
export type GroupNames = ReadonlyMap<string, readonly string[]>;

/** Returns the groups of the directory that these people are in, by person. */
export async function readDirectoryGroups(
  { store }: Pick<AdminWorld, "store">,
  members: readonly Member[],
): Promise<GroupNames> {
  const people = members.flatMap(({ id, directoryTurn }) => (directoryTurn === undefined ? [] : id));
  const found = await store.directory.memberships({ people });
  const named = Map.groupBy(found, ({ userId }) => userId);
  return new Map([...named].map(([id, own]) => [id, own.map(({ display }) => display)]));
}
