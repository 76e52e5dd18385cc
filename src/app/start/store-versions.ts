// The versions of a store's schema, for `poundkey check`.
import type { SchemaVersions } from "../../store/schema/versions.ts";
import { findDatabaseFile, showPlace, storeExists } from "./open-store.ts";

/** A store whose versions can't be read. The problem is in the engine's words if it is about the store's file. */
export interface UnreadStore {
  readonly place: string;
  readonly problem: string;
}

/** Null if there is no store yet, or it is a server's and `mayConnect` is false. */
export async function readStoreVersions(
  address: string,
  mayConnect: boolean,
): Promise<SchemaVersions | UnreadStore | null> {
  const path = findDatabaseFile(address);
  if (path === null ? !mayConnect : !storeExists(path)) return null;
  const [{ readPostgresVersions, readSqliteVersions }, { asDamage }] = await Promise.all([
    import("../../store/schema/versions.ts"),
    import("../../store/sqlite/connection.ts"),
  ]);
  try {
    return path === null ? await readPostgresVersions(address) : readSqliteVersions(path);
  } catch (error) {
    // A server's own words may hold its address and its user.
    if (path === null) return { place: showPlace(address), problem: "it doesn't answer, or holds no store" };
    const words = error instanceof Error ? error.message : String(error);
    return { place: path, problem: asDamage(error)?.message ?? words };
  }
}
