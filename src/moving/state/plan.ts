// The plan of a state file: every change that would be made, before it is made, and everything that stays.
import { nameNode } from "../../core/live-nodes.ts";
import type { PlainThing } from "../../core/things/plain.ts";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";
import { planAliases } from "./aliases.ts";
import { Draft, type Plan } from "./draft.ts";
import type { Kind, State } from "./file.ts";
import { type KnownState, learnAlias, readKnown, type StateWorld } from "./known.ts";
import { planLessons } from "./lessons.ts";
import { type MemoryEntry, readMemory } from "./memory.ts";
import { planAccounts, planKeys } from "./owners.ts";
import { planThings } from "./plain.ts";
import { planPruning } from "./prune.ts";
import { planTokens } from "./tokens.ts";

interface PlanOptions {
  readonly file: string;
  readonly isPruning: boolean;
  readonly things?: readonly PlainThing[];
}

/** Reads the store and changes nothing. With issues, the plan isn't complete. */
export async function planState(
  world: StateWorld,
  state: State,
  { file, isPruning, things = PLAIN_THINGS }: PlanOptions,
): Promise<Plan> {
  const memory = await readMemory(world.store, file);
  const draft = new Draft(await readKnown(world, things), memory, state);
  for (const { name } of state.aliases) {
    // It gets its time when it is made, which is before any key is.
    if (!draft.known.aliases.has(name)) learnAlias(world, name, world.clock.nowMs());
  }
  const accounts = planAccounts(draft, world);
  planAliases(draft, world);
  planKeys(draft, accounts, world);
  planTokens(draft, accounts, world);
  planThings(draft, accounts, world);
  planLessons(draft, world);
  const removals = planPruning(draft, isPruning);
  const { issues, changes, kept, unchanged, entries, known } = draft;
  return {
    file,
    issues,
    changes,
    removals,
    kept,
    unchanged,
    before: memory,
    entries,
    others: countOthers(known, [...entries, ...removals]),
    olderNodes: (await world.changes.listStopped(draft.rows)).map(nameNode),
    nameAccount: (id) => accounts.nameOf(id),
  };
}

function countOthers(
  { accounts, keys, aliases, tokens, things }: KnownState,
  own: readonly Pick<MemoryEntry, "kind" | "id">[],
): number {
  const ids = new Set(own.map(({ kind, id }) => `${kind} ${id}`));
  const isOther = (kind: Kind, id: string) => !ids.has(`${kind} ${id}`);
  const count = (kind: Kind, rows: readonly { readonly id: string; readonly state: string }[]) =>
    rows.filter(({ id, state }) => state === "live" && isOther(kind, id)).length;
  const ofAliases = [...aliases.keys()].filter((name) => isOther("alias", name)).length;
  const ofThings = [...things].reduce((sum, [{ name }, rows]) => sum + count(name, rows), 0);
  return count("account", accounts) + count("key", keys) + ofAliases + count("token", tokens) + ofThings;
}
