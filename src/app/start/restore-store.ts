// Puts a backup of a SQLite store in an empty place, once it is proved to open and to balance.
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Store } from "../../core/store.ts";
import { MASTER_KEY_VARIABLE, parseMasterKey } from "../../keys/master.ts";
import {
  copyDatabase,
  measureDatabase,
  nameDraft,
  putInPlace,
  removeDatabase,
} from "../../store/sqlite/copy.ts";
import { masterKeyFile } from "../../store/sqlite/master-key-file.ts";
import { readSchema } from "../../store/sqlite/migrate.ts";
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
  /** Proves the store before it gets its place. Throws if it is wrong. */
  readonly prove: (store: Store) => Promise<Proof>;
}

interface RestoredStore<Proof> {
  readonly store: string;
  readonly bytes: number;
  /** The place in which a gateway will find the master key. */
  readonly masterKey: string;
  readonly proof: Proof;
  /** The versions of its schema in the backup and now. */
  readonly schema: { readonly backup: number; readonly now: number; readonly oldestSupported: number };
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
  const key = readGivenKey(asked, path);
  const draft = `${path}${DRAFT_SUFFIX}`;
  const madeFolder = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeDatabase(draft);
  try {
    await copyBackup(backup, draft);
    const { stored: from } = readSchema(draft);
    const proof = await proveDraft(draft, key, prove);
    const masterKey = placeKey(asked, key, path);
    const { size: bytes } = statSync(draft);
    const { stored: now, oldestSupported } = readSchema(draft);
    putInPlace(draft, path);
    return { store: path, bytes, masterKey, proof, schema: { backup: from, now, oldestSupported } };
  } catch (error) {
    removeDatabase(draft);
    if (madeFolder !== undefined) rmSync(madeFolder, { recursive: true });
    throw error;
  }
}

function requireFile(backup: string): void {
  const found = statSync(backup, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new Error(`${backup}: there is no such file`);
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

async function proveDraft<Proof>(
  draft: string,
  key: GivenMasterKey,
  prove: Restoring<Proof>["prove"],
): Promise<Proof> {
  const { store } = await openWithKeys(`sqlite:${draft}`, key, "prove");
  try {
    return await prove(store);
  } finally {
    await store.close();
  }
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
