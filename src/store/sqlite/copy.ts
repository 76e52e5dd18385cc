// A consistent copy of a SQLite store's file, made while gateways go on writing to it.
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LOCK_WAIT_MS } from "./store.ts";

/** The database, and what a copy of it holds the secrets of: for its owner's eyes only. */
const FILE_MODE = 0o600;

/**
 * Copies the database at `from` as of one moment to the new file `to`; gives its size in bytes. Readers of a log don't
 * keep its writer waiting, so the gateways only can't shorten their log meanwhile.
 *
 * `to` is there from the beginning, empty, so that nothing else takes the name, and gets the copy whole: once it was
 * checked and is on disk. Throws an Error when there is such a file already, or the copy can't be made or is damaged.
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

/** SQLite's own backup would begin again with each write of another process; this is one transaction of a reader. */
function writeCopy(from: string, to: string): void {
  const database = new Database(from, { readonly: true });
  try {
    database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    database.run("VACUUM INTO ?", [to]);
  } finally {
    database.close();
  }
}

function checkCopy(path: string): void {
  const database = new Database(path, { readonly: true });
  try {
    const found = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get();
    if (found?.integrity_check !== "ok") throw new Error(`the copy is damaged: ${found?.integrity_check}`);
  } finally {
    database.close();
  }
}

function syncFile(path: string, flags: "r" | "r+"): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
