// Finds live processes: each locks a small file beside the database, and the system unlocks it when they end.
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { LiveNode } from "../../core/live-nodes.ts";
import { isLocked } from "./connection.ts";

const TRIES_MAX = 10;
/** Another process may be checking the file at the same moment. */
const LOOKED_AT_MS = 100;
/** A file has this at its end until it is locked. */
const NEW = ".new";
/** A node's id has the version of the schema that its program knows, but those of 1.2 and older. */
const NODE = /-(node_(?:(\d+)_)?[0-9a-f]+)(\.new)?$/;

/** Returns a new id for a node whose program knows the schema up to this version. Its lock's file has it in its name. */
export function makeNodeId(version: number, random: string): string {
  return `node_${version}_${random}`;
}

/** The lock of one process, taken once. A store in memory needs none. */
export class NodeLock {
  readonly #path: string | null;
  #held: Database | null = null;

  constructor(databasePath: string | null, node: string) {
    this.#path = databasePath === null ? null : lockPath(databasePath, node);
  }

  /**
   * Takes the lock unless it is held, and removes the files of processes that ended. Under its own name the file is locked
   * from the start, and no other ever has that name: a process that can lock such a file may remove it.
   */
  acquire(): void {
    if (this.#held !== null || this.#path === null) return;
    let cause: unknown;
    for (let tries = 0; this.#held === null && tries < TRIES_MAX; tries++) {
      try {
        this.#held = lockedAs(this.#path);
      } catch (error) {
        // Another process has locked or removed the new file before it was locked here.
        cause = error;
      }
    }
    if (this.#held === null) throw new Error("This process's lock can't be acquired.", { cause });
    clearAway(this.#path);
  }

  release(): void {
    this.#held?.close();
    this.#held = null;
    if (this.#path === null) return;
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // On a read-only disk the file stays, without a lock: the next process that checks it removes it.
    }
  }
}

/** True if the node's process has ended: its lock is free or its file is gone. Leaves no file behind. */
export function hasEnded(databasePath: string, node: string): boolean {
  const path = lockPath(databasePath, node);
  if (!existsSync(path)) return true;
  try {
    const file = locked(path, false);
    rmSync(path, { force: true });
    file.close();
  } catch (error) {
    if (isLocked(error)) return false;
    // Another process removed it first.
    if (existsSync(path)) throw error;
  }
  return true;
}

/** Returns the live nodes on the database. */
export function listNodes(databasePath: string): readonly LiveNode[] {
  return readdirSync(dirname(databasePath)).flatMap((name) => {
    const [end = "", id = "", known, isNew] = NODE.exec(name) ?? [];
    if (name !== basename(databasePath) + end || end === "" || isNew !== undefined) return [];
    return hasEnded(databasePath, id) ? [] : [{ id, schema: known === undefined ? null : Number(known) }];
  });
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

/** Makes a file and locks it, and only then gives it its name. */
function lockedAs(path: string): Database {
  const held = locked(path + NEW, true);
  try {
    renameSync(path + NEW, path);
    return held;
  } catch (error) {
    held.close();
    throw error;
  }
}

/** Opens the file and locks it. SQLite's locks apply across processes and within one. */
function locked(path: string, create: boolean): Database {
  const file = new Database(path, { readwrite: true, create });
  try {
    file.run(`PRAGMA busy_timeout = ${create ? LOOKED_AT_MS : 0}`);
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

/** Makes a file that one process at a time holds, until it ends. Returns what lets go of it, or null if another holds it. */
export function holdFile(path: string): (() => void) | null {
  try {
    const held = locked(path, true);
    return () => held.close();
  } catch (error) {
    if (isLocked(error)) return null;
    throw error;
  }
}
