// Puts a backup of a SQLite store in an empty place, once it is proved to open and to balance.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { StoredFile } from "../../core/batches/file.ts";
import type { Store } from "../../core/store.ts";
import { MASTER_KEY_VARIABLE, parseMasterKey } from "../../keys/master.ts";
import {
  copyDatabase,
  measureDatabase,
  nameDraft,
  putInPlace,
  removeDatabase,
} from "../../store/sqlite/copy.ts";
import { copyPieces, hasFiles, hasObject } from "../../store/sqlite/files-copy.ts";
import { masterKeyFile } from "../../store/sqlite/master-key-file.ts";
import { readSchema } from "../../store/sqlite/migrate.ts";
import { nameFilesFolder } from "../../store/sqlite/pieces.ts";
import { showProgress } from "../workers/progress.ts";
import { findDatabaseFile, type GivenMasterKey, openWithKeys } from "./open-store.ts";

/** The master key that a command was given: the variable's value, and the file named by a flag. */
interface MasterKeyInputs {
  readonly variable: string | undefined;
  readonly file: string | undefined;
}

interface Restoring<Proof> extends MasterKeyInputs {
  readonly backup: string;
  readonly address: string;
  /** The folder with the backup's files. Undefined if they aren't restored. */
  readonly files: string | undefined;
  /** Proves the store before it gets its place. Throws if it is wrong. */
  readonly prove: (store: Store) => Promise<Proof>;
}

interface RestoredStore<Proof> {
  readonly store: string;
  readonly bytes: number;
  /** The place in which a gateway will find the master key. */
  readonly masterKey: string;
  readonly proof: Proof;
  readonly files: RestoredFiles;
  /** The versions of its schema in the backup and now. */
  readonly schema: { readonly backup: number; readonly now: number; readonly oldestSupported: number };
}

interface RestoredFiles {
  readonly bytes: number;
  /** The number of files whose bytes aren't there, so that the store doesn't name them any more. */
  readonly missing: number;
}

/** If the process is killed halfway, this file stays, and the next call replaces it. */
const DRAFT_SUFFIX = ".restoring";

/** Throws an Error for the operator, and leaves the place as it was, unless everything is in order. */
export async function restoreStore<Proof>(asked: Restoring<Proof>): Promise<RestoredStore<Proof>> {
  const { address, prove } = asked;
  const path = findDatabaseFile(address);
  if (path === null) {
    throw new Error(
      "The store is on PostgreSQL. Restore it with pg_restore or psql, then prove it with `poundkey restore --verify`.",
    );
  }
  const backup = resolve(asked.backup);
  requireFile(backup);
  requireEmpty(path);
  const from = requireFiles(asked.files, path);
  const key = readGivenKey(asked, path);
  const draft = `${path}${DRAFT_SUFFIX}`;
  const madeFolder = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeDatabase(draft);
  try {
    await copyBackup(backup, draft);
    const { stored: before } = readSchema(draft);
    const bytes = from === null ? 0 : copyPieces(from, nameFilesFolder(draft));
    const { proof, missing } = await proveDraft({ draft, files: from === null ? path : draft }, key, prove);
    const masterKey = placeKey(asked, key, path);
    const { size } = statSync(draft);
    const { stored: now, oldestSupported } = readSchema(draft);
    if (from !== null) renameSync(nameFilesFolder(draft), nameFilesFolder(path));
    putInPlace(draft, path);
    const schema = { backup: before, now, oldestSupported };
    return { store: path, bytes: size, masterKey, proof, files: { bytes, missing }, schema };
  } catch (error) {
    removeDatabase(draft);
    rmSync(nameFilesFolder(draft), { recursive: true, force: true });
    if (madeFolder !== undefined) rmSync(madeFolder, { recursive: true });
    throw error;
  }
}

