// Migrates a SQLite file's schema.
import type { Database } from "bun:sqlite";
import { MIGRATIONS } from "./migrations.ts";

/** Returns the version of the file's schema. 0 if it has none yet. */
export function readVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Migrates the schema. Throws if it is newer than this program, which would misread it. */
export function migrate(database: Database): void {
  if (readVersion(database) === MIGRATIONS.length) return;
  database
    .transaction(() => {
      // Read again under the lock: another process may have migrated meanwhile.
      const version = readVersion(database);
      if (version > MIGRATIONS.length) {
        throw new Error(
          `it was written by a newer version of Poundkey (schema ${version}; this version supports up to ${MIGRATIONS.length})`,
        );
      }
      for (const step of MIGRATIONS.slice(version)) database.run(step);
      database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}
