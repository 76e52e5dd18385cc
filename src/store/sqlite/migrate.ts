// Brings a SQLite file's schema up to date.
import type { Database } from "bun:sqlite";
import { MIGRATIONS } from "./migrations.ts";

/** The version of the file's schema; 0: it has none yet. */
export function readVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Brings the schema up to date. Throws when a newer program wrote the file: this one would misread it. */
export function migrate(database: Database): void {
  if (readVersion(database) === MIGRATIONS.length) return;
  database
    .transaction(() => {
      // Read again under the lock: another process may have migrated since.
      const version = readVersion(database);
      if (version > MIGRATIONS.length) {
        throw new Error(
          `it was written by a newer Poundkey (schema ${version}, this one knows up to ${MIGRATIONS.length})`,
        );
      }
      for (const step of MIGRATIONS.slice(version)) database.run(step);
      database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}
