// The aliases of a state file: which ones would be made or changed.
import { readTarget, type Target, viewTarget } from "../../admin/models/alias-target.ts";
import {
  ALIASES_MAX,
  type AliasChangeParts,
  changeAlias,
  checkNewAlias,
  createAlias,
  refuseConfigured,
} from "../../admin/models/aliases.ts";
import type { Alias } from "../../core/models/alias.ts";
import { compareFields, digestFields } from "./compare.ts";
import type { Change, Draft } from "./draft.ts";
import { type AliasEntry, describeFault } from "./file.ts";
import { learnAlias, type StateWorld } from "./known.ts";

/** Returns what the use cases of aliases need. */
export function makeAliasParts({ aliases, changes }: StateWorld): AliasChangeParts {
  return { ...aliases, changes };
}

export function planAliases(draft: Draft, { aliases: parts }: Pick<StateWorld, "aliases">): void {
  const { known, state } = draft;
  const names = new Set<string>();
  const made = state.aliases.filter(({ name }) => !known.aliases.has(name)).length;
  if (known.aliases.size + made > ALIASES_MAX) {
    const message = `there can be at most ${ALIASES_MAX} aliases`;
    draft.issues.push({ path: ["aliases"], at: "value", message });
  }
  for (const entry of state.aliases) {
    const isTwice = names.has(entry.name);
    names.add(entry.name);
    if (isTwice) draft.refuse(entry, "name", "another alias of the file has this name");
    else planAlias(draft, entry, parts);
  }
}

function planAlias(draft: Draft, entry: AliasEntry, parts: StateWorld["aliases"]): void {
  const { name, fields } = entry;
  const before = draft.known.aliases.get(name);
  const isSame = draft.rememberEntry(
    { kind: "alias", id: name, place: name, digest: digestFields({ target: fields.target }) },
    before === undefined,
  );
  try {
    const after = readChanged(parts, entry, before);
    if (after === null) {
      draft.unchanged++;
      return;
    }
    const run: Change["run"] = (world) =>
      before === undefined
        ? makeAlias(world, { name, target: fields.target })
        : changeAlias(makeAliasParts(world), name, { target: fields.target });
    const action = before === undefined ? "alias.created" : "alias.changed";
    const about = { kind: "alias", id: name, name, account: null, isDrift: isSame } as const;
    draft.changes.push({ ...about, action, ...after, run });
  } catch (fault) {
    draft.issues.push(describeFault(fault, entry.path));
  }
}

async function makeAlias(world: StateWorld, given: Parameters<typeof createAlias>[1]): Promise<void> {
  const made = await createAlias(makeAliasParts(world), given);
  learnAlias(world, made.name, Date.parse(made.created_at ?? ""));
}

/** A target that the alias has already stays without another check: its model may have gone since. */
function readChanged(
  parts: StateWorld["aliases"],
  { name, fields: { target } }: AliasEntry,
  before: Alias | undefined,
) {
  refuseConfigured(parts, name);
  const was = before === undefined ? null : { target: viewTarget(before) };
  if (was !== null && compareFields(was, { target: addWeights(target) }) === null) return null;
  if (was === null) checkNewAlias(parts, name);
  const is = { target: viewTarget(readTarget(parts.catalogue(), target)) };
  return was === null ? { before: null, after: is } : compareFields(was, is);
}

function addWeights(target: Target): unknown {
  if (!Array.isArray(target)) return target;
  return target.map(({ model, weight = 1 }) => ({ model, weight }));
}
