// Migrates a SQLite file's schema.
import { Database } from "bun:sqlite";
import type { Value } from "../engine/found.ts";
import { recordMigration } from "../schema/migrated.ts";
import { explainUnsupported, makeSchema, type Schema, type Step } from "../schema/schema-step.ts";
import { STEPS } from "../schema/steps.ts";
import { FIRST_STEPS } from "./migrations.ts";
import { OVERWRITTEN } from "./overwrite.ts";
import { renderStep } from "./render-step.ts";

/** Step n makes version n + 1. A released step is never changed: a change is a new step. */
export function makeSqliteSchema(shared: readonly Step[] = STEPS): Schema<string> {
  return makeSchema(FIRST_STEPS, shared, renderStep);
}

/** Returns the version of the file's schema. 0 if it has none yet. */
export function readVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Returns the lowest version that a program needs for the file. 0 if any will do. */
export function readOldestSupported(database: Database): number {
  if (readVersion(database) === 0) return 0;
  const found = database
    .query<{ value: string }, []>("SELECT value FROM setting WHERE name = 'oldest_supported'")
    .get();
  return Number(found?.value ?? 0);
}

/** Reads a file that isn't opened as a store. Throws SQLite's error if it is no database. */
export function readSchema(path: string): { readonly stored: number; readonly oldestSupported: number } {
  using database = new Database(path, { readonly: true });
  return { stored: readVersion(database), oldestSupported: readOldestSupported(database) };
}

/** Migrates the schema, unless another process has taken it further. Throws if this program is too old for it. */
export function migrate(database: Database, schema: Schema<string>): void {
  if (isMigrated(database, schema)) return;
  database
    .transaction(() => {
      // Read again under the lock: another process may have migrated meanwhile.
      if (isMigrated(database, schema)) return;
      const version = readVersion(database);
      for (const step of schema.steps.slice(version)) database.run(step);
      database.run(`PRAGMA user_version = ${schema.version}`);
      database.run(
        `INSERT INTO setting (name, value) VALUES ('oldest_supported', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [String(schema.oldestSupported)],
      );
      if (version === 0) database.run(`INSERT INTO setting (name, value) VALUES ('${OVERWRITTEN}', '1')`);
      for (const { text, values } of recordMigration(() => "?", version, schema.version))
        database.query<unknown, Value[]>(text).run(...values);
    })
    .immediate();
}

function isMigrated(database: Database, { version }: Schema<string>): boolean {
  const reason = explainUnsupported(version, readOldestSupported(database));
  if (reason !== null) throw new Error(reason);
  return readVersion(database) >= version;
}
