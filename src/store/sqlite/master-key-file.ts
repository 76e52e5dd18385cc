// The file beside the database that stores the master key, readable by its owner only.
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** The file `master.key` in the database's folder. */
export function masterKeyFile(databasePath: string) {
  const path = join(dirname(databasePath), "master.key");
  return { path, read: () => readText(path), make: (text: string) => makeText(path, text) };
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
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
  return readFileSync(path, "utf8");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
