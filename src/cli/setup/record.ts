// What the journal says of files that are about to be written: how they were before the first run, and what is ours in them.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { FieldChange } from "./formats/format.ts";
import {
  computeBytesDigest,
  computeDigest,
  type Journal,
  type JournalField,
  type JournalFile,
} from "./journal.ts";
import type { PlannedField, PlannedFile } from "./plan.ts";

export interface Backup {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Recorded {
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
): Recorded {
  const { path, target, format, found, next } = plan;
  const digest = found === null ? null : computeBytesDigest(found.bytes);
  const written = [...(earlier?.written ?? []), computeBytesDigest(next)];
  const isOurs = earlier?.isWhole === true && isKnown(earlier, digest);
  // Bytes that somebody else has changed are kept too: fields that are only written now had their values there.
  const backup =
    found === null || digest === null || isOurs ? undefined : { name: digest, bytes: found.bytes };
  const formerBackup = isOurs ? (earlier.former?.backup ?? null) : (digest ?? null);
  const file: JournalFile = {
    agent,
    path,
    target,
    format,
    former: earlier
      ? earlier.former
      : found && digest !== null
        ? { backup: digest, digest, mode: found.mode }
        : null,
    isWhole: earlier === undefined || isOurs,
    written,
    fields: mergeFields(earlier?.fields ?? [], plan.fields, formerBackup),
    keyFile: plan.namesKeyFile ? keyFile : null,
    folders: [...(earlier?.folders ?? []), ...listMissing(dirname(target))],
  };
  return backup === undefined ? { file } : { file, backup };
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
  for (const { change, isSecret } of planned) {
    const known = merged.get(namePath(change.kind === "drop" ? { kind: "set", path: change.path } : change));
    const next = recordField(change, backup, isSecret);
    merged.set(
      namePath(next),
      known ? { ...next, backup: known.backup, ours: [...known.ours, ...next.ours] } : next,
    );
  }
  return [...merged.values()];
}

/** Stands for the digest of a field that isn't there. */
const NO_FIELD = "none";

export function digestField(value: unknown): string {
  return value === undefined ? NO_FIELD : computeDigest(value);
}

function recordField(change: FieldChange, backup: string | null, isSecret: boolean): JournalField {
  const { path } = change;
  const same = change.kind === "first" ? change.same : [];
  if (change.kind === "remove") return { kind: "remove", path, same, ours: [NO_FIELD], backup, isSecret };
  const kind = change.kind === "first" ? "first" : "set";
  return { kind, path, same, ours: [digestField(change.value)], backup, isSecret };
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