function requireFile(backup: string): void {
  const stats = statSync(backup, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new Error(`${backup}: there is no such file`);
}

/** Returns the folder's path. Null if no files are restored. */
function requireFiles(given: string | undefined, path: string): string | null {
  if (given === undefined) return null;
  const folder = resolve(given);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) throw new Error(`${folder}: there is no such folder`);
  if (!hasFiles(path)) return folder;
  throw new Error(
    `There are files at ${nameFilesFolder(path)} already. Move them away first, or leave out --files to keep those.`,
  );
}

function requireEmpty(path: string): void {
  if (measureDatabase(path) === 0) return;
  throw new Error(
    `There is a store at ${path} already. Stop all gateways and move it and its -wal and -shm files away first, or name another place by --store.`,
  );
}

/** The flag's file comes before the variable, and that before the file that is in place. */
function readGivenKey(inputs: MasterKeyInputs, path: string): GivenMasterKey {
  if (inputs.file !== undefined) return readKeyFile(inputs.file);
  if (inputs.variable) return { text: inputs.variable };
  const inPlace = masterKeyFile(path);
  const text = inPlace.read();
  if (text !== null) return { text, textSource: inPlace.path };
  throw new Error(
    `A backup is useless without its master key. Name the key's file by --master-key, or set ${MASTER_KEY_VARIABLE}.`,
  );
}

export function readKeyFile(name: string): GivenMasterKey & { readonly text: string } {
  const path = resolve(name);
  const text = readFileSync(path, "utf8");
  parseMasterKey(text, path);
  return { text, textSource: path };
}

async function copyBackup(backup: string, draft: string): Promise<void> {
  const work = {
    what: "copying the backup",
    all: statSync(backup).size,
    file: nameDraft(draft),
    finishing: "checking the copy",
  };
  try {
    await showProgress(work, () => copyDatabase(backup, draft));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Can't restore ${backup}: ${why}.`, { cause: error });
  }
}

/** The database that is being restored, and the one whose folder has its files. */
interface DatabaseDraft {
  readonly draft: string;
  readonly files: string;
}

async function proveDraft<Proof>(
  { draft, files }: DatabaseDraft,
  key: GivenMasterKey,
  prove: Restoring<Proof>["prove"],
): Promise<{ readonly proof: Proof; readonly missing: number }> {
  const { store } = await openWithKeys(`sqlite:${draft}`, key, "prove");
  try {
    const proof = await prove(store);
    return { proof, missing: await dropMissing(store, files) };
  } finally {
    await store.close();
  }
}

const FILES_AT_ONCE = 500;

/** Removes files whose bytes aren't in the folder: a client would find their names, and then nothing. */
async function dropMissing({ files }: Store, database: string): Promise<number> {
  let missing = 0;
  for (let after: StoredFile | null | undefined = null; after !== undefined; ) {
    const rows: readonly StoredFile[] = await files.list({ order: "oldest", limit: FILES_AT_ONCE, after });
    for (const { id, owner, bytes } of rows) {
      if (bytes === 0 || hasObject(database, owner.accountId, id)) continue;
      await files.remove(owner.accountId, id);
      missing++;
    }
    after = rows.length < FILES_AT_ONCE ? undefined : rows.at(-1);
  }
  return missing;
}

/** A gateway takes the variable's key if it is set, else that of the file beside the store. */
function placeKey(inputs: MasterKeyInputs, { text = "" }: GivenMasterKey, path: string): string {
  const isSame = (other: string) => other.trim() === text.trim();
  if (inputs.variable) {
    if (isSame(inputs.variable)) return MASTER_KEY_VARIABLE;
    throw new Error(
      `${MASTER_KEY_VARIABLE} holds another master key than ${inputs.file}, and a gateway would use it. Unset it, or set the right one.`,
    );
  }
  const inPlace = masterKeyFile(path);
  if (isSame(inPlace.make(`${text.trim()}\n`))) return inPlace.path;
  throw new Error(`${inPlace.path} holds another master key. Move it away first.`);
}
