// Overwrites, once, what programs from before freed in a file without overwriting it.
import { Database } from "bun:sqlite";

/** The setting of a file in which nothing that was deleted is left. New files have it. */
export const OVERWRITTEN = "freed_overwritten";
const LOCK_WAIT_MS = 5000;

/** True if it has to be done. */
export function needsOverwriting(path: string): boolean {
  using database = new Database(path, { readonly: true });
  return database.query("SELECT 1 FROM setting WHERE name = ?").get(OVERWRITTEN) === null;
}

/** Rewrites the whole file. People who were made anonymous before are erased by it. Throws SQLite's error. */
export function overwriteFreed(path: string, nowMs: number): void {
  using database = new Database(path, { readwrite: true, create: false });
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  database.run("PRAGMA secure_delete = ON");
  database.run("VACUUM");
  database.run("INSERT INTO setting (name, value) VALUES (?, '1') ON CONFLICT (name) DO NOTHING", [
    OVERWRITTEN,
  ]);
  database.run(
    "UPDATE member SET erased_at_ms = ? WHERE anonymised_at_ms IS NOT NULL AND erased_at_ms IS NULL AND email IS NULL",
    [nowMs],
  );
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}
