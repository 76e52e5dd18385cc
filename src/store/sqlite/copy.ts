// A consistent copy of a SQLite store's file, made while gateways keep writing to it.
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LOCK_WAIT_MS } from "./store.ts";

/** A copy holds sealed credentials and key digests, so only its owner may read it. */
const FILE_MODE = 0o600;

/**
 * Copies a snapshot of the database at `from` to the new file `to`. Returns its size in bytes. A reader of the
 * write-ahead log doesn't block the writer, but the log can't shrink until the copy is done.
 * `to` exists only once the copy is checked and on disk, so that a process that is killed leaves nothing that looks like a
 * copy. Throws an Error if the file exists already, or if the copy fails or is damaged.
 */
export function copyDatabase(from: string, to: string): number {
  const draft = nameDraft(to);
  try {
    closeSync(openSync(draft, "wx", FILE_MODE));
    writeCopy(from, draft);
    checkCopy(draft);
    syncFile(draft, "r+");
    // Fails if another process has made the file meanwhile, which renaming would overwrite.
    closeSync(openSync(to, "wx", FILE_MODE));
    renameSync(draft, to);
  } catch (error) {
    removeDatabase(draft);
    throw error;
  }
  syncFile(dirname(to), "r");
  return statSync(to).size;
}

/** The file that a copy by this process grows in. */
export function nameDraft(to: string): string {
  return `${to}.draft-${process.pid}`;
}

/** SQLite's backup API starts over when another process writes; this is a single read transaction. */
function writeCopy(from: string, to: string): void {
  using database = new Database(from, { readonly: true });
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  database.run("VACUUM INTO ?", [to]);
}

function checkCopy(path: string): void {
  using database = new Database(path, { readonly: true });
  const found = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get();
  if (found?.integrity_check !== "ok") throw new Error(`the copy is damaged: ${found?.integrity_check}`);
}

/** Returns the end of the audit log's chain, as `{"seq":…,"hash":…}`. Null if nothing is in it. */
export function readCopiedAuditHead(path: string): string | null {
  using database = new Database(path, { readonly: true });
  const find = "SELECT value FROM setting WHERE name = 'audit_head'";
  const found = database.query<{ value: string }, []>(find).get();
  return found?.value || null;
}

/** Returns the file's size with its log, which bounds that of a copy. */
export function measureDatabase(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + readSize(file), 0);
}

function readSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Moves a closed database to its final name. Throws an Error if another process made a store there meanwhile. */
export function putInPlace(draft: string, path: string): void {
  if (readSize(`${draft}-wal`) > 0) throw new Error(`${draft} is still in use`);
  if (measureDatabase(path) > 0) throw new Error(`${path} already exists`);
  rmSync(path, { force: true });
  syncFile(draft, "r+");
  linkSync(draft, path);
  removeDatabase(draft);
  syncFile(dirname(path), "r");
}

/** Removes a database's file with those that SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const beside of ["", "-wal", "-shm", "-journal"]) rmSync(path + beside, { force: true });
}

function syncFile(path: string, flags: "r" | "r+"): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
