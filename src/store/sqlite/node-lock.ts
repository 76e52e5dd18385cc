// Finds the processes that live: each holds the lock of a small file beside the database, and the system frees it when they end.
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isLocked } from "./connection.ts";

const TRIES_MAX = 10;
/** The file may be looked at by another process at the same moment. */
const LOOKED_AT_MS = 100;
const NODE = /-node_[0-9a-f]+$/;

/** The lock of one life of a process, taken at most once. In memory there is nobody to tell. */
export class NodeLock {
  readonly #path: string | null;
  #held: Database | null = null;

  constructor(databasePath: string | null, node: string) {
    this.#path = databasePath === null ? null : lockPath(databasePath, node);
  }

  /** Takes the lock unless it is held, and clears away the files of those that ended. */
  take(): void {
    if (this.#held !== null || this.#path === null) return;
    let cause: unknown;
    for (let tries = 0; this.#held === null && tries < TRIES_MAX; tries++) {
      try {
        const held = locked(this.#path, true);
        // Between its making and its locking somebody else may have taken the file for one that was left behind.
        if (existsSync(this.#path)) this.#held = held;
        else held.close();
      } catch (error) {
        // Or in the midst of its locking.
        cause = error;
      }
    }
    if (this.#held === null) throw new Error("The lock of this process can't be had.", { cause });
    clearAway(this.#path);
  }

  release(): void {
    this.#held?.close();
    this.#held = null;
    if (this.#path === null) return;
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // On a disk that can't be written it stays, without a lock: the next process that looks at it removes it.
    }
  }
}

/** True if the process of that node has ended: its lock can be had, or is gone. Leaves nothing behind. */
export function hasEnded(databasePath: string, node: string): boolean {
  const path = lockPath(databasePath, node);
  if (!existsSync(path)) return true;
  try {
    const file = locked(path, false);
    // Before it is let go: its process may be about to take it, and would be left with a lock that nobody sees.
    rmSync(path, { force: true });
    file.close();
  } catch (error) {
    if (isLocked(error)) return false;
    // Somebody else was faster.
    if (existsSync(path)) throw error;
  }
  return true;
}

function lockPath(databasePath: string, node: string): string {
  return `${databasePath}-${node}`;
}

function clearAway(own: string): void {
  const folder = dirname(own);
  const prefix = basename(own).replace(NODE, "");
  for (const name of readdirSync(folder)) {
    if (!NODE.test(name) || name.replace(NODE, "") !== prefix || name === basename(own)) continue;
    hasEnded(`${folder}/${prefix}`, name.slice(prefix.length + 1));
  }
}

/** The file with its lock taken. SQLite's locks go by the file, across processes and within one. */
function locked(path: string, create: boolean): Database {
  const file = new Database(path, { readwrite: true, create });
  try {
    file.run(`PRAGMA busy_timeout = ${create ? LOOKED_AT_MS : 0}`);
    // Nothing is ever written, and a journal beside it would stay where a process is killed at the wrong moment.
    file.run("PRAGMA journal_mode = MEMORY");
    file.run("PRAGMA locking_mode = EXCLUSIVE");
    file.run("BEGIN EXCLUSIVE");
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
