// The file beside the database that stores the master key, readable by its owner only.
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** The file `master.key` in the database's folder. */
export function masterKeyFile(databasePath: string) {
  return keyFile(join(dirname(databasePath), "master.key"));
}

/** A file with a master key. */
export function keyFile(path: string) {
  return {
    path,
    read: () => readText(path),
    make: (text: string) => makeText(path, text),
    replace: (text: string, suffix: string) => replaceText(path, text, `${path}${suffix}`),
  };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/**
 * Creates the file atomically, never overwriting another process's. It is written and synced under another name (a key
 * lost in a power failure would make every secret worthless), then linked into place. Returns the file's content.
 */
function makeText(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, "utf8");
}

/** A process that starts meanwhile finds the file with either text. */
function replaceText(path: string, text: string, kept: string): string {
  const draft = writeDraft(path, text);
  try {
    rmSync(kept, { force: true });
    linkSync(path, kept);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return kept;
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
