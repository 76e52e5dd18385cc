// setup.json: what `poundkey setup` has changed, without any value, so that it can be undone after whatever happened.
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../../core/json/json.ts";
import { findLoginFile } from "../people/login-file.ts";
import { type Disk, nameNext, replaceFile } from "./disk.ts";
import type { FORMATS } from "./formats/formats.ts";
import { RefusedError } from "./read-settings.ts";

const FILE_MODE = 0o600;
const VERSION = 1;

export type FormatName = keyof typeof FORMATS;

/** A file before the first run. Null stands for none. */
interface Former {
  readonly backup: string;
  readonly digest: string;
  readonly mode: number;
}

export interface JournalField {
  readonly kind: "set" | "remove" | "first";
  readonly path: readonly string[];
  /** The fields by which an entry of a list is the same. Empty unless the kind is `first`. */
  readonly same: readonly string[];
  /** The fields within it that the agent itself changes, which no digest covers. */
  readonly own: readonly string[];
  /** The digests of our values, of which all but the last are those of runs that may not have come so far. */
  readonly ours: readonly string[];
  /** The backup that holds the former value. Null if there was no file. */
  readonly backup: string | null;
  readonly isSecret: boolean;
}

export interface JournalFile {
  readonly agent: string;
  readonly path: string;
  /** The file to which the path leads. */
  readonly target: string;
  readonly format: FormatName;
  readonly former: Former | null;
  /** True as long as nobody but us has changed the file, so that its former bytes may be put back. */
  readonly isWhole: boolean;
  /** The digests of the bytes that we wrote, or were about to write. */
  readonly written: readonly string[];
  readonly fields: readonly JournalField[];
  /** The key's file that it names. */
  readonly keyFile: string | null;
  /** The folders that were made for it, from the outside in. */
  readonly folders: readonly string[];
}

export interface Journal {
  readonly files: readonly JournalFile[];
  /** The files of keys that were made. */
  readonly keys: readonly string[];
}

/** The folder of `poundkey setup`, which nobody else may read. */
export interface SetupFolder {
  readonly root: string;
  readonly journal: string;
  readonly keys: string;
  readonly backups: string;
}

export function findSetupFolder(env: Readonly<Record<string, string | undefined>>): SetupFolder {
  const root = dirname(findLoginFile(env));
  const [journal, keys, backups] = ["setup.json", "keys", "backups"].map((name) => join(root, name));
  return { root, journal: String(journal), keys: String(keys), backups: String(backups) };
}

/** Throws a RefusedError for a folder or a journal that isn't this user's own. */
export function readJournal({ root, journal }: SetupFolder): Journal {
  for (const path of [root, journal]) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { files: [], keys: [] };
    if (stats.uid !== process.geteuid?.()) throw new RefusedError(`${path} belongs to another user`);
  }
  const value = asObject(parseJson(readFileSync(journal, "utf8")));
  if (value.version !== VERSION)
    throw new RefusedError(`${journal} isn't understood: use the version of poundkey that wrote it`);
  return { files: asArray(value.files).map(readFile), keys: readTexts(value.keys) };
}

function readFile(value: unknown): JournalFile {
  const { agent, path, target, format, former, isWhole, written, fields, keyFile, folders } = asObject(value);
  const known = { agent: asString(agent), path: asString(path), target: asString(target) };
  const named = readFormat(format);
  if (known.agent === undefined || known.path === undefined || known.target === undefined || named === null)
    throw new RefusedError("setup.json is damaged");
  return {
    agent: known.agent,
    path: known.path,
    target: known.target,
    format: named,
    former: isObject(former)
      ? {
          backup: asString(former.backup) ?? "",
          digest: asString(former.digest) ?? "",
          mode: asNumber(former.mode) ?? FILE_MODE,
        }
      : null,
    isWhole: isWhole === true,
    written: readTexts(written),
    fields: asArray(fields).map(readJournalField),
    keyFile: asString(keyFile) ?? null,
    folders: readTexts(folders),
  };
}

function readJournalField(value: unknown): JournalField {
  const { kind, path, same, own, ours, backup, isSecret } = asObject(value);
  return {
    kind: kind === "remove" || kind === "first" ? kind : "set",
    path: readTexts(path),
    same: readTexts(same),
    own: readTexts(own),
    ours: readTexts(ours),
    backup: asString(backup) ?? null,
    isSecret: isSecret !== false,
  };
}

function readFormat(name: unknown): FormatName | null {
  return name === "json" || name === "toml" || name === "yaml" || name === "dotenv" ? name : null;
}

const readTexts = (value: unknown) => asArray(value).filter((one) => typeof one === "string");

/** A journal without files goes. */
export function writeJournal(disk: Disk, { journal }: SetupFolder, kept: Journal): void {
  if (kept.files.length === 0 && kept.keys.length === 0) {
    disk.remove(journal);
    return;
  }
  const text = `${JSON.stringify({ version: VERSION, ...kept }, null, 2)}\n`;
  replaceFile(disk, journal, Buffer.from(text), FILE_MODE);
}

/**
 * Writes the journal, and removes the backups and the files of keys that it doesn't name. A kill in between leaves no key
 * behind that the journal has forgotten, and no file without its backup.
 */
export function closeJournal(disk: Disk, folder: SetupFolder, journal: Journal): void {
  const named = new Set(journal.files.map(({ keyFile }) => keyFile));
  for (const path of journal.keys) if (!named.has(path)) disk.remove(path);
  writeJournal(disk, folder, { ...journal, keys: journal.keys.filter((path) => named.has(path)) });
  const backups = new Set(
    journal.files.flatMap(({ former, fields }) => [former?.backup, ...fields.map(({ backup }) => backup)]),
  );
  for (const name of existsSync(folder.backups) ? readdirSync(folder.backups) : [])
    if (!backups.has(name)) disk.remove(join(folder.backups, name));
  for (const path of [folder.backups, folder.keys]) disk.removeFolder(path);
}

/** Removes what a killed run had begun to write. */
export function clearBegun(disk: Disk, folder: SetupFolder, { files, keys }: Journal): void {
  for (const path of [folder.journal, ...keys, ...files.map(({ target }) => target)])
    disk.remove(nameNext(path));
}

/** A digest of a value, whatever the order of its fields. */
export function computeDigest(value: unknown): string {
  return computeBytesDigest(Buffer.from(writeOrdered(value)));
}

export function computeBytesDigest(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

function writeOrdered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeOrdered).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${writeOrdered(value[name])}`).join(",")}}`;
}
