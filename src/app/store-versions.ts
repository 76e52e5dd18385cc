// The versions of a store's schema, for `poundkey check`.
import type { SchemaVersions } from "../store/versions.ts";
import { findDatabaseFile, storeExists } from "./open-store.ts";

/** Null if there is no store yet, it can't be read, or it is a server's and `mayConnect` is false. */
export async function readStoreVersions(
  address: string,
  mayConnect: boolean,
): Promise<SchemaVersions | null> {
  const path = findDatabaseFile(address);
  if (path === null ? !mayConnect : !storeExists(path)) return null;
  const { readPostgresVersions, readSqliteVersions } = await import("../store/versions.ts");
  try {
    return path === null ? await readPostgresVersions(address) : readSqliteVersions(path);
  } catch {
    return null;
  }
}
