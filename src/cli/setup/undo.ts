// `poundkey setup --undo`: brings back what stood before the first run, by the journal alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { type Disk, describeUnwritten, replaceFile } from "./disk.ts";
import { type SettingChange, SettingsError } from "./formats/format.ts";
import { FORMATS } from "./formats/formats.ts";
import { changeSettings } from "./formats/guard.ts";
import { readField } from "./formats/values.ts";
import {
  closeJournal,
  computeBytesDigest,
  type Journal,
  type JournalField,
  type JournalFile,
  readJournal,
  type SetupFolder,
} from "./journal.ts";
import { listSame } from "./plan.ts";
import { type FoundFile, RefusedError, readSettings } from "./read-settings.ts";
import { digestField } from "./record.ts";
import { withLock } from "./with-lock.ts";

interface UndoneField {
  readonly field: JournalField;
  readonly from: unknown;
  readonly to: unknown;
}

/** `next` is null for a file that goes, and undefined for one that stays as it is. */
export interface UndoneFile {
  readonly file: JournalFile;
  readonly next?: { readonly bytes: Uint8Array; readonly mode: number } | null;
  readonly fields: readonly UndoneField[];
  /** The fields that aren't ours any more. */
  readonly left: readonly JournalField[];
  readonly words: readonly string[];
}

interface Undoing {
  /** Empty for all. */
  readonly agents: readonly string[];
  readonly isDry: boolean;
}

/** Returns what became of each file in the journal. */
export function undoSetup(
  disk: Disk,
  folder: SetupFolder,
  { agents, isDry }: Undoing,
): readonly UndoneFile[] {
  const isAsked = ({ agent }: JournalFile) => agents.length === 0 || agents.includes(agent);
  const plan = (journal: Journal) => journal.files.filter(isAsked).map((file) => planUndo(file, folder));
  const kept = readJournal(folder);
  if (isDry || (kept.files.length === 0 && kept.keys.length === 0)) return plan(kept);
  return withLock(disk, folder, (journal) => {
    const done = plan(journal).map((one) => write(disk, one));
    const left = done.flatMap(({ file, left: fields, words }) =>
      words.length === 0 ? [] : [{ ...file, fields, isWhole: false }],
    );
    closeJournal(disk, folder, {
      ...journal,
      files: [...journal.files.filter((file) => !isAsked(file)), ...left],
    });
    for (const { file, words } of done)
      if (words.length === 0) for (const path of file.folders.toReversed()) disk.removeFolder(path);
    return done;
  });
}

function write(disk: Disk, undone: UndoneFile): UndoneFile {
  const { file, next } = undone;
  try {
    if (next === null) disk.remove(file.target);
    else if (next !== undefined) replaceFile(disk, file.target, next.bytes, next.mode);
    return undone;
  } catch (error) {
    const words = `${file.path}: it could not be written: ${describeUnwritten(error)}.`;
    return { file, fields: [], left: file.fields, words: [words] };
  }
}

function planUndo(file: JournalFile, folder: SetupFolder): UndoneFile {
  const stay = (words: string): UndoneFile => ({
    file,
    fields: [],
    left: file.fields,
    words: [`${file.path}: ${words}.`],
  });
  try {
    const found = readSettings(file.target);
    const { former } = file;
    if (found === null && former === null) return { file, fields: [], left: [], words: [] };
    if (found === null)
      return stay(`it is gone. ${join(folder.backups, former?.backup ?? "")} has its former text`);
    const digest = computeBytesDigest(found.bytes);
    if (digest === former?.digest) return { file, fields: [], left: [], words: [] };
    if (file.isWhole && file.written.includes(digest)) return undoWhole(file, found, folder);
    return undoFields(file, found, folder);
  } catch (error) {
    if (error instanceof RefusedError || error instanceof SettingsError) return stay(error.message);
    throw error;
  }
}

function undoWhole(file: JournalFile, found: FoundFile, folder: SetupFolder): UndoneFile {
  const { parse } = FORMATS[file.format];
  const { former } = file;
  const bytes = former === null ? null : readBackup(folder, former.backup);
  const before = bytes === null ? {} : parse(decode(bytes));
  const now = parse(found.text);
  const fields = file.fields.map((field) => ({
    field,
    from: readField(now, field.path),
    to: readField(before, field.path),
  }));
  const next = bytes === null || former === null ? null : { bytes, mode: former.mode };
  return { file, next, fields, left: [], words: [] };
}

/** Changes only the fields that still have our values, since somebody has changed the file. */
function undoFields(file: JournalFile, found: FoundFile, folder: SetupFolder): UndoneFile {
  const format = FORMATS[file.format];
  const now = format.parse(found.text);
  const outcomes = file.fields.map((field) => {
    const before = field.backup === null ? {} : format.parse(decode(readBackup(folder, field.backup)));
    return { field, outcome: undoField(field, now, before) };
  });
  const left = outcomes.flatMap(({ field, outcome }) => (outcome === null ? [field] : []));
  const text = changeSettings(
    format,
    found.text,
    outcomes.flatMap(({ outcome }) => outcome?.changes ?? []),
  );
  const fields = outcomes.flatMap(({ field, outcome }) =>
    outcome === null || outcome.changes.length === 0 ? [] : [{ field, from: outcome.from, to: outcome.to }],
  );
  const words = left.map(({ path }) => `${file.path}: ${path.join(".")} was changed since, and is left.`);
  const next = { bytes: Buffer.from(text), mode: found.mode };
  return { file, ...(text === found.text ? {} : { next }), fields, left, words };
}

interface FieldOutcome {
  readonly changes: readonly SettingChange[];
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns null for a field that has neither our value nor its former one. */
function undoField(field: JournalField, now: JsonObject, before: JsonObject): FieldOutcome | null {
  if (field.kind === "first") return undoEntry(field, now, before);
  const { path, ours, own } = field;
  const from = readField(now, path);
  const to = readField(before, path);
  const digest = digestField(from, own);
  if (digest === digestField(to, own)) return { changes: [], from, to };
  if (!ours.includes(digest)) return null;
  return {
    changes: [to === undefined ? { kind: "remove", path } : { kind: "set", path, value: to }],
    from,
    to,
  };
}

function undoEntry(
  { path, same, ours }: JournalField,
  now: JsonObject,
  before: JsonObject,
): FieldOutcome | null {
  const list = readField(now, path);
  const former = readField(before, path);
  if (digestField(list) === digestField(former)) return { changes: [], from: list, to: former };
  const entries = Array.isArray(list) ? list : [];
  const own = entries.filter(isObject).find((entry) => ours.includes(digestField(entry)));
  if (own === undefined) return null;
  const replaced = listSame(former, { value: own, same });
  const isEmptied = entries.length === 1 && former === undefined;
  const changes: readonly SettingChange[] = isEmptied
    ? [{ kind: "remove", path }]
    : [
        { kind: "drop", path, value: own },
        ...replaced.toReversed().map((value): SettingChange => ({ kind: "first", path, value, same: [] })),
      ];
  return { changes, from: own, to: replaced[0] };
}

function readBackup({ backups }: SetupFolder, name: string): Uint8Array {
  try {
    const bytes = readFileSync(join(backups, name));
    if (computeBytesDigest(bytes) === name) return bytes;
  } catch {
    // It is missing.
  }
  throw new RefusedError(`its backup ${join(backups, name)} is missing or damaged`);
}

const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
