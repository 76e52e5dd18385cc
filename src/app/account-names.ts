// The accounts that a store has by now, for warnings of `poundkey check`.
import { findDatabaseFile, storeExists } from "./open-store.ts";

/**
 * Returns how many accounts each name or id means in the store at this address. Null if that isn't known: there is no store yet, it
 * can't be read, or it is a server's and `mayConnect` is false.
 */
export async function readAccountNames(
  address: string,
  mayConnect: boolean,
): Promise<ReadonlyMap<string, number> | null> {
  const path = findDatabaseFile(address);
  if (path === null ? !mayConnect : !storeExists(path)) return null;
  const { readPostgresAccounts, readSqliteAccounts } = await import("../store/account-names.ts");
  try {
    return path === null ? await readPostgresAccounts(address) : readSqliteAccounts(path);
  } catch {
    return null;
  }
}
