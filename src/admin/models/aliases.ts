// The operator's use-cases on aliases made at run time, which are kept in the store and shared by all nodes.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Catalogue, findSelector, splitId } from "../../catalogue/catalogue.ts";
import { Fault } from "../../core/faults/fault.ts";
import { asArray, parseJson } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { ALIAS_EXPECTED, ALIAS_NAME, type Alias } from "../../core/models/alias.ts";
import { type AliasNames, KnownAliasNames } from "../../core/models/alias-entry.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { formatInstantOrNull } from "../format.ts";
import { readVisibleName } from "../input.ts";
import type { ListPage } from "../list.ts";
import { allowNull, allowWords, closeObject, instant, number, text, type View } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import { aliasTargetSchema, parseTarget, readTarget, target, viewTarget } from "./alias-target.ts";

/** Every process reads all of them at each change. */
export const ALIASES_MAX = 1000;

const name = Type.String({ pattern: ALIAS_NAME.source, expected: ALIAS_EXPECTED });
export const newAliasSchema = closeObject({ name, target });
/** Has no name, because the path contains it. */
export const aliasTargetChangeSchema = closeObject({ target });
export const aliasChangeSchema = closeObject({ name: text, target });
export const aliasQuery = closeObject({ name: text });

export const aliasSchema = Type.Object({
  name: text,
  target: aliasTargetSchema,
  source: allowWords(["configured", "stored"]),
  // Null for aliases from the file.
  created_at: allowNull(instant),
});
export type AliasView = View<typeof aliasSchema>;

export interface AliasParts {
  readonly store: Pick<Store, "setting">;
  readonly clock: Pick<Clock, "nowMs">;
  /** Returns the aliases from the file. */
  readonly configured: () => Readonly<Record<string, Alias>>;
  readonly catalogue: () => Catalogue;
  /** Applies what the store holds to this process. The others find it on their own. */
  readonly refresh: () => Promise<void>;
}

export interface AliasChangeParts extends AliasParts, Pick<ActingWorld, "changes"> {}

/** Returns all aliases on one page: the file's first, then the others, oldest first. */
export async function listAliases({ store, configured }: AliasParts): Promise<ListPage<AliasView>> {
  const own = configured();
  const stored = readStoredAliases(await store.setting("aliases")).filter(
    ({ name }) => !Object.hasOwn(own, name),
  );
  const ofFile = Object.entries(own).map(([name, target]) => viewAlias({ name, target, createdAtMs: null }));
  return { data: [...ofFile, ...stored.map(viewAlias)], next: null };
}

/** Creates an alias. The target is an id, a selector, or the models of a group. */
export async function createAlias(
  parts: AliasChangeParts,
  { name, target: wanted }: Static<typeof newAliasSchema>,
): Promise<AliasView> {
  checkNewAlias(parts, name);
  const target = readTarget(parts.catalogue(), wanted);
  const made = { name, target, createdAtMs: parts.clock.nowMs() };
  await changeStored(parts, (all) => {
    if (all.some((one) => one.name === name)) {
      const message = "An alias with that name already exists. Change it, or delete it first.";
      throw new Fault("alias_exists", message, { param: "name" });
    }
    if (all.length < ALIASES_MAX) return [...all, made];
    throw invalidValue("name", `there can be at most ${ALIASES_MAX} aliases; delete one first`);
  });
  return viewAlias(made);
}

/** Throws the Faults of a name that no alias can have here. */
export function checkNewAlias(parts: AliasParts, name: string): void {
  readVisibleName(name, "name");
  refuseConfigured(parts, name);
  refuseTaken(parts, name);
}

/** Returns an alias made at run time. Throws the Faults `alias_configured` and `not_found`. */
export async function findStoredAlias(parts: AliasParts, wanted: string): Promise<StoredAlias> {
  refuseConfigured(parts, wanted);
  return requireAlias(readStoredAliases(await parts.store.setting("aliases")), wanted);
}

