// Overwrites, once, what programs from before freed in a file without overwriting it.
import { Database } from "bun:sqlite";

/** The setting of a file in which nothing that was deleted is left. New files have it. */
export const OVERWRITTEN = "freed_overwritten";
/** The setting of a file that a command is to overwrite, rather than the next start. */
const POSTPONED = "freed_overwritten_later";
const LOCK_WAIT_MS = 5000;

/** `postponed` waits for the command, `due` for a gateway's start. */
type Overwriting = "done" | "postponed" | "due";

export function readOverwriting(path: string): Overwriting {
  using database = new Database(path, { readonly: true });
  const has = (name: string) => database.query("SELECT 1 FROM setting WHERE name = ?").get(name) !== null;
  if (has(OVERWRITTEN)) return "done";
  return has(POSTPONED) ? "postponed" : "due";
}

/** Notes that the command overwrites the file, rather than the next start. Throws SQLite's error. */
export function postponeOverwriting(path: string): void {
  using database = new Database(path, { readwrite: true, create: false });
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  database.run("INSERT INTO setting (name, value) VALUES (?, '1') ON CONFLICT (name) DO NOTHING", [
    POSTPONED,
  ]);
}

/** Rewrites the whole file, without what was deleted. Throws SQLite's error. */
export function overwriteFreed(path: string): void {
  using database = new Database(path, { readwrite: true, create: false });
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  database.run("PRAGMA secure_delete = ON");
  database.run("VACUUM");
  database.run("INSERT INTO setting (name, value) VALUES (?, '1') ON CONFLICT (name) DO NOTHING", [
    OVERWRITTEN,
  ]);
  database.run("DELETE FROM setting WHERE name = ?", [POSTPONED]);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}
