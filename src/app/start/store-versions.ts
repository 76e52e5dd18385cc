// The versions of a store's schema, and the nodes on it, without opening it.
import type { RowChange } from "../../core/changes.ts";
import { filterOlder, type LiveNode } from "../../core/live-nodes.ts";
import { countStepsNeeded } from "../../store/schema/newer-rules.ts";
import { STEPS } from "../../store/schema/steps.ts";
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
  const [{ readPostgresVersions }, { readSqliteVersions }, { asDamage }] = await Promise.all([
    import("../../store/postgres/versions.ts"),
    import("../../store/sqlite/versions.ts"),
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

/** Returns the live nodes of older programs that rows like these would stop. None if the store isn't there or can't be read. */
export async function listStopped(
  address: string,
  changes: readonly RowChange[],
): Promise<readonly LiveNode[]> {
  const stepsKnown = Math.max(0, ...changes.map(countStepsNeeded));
  const found = stepsKnown === 0 ? null : await readStoreVersions(address, true);
  if (found === null || !("known" in found)) return [];
  const version = found.known - STEPS.length + stepsKnown;
  return found.oldestSupported < version ? filterOlder(found.live, version) : [];
}
