// The rows that each state file made, and its entries as they were applied last: only those rows are pruned, and drift shows.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { asArray, asObject, parseJson } from "../../core/json/json.ts";
import { APPLIED_STATES, type Store } from "../../core/store.ts";

const remembered = Type.Object({
  // Another version may know other kinds.
  kind: Type.String(),
  id: Type.String(),
  place: Type.String(),
  isMade: Type.Boolean(),
  digest: Type.String(),
});
const applied = Type.Object({ atMs: Type.Number(), entries: Type.Array(remembered) });

/** An entry of a file, and the row that it stands for. */
export interface MemoryEntry {
  readonly kind: string;
  readonly id: string;
  /** The name, and for keys the account's id. */
  readonly place: string;
  /** False if the row was there before. */
  readonly isMade: boolean;
  /** A digest of the fields as the file last had them. Empty while they are being applied. */
  readonly digest: string;
}

export interface Memory {
  readonly entries: readonly MemoryEntry[];
  /** The ids of what any file made and pruned. */
  readonly pruned: ReadonlySet<string>;
}

/** Only the files that were applied last are known. */
const FILES_MAX = 100;
const PRUNED_MAX = 10_000;

type AppliedFile = Static<typeof applied>;

interface MemoryFile {
  readonly files: ReadonlyMap<string, AppliedFile>;
  readonly pruned: readonly string[];
}

/** Malformed parts are skipped. */
function parseStored(value: string | null): MemoryFile {
  const found = asObject(parseJson(value || "{}"));
  const files = new Map<string, AppliedFile>();
  for (const [name, file] of Object.entries(asObject(found.files)))
    if (Value.Check(applied, file)) files.set(name, file);
  return { files, pruned: asArray(found.pruned).filter((id) => typeof id === "string") };
}

type SettingStore = Pick<Store, "setting" | "changeSetting">;

export async function readMemory(store: SettingStore, file: string): Promise<Memory> {
  const { files, pruned } = parseStored(await store.setting(APPLIED_STATES));
  return { entries: files.get(file)?.entries ?? [], pruned: new Set(pruned) };
}

interface AppliedState {
  readonly entries: readonly MemoryEntry[];
  /** The ids of what is pruned now. */
  readonly pruned: readonly string[];
  readonly atMs: number;
}

export async function writeMemory(
  store: SettingStore,
  file: string,
  { entries, pruned, atMs }: AppliedState,
): Promise<void> {
  await store.changeSetting(APPLIED_STATES, (value) => {
    const known = parseStored(value);
    const files = [...new Map(known.files).set(file, { atMs, entries: [...entries] })];
    const latest = files.sort(([, one], [, other]) => other.atMs - one.atMs).slice(0, FILES_MAX);
    const ids = [...new Set([...known.pruned, ...pruned])].slice(-PRUNED_MAX);
    return JSON.stringify({ files: Object.fromEntries(latest), pruned: ids });
  });
}
