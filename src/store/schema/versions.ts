// Reads the version of a store's schema without opening it as a store: nothing is written.
import { readInteger } from "../engine/found.ts";
import { Dialer } from "../postgres/dialer.ts";
import { makePostgresSchema, VERSION } from "../postgres/migrations.ts";

import { makeSqliteSchema, readSchema } from "../sqlite/migrate.ts";

export interface SchemaVersions {
  /** The version that this program knows, and migrates older ones to. */
  readonly known: number;
  /** The version of the store. 0 if it has no schema yet. */
  readonly stored: number;
  /** The lowest version that a program has to know to use the store. */
  readonly oldestSupported: number;
}

/** Throws if the file is no database. */
export function readSqliteVersions(path: string): SchemaVersions {
  return { known: makeSqliteSchema().version, ...readSchema(path) };
}

/** Rejects if the server doesn't answer or holds no store. */
export async function readPostgresVersions(url: string): Promise<SchemaVersions> {
  const [row = {}] = await new Dialer({ url }).ask(VERSION);
  const { version: known } = makePostgresSchema();
  return {
    known,
    stored: readInteger(row, "version"),
    oldestSupported: readInteger(row, "oldest_supported"),
  };
}