export async function changeAlias(
  parts: AliasChangeParts,
  wanted: string,
  { target: given }: Static<typeof aliasTargetChangeSchema>,
): Promise<AliasView> {
  refuseConfigured(parts, wanted);
  const target = readTarget(parts.catalogue(), given);
  const changed = await changeStored(parts, (all) => {
    requireAlias(all, wanted);
    return all.map((one) => (one.name === wanted ? { ...one, target } : one));
  });
  return viewAlias(requireAlias(changed, wanted));
}

/** Returns the deleted alias. */
export async function deleteAlias(parts: AliasChangeParts, wanted: string): Promise<AliasView> {
  refuseConfigured(parts, wanted);
  const before = readStoredAliases(await parts.store.setting("aliases"));
  const own = requireAlias(before, wanted);
  await changeStored(parts, (all) => all.filter((one) => one.name !== wanted));
  return viewAlias(own);
}

/** Changes the aliases in one transaction. If `change` throws, nothing is stored. */
async function changeStored(
  { changes, refresh }: AliasChangeParts,
  change: (all: readonly StoredAlias[]) => readonly StoredAlias[],
): Promise<readonly StoredAlias[]> {
  const kept = await changes.changeOperatorSetting("aliases", (value) =>
    JSON.stringify(change(readStoredAliases(value)).map(storeAlias)),
  );
  await refresh();
  return readStoredAliases(kept);
}

function requireAlias(all: readonly StoredAlias[], name: string): StoredAlias {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw new Fault("not_found", "There is no alias with that name.");
}

/** Throws the Fault of an alias that the configuration file has. */
export function refuseConfigured({ configured }: AliasParts, name: string): void {
  if (!Object.hasOwn(configured(), name)) return;
  const message = "This alias is defined in the configuration file. Change it there.";
  throw new Fault("alias_configured", message, { param: "name" });
}

/** Throws a Fault for a name that is already an id, because ids take precedence over aliases. */
function refuseTaken({ catalogue }: AliasParts, name: string): void {
  const id = splitId(name);
  const isCard = catalogue()
    .list()
    .some((card) => card.provider.toLowerCase() === id?.provider.toLowerCase() && card.name === id.name);
  if (!isCard && findSelector(name) === null) return;
  throw invalidValue("name", "a model already has this id, so the alias would have no effect");
}

interface NamedAlias {
  readonly name: string;
  readonly target: Alias;
  /** Null for an alias from the file. */
  readonly createdAtMs: number | null;
}

function viewAlias({ name, target, createdAtMs }: NamedAlias): AliasView {
  return {
    name,
    target: viewTarget(target),
    source: createdAtMs === null ? "configured" : "stored",
    created_at: formatInstantOrNull(createdAtMs),
  };
}

/** An alias as stored: all of them share one setting, as JSON. */
interface StoredAlias extends NamedAlias {
  readonly createdAtMs: number;
}

const stored = Type.Object({ name: text, target: aliasTargetSchema, createdAtMs: number });

/** Returns the aliases that lists of models may name: the configuration's and the store's. */
export async function readAliasNames(
  store: AliasParts["store"],
  configured: Readonly<Record<string, Alias>>,
): Promise<AliasNames> {
  const names = new KnownAliasNames();
  for (const { name, createdAtMs } of readStoredAliases(await store.setting("aliases")))
    names.add(name, createdAtMs);
  for (const name of Object.keys(configured)) names.add(name, 0);
  return names;
}

/** Returns the aliases, oldest first. Malformed entries are skipped. */
export function readStoredAliases(value: string | null): readonly StoredAlias[] {
  const found = asArray(parseJson(value ?? "[]")).filter((one) => Value.Check(stored, one));
  return found.map((one) => ({ ...one, target: parseTarget(one.target) }));
}

function storeAlias({ target, ...alias }: StoredAlias): View<typeof stored> {
  return { ...alias, target: viewTarget(target) };
}
