// Reads the version of a SQLite store's schema, and the nodes on it, without opening it.
import type { SchemaVersions } from "../schema/versions.ts";
import { makeSqliteSchema, readSchema } from "./migrate.ts";
import { listNodes } from "./node-lock.ts";

/** Throws if the file is no database. */
export function readSqliteVersions(path: string): SchemaVersions {
  const { version: known, oldestSupported: supportedFrom } = makeSqliteSchema();
  return { known, supportedFrom, ...readSchema(path), live: listNodes(path) };
}
