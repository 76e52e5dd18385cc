// A consistent copy of a SQLite store's file, made while gateways keep writing to it.
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LOCK_WAIT_MS } from "./store.ts";

/** A copy holds sealed credentials and key digests, so only its owner may read it. */
const FILE_MODE = 0o600;

/**
 * Copies a snapshot of the database at `from` to the new file `to`. Returns its size in bytes. A reader of the
 * write-ahead log doesn't block the writer, but the log can't shrink until the copy is done.
 * Reserves `to` with an empty file first, and replaces it once the copy is checked and on disk. Throws an Error if the
 * file exists already, or if the copy fails or is damaged.
 */
export function copyDatabase(from: string, to: string): number {
  const draft = `${to}.${process.pid}`;
  closeSync(openSync(to, "wx", FILE_MODE));
  try {
    closeSync(openSync(draft, "wx", FILE_MODE));
    writeCopy(from, draft);
    checkCopy(draft);
    syncFile(draft, "r+");
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    rmSync(to, { force: true });
    throw error;
  }
  syncFile(dirname(to), "r");
  return statSync(to).size;
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

function syncFile(path: string, flags: "r" | "r+"): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
