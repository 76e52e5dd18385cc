// A file that one process at a time holds. The system lets go of it when the process ends, however it ends.
import { Database } from "bun:sqlite";
import { isLocked } from "./connection.ts";

/** Opens the file and locks it. SQLite's locks apply across processes and within one. Throws if another holds it. */
export function openLocked(path: string, create: boolean, waitMs: number): Database {
  const file = new Database(path, { readwrite: true, create });
  try {
    file.run(`PRAGMA busy_timeout = ${waitMs}`);
    // Nothing is ever written, and a journal file would stay behind if the process is killed at the wrong moment.
    file.run("PRAGMA journal_mode = MEMORY");
    file.run("PRAGMA locking_mode = EXCLUSIVE");
    file.run("BEGIN EXCLUSIVE");
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Makes the file if there is none. Returns what lets go of it, or null if another process holds it. */
export function holdFile(path: string): (() => void) | null {
  try {
    const held = openLocked(path, true, 0);
    return () => held.close();
  } catch (error) {
    if (isLocked(error)) return null;
    throw error;
  }
}
