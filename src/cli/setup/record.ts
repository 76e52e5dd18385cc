// The journal's entries on files that are about to be written: their state before the first run, and what is ours in them.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { SettingChange } from "./formats/format.ts";
import {
  computeBytesDigest,
  computeDigest,
  type Journal,
  type JournalField,
  type JournalFile,
} from "./journal.ts";
import { omitAgentFields, type PlannedField, type PlannedFile } from "./plan.ts";
import type { FoundFile } from "./read-settings.ts";

export interface Backup {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface FileRecording {
  readonly file: JournalFile;
  /** Missing if the former bytes are kept already, or if there was no file. */
  readonly backup?: Backup;
}

/** Returns the journal's entry before the file is written. The earlier one's values still count as ours. */
export function recordFile(
  agent: string,
  plan: PlannedFile,
  keyFile: string | null,
  earlier: JournalFile | undefined,
): FileRecording {
  const { path, target, format, found, next } = plan;
  const before = found === null ? null : makeFormer(found);
  const isOurs = earlier?.isWhole === true && isKnown(earlier, before?.digest ?? null);
  const former = earlier === undefined ? before : earlier.former;
  // Bytes that somebody else has changed are kept too: fields that are only written now had their values there.
  const kept = isOurs ? former : before;
  const file: JournalFile = {
    agent,
    path,
    target,
    format,
    former,
    isWhole: earlier === undefined || isOurs,
    written: [...(earlier?.written ?? []), computeBytesDigest(next)],
    fields: mergeFields(earlier?.fields ?? [], plan.fields, kept?.backup ?? null),
    keyFile: plan.namesKeyFile ? keyFile : null,
    folders: [...(earlier?.folders ?? []), ...listMissing(dirname(target))],
  };
  if (isOurs || found === null || before === null) return { file };
  return { file, backup: { name: before.backup, bytes: found.bytes } };
}

/** Equal bytes share a backup. */
function makeFormer({ bytes, mode }: FoundFile): NonNullable<JournalFile["former"]> {
  const digest = computeBytesDigest(bytes);
  return { backup: digest, digest, mode };
}

/** True if nobody but us has changed the bytes since the first run. */
function isKnown({ former, written }: JournalFile, digest: string | null): boolean {
  return digest === (former?.digest ?? null) || (digest !== null && written.includes(digest));
}

const namePath = ({ kind, path }: Pick<JournalField, "kind" | "path">) =>
  `${kind === "first" ? "first" : "field"} ${path.join("\n")}`;

function mergeFields(
  earlier: readonly JournalField[],
  planned: readonly PlannedField[],
  backup: string | null,
): readonly JournalField[] {
  const merged = new Map(earlier.map((field) => [namePath(field), field]));
  for (const { change, isSecret, own } of planned) {
    const known = merged.get(namePath(change.kind === "drop" ? { kind: "set", path: change.path } : change));
    const next = { ...recordField(change, own), backup, isSecret };
    merged.set(
      namePath(next),
      known ? { ...next, backup: known.backup, ours: [...known.ours, ...next.ours] } : next,
    );
  }
  return [...merged.values()];
}

/** Stands for the digest of a field that isn't there. */
const NO_FIELD = "none";

export function digestField(value: unknown, own: readonly string[] = []): string {
  return value === undefined ? NO_FIELD : computeDigest(omitAgentFields(value, own));
}

function recordField(
  change: SettingChange,
  own: readonly string[],
): Omit<JournalField, "backup" | "isSecret"> {
  const { path } = change;
  const same = change.kind === "first" ? change.same : [];
  if (change.kind === "remove") return { kind: "remove", path, same, own, ours: [NO_FIELD] };
  const kind = change.kind === "first" ? "first" : "set";
  return { kind, path, same, own, ours: [digestField(change.value, own)] };
}

/** Returns the folders that have to be made, from the outside in. */
export function listMissing(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [...listMissing(dirname(folder)), folder];
}

/** Keeps of each file only what was written last, once it is known to be there. */
export function settleFile(file: JournalFile): JournalFile {
  return {
    ...file,
    written: file.written.slice(-1),
    fields: file.fields.map((field) => ({ ...field, ours: field.ours.slice(-1) })),
    folders: [...new Set(file.folders)],
  };
}

/** Puts the entries in the place of earlier ones on the same file. */
export function addFiles(journal: Journal, files: readonly JournalFile[]): Journal {
  const targets = new Set(files.map(({ target }) => target));
  return { ...journal, files: [...journal.files.filter(({ target }) => !targets.has(target)), ...files] };
}
