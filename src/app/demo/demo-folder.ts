// A demo's own folder, in the user's cache: made at the start, locked while it runs, and gone at its end.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Environment } from "../../config/interpolate.ts";
import { hasEnded, NodeLock } from "../../store/sqlite/node-lock.ts";

const PRIVATE = 0o700;
const MODE_BITS = 0o777;
/** The names of folders that are whole, and of those that are being made. */
const RUN = "run-";
const DRAFT = "new-";
const DRAFT_MS = 60_000;
/** The lock is a file of this name, which the system unlocks when the process ends. */
const LOCK = { path: "lock", node: "node_0_0" } as const;

export interface DemoFolder {
  readonly path: string;
  /** Deletes it with all that is in it. */
  remove(): void;
}

/** Returns the folder of all demos, or null without a home. */
export function findDemosFolder(env: Environment["env"]): string | null {
  const cache = env("XDG_CACHE_HOME");
  if (cache && isAbsolute(cache)) return join(cache, "poundkey", "demo");
  const home = env("HOME");
  return home && isAbsolute(home) ? join(home, ".cache", "poundkey", "demo") : null;
}

/** Makes a folder below `parent`, and deletes what demos that were killed have left there. Throws an Error if others could write in it. */
export function makeDemoFolder(parent: string): DemoFolder {
  mkdirSync(parent, { recursive: true, mode: PRIVATE });
  requirePrivate(parent);
  removeLeft(parent);
  const draft = mkdtempSync(join(parent, DRAFT));
  chmodSync(draft, PRIVATE);
  const lock = new NodeLock(join(draft, LOCK.path), LOCK.node);
  lock.acquire();
  // Under its final name, it is locked from the first moment on.
  const path = join(parent, RUN + draft.slice(join(parent, DRAFT).length));
  renameSync(draft, path);
  return {
    path,
    remove() {
      lock.release();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function requirePrivate(parent: string): void {
  if (!isOwn(parent))
    throw new Error(
      `${parent} must be a folder of yours that nobody else may write: chmod 700 it, or set XDG_CACHE_HOME`,
    );
}

/** True for a folder of ours with the mode 0700. A link isn't one, wherever it leads. */
function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return false;
  const user = process.geteuid?.();
  return (user === undefined || stats.uid === user) && (stats.mode & MODE_BITS) === PRIVATE;
}

function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (isOwn(path) && isLeft(name, path)) rmSync(path, { recursive: true, force: true });
  }
}

function isLeft(name: string, path: string): boolean {
  if (name.startsWith(RUN)) return hasEnded(join(path, LOCK.path), LOCK.node);
  return name.startsWith(DRAFT) && Date.now() - lstatSync(path).mtimeMs > DRAFT_MS;
}
