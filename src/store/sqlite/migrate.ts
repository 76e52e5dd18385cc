// Migrates a SQLite file's schema.
import { Database } from "bun:sqlite";
import type { Value } from "../columns/found.ts";
import { recordMigration } from "../engine/migrated.ts";
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

export interface MigrationHooks {
  /** Called after each step. */
  readonly onStep?: (() => void) | undefined;
  /** Called before the support for programs that know less than a version of the schema ends. Throws if it may not. */
  readonly checkEnd?: ((version: number) => void) | undefined;
}

/**
 * Migrates the schema, unless another process has taken it further. Each step of a store with rows is a transaction of its
 * own, so that one which is killed goes on where it was. Throws if this program is too old.
 */
export function migrate(database: Database, schema: Schema<string>, hooks: MigrationHooks = {}): void {
  if (isMigrated(database, schema)) return;
  const from = readVersion(database);
  for (let isOver = false; !isOver; hooks.onStep?.())
    isOver = database.transaction(() => takeSteps(database, schema, from, hooks)).immediate();
}

/** Takes all steps of a new store, and one of another. Returns true after the last one. */
function takeSteps(
  database: Database,
  schema: Schema<string>,
  from: number,
  { checkEnd }: MigrationHooks,
): boolean {
  // Read again under the lock: another process may have migrated meanwhile.
  if (isMigrated(database, schema)) return true;
  const version = readVersion(database);
  const supported = readOldestSupported(database);
  const oldestSupported = Math.max(supported, schema.oldestSupported);
  if (version > 0 && oldestSupported > supported) checkEnd?.(oldestSupported);
  const next = version === 0 ? schema.version : version + 1;
  for (const step of schema.steps.slice(version, next)) database.run(step);
  database.run(`PRAGMA user_version = ${next}`);
  // Older programs are refused from the first step on, since any of them may be the one that they can't live with.
  database.run(
    `INSERT INTO setting (name, value) VALUES ('oldest_supported', ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(oldestSupported)],
  );
  if (version === 0) database.run(`INSERT INTO setting (name, value) VALUES ('${OVERWRITTEN}', '1')`);
  if (next < schema.version) return false;
  for (const { text, values } of recordMigration(() => "?", from, schema.version))
    database.query<unknown, Value[]>(text).run(...values);
  return true;
}

function isMigrated(database: Database, { version }: Schema<string>): boolean {
  const reason = explainUnsupported(version, readOldestSupported(database));
  if (reason !== null) throw new Error(reason);
  return readVersion(database) >= version;
}
