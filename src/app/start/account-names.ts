// The accounts and keys that a store has by now, for warnings of `poundkey check`.
import { findDatabaseFile, storeExists } from "./open-store.ts";

/**
 * Returns how many accounts each name or id means in the store at this address. Null if that isn't known: there is no store yet, it
 * can't be read, or it is a server's and `mayConnect` is false.
 */
export function readAccountNames(
  address: string,
  mayConnect: boolean,
): Promise<ReadonlyMap<string, number> | null> {
  return look(address, mayConnect, async (path) => {
    const { readPostgresAccounts, readSqliteAccounts } = await import(
      "../../store/unopened/account-names.ts"
    );
    return path === null ? readPostgresAccounts(address) : readSqliteAccounts(path);
  });
}

/** Returns the names and ids of the accounts that give each member a hard budget. Null as for `readAccountNames`. */
export function readBoundAccounts(address: string, mayConnect: boolean): Promise<ReadonlySet<string> | null> {
  return look(address, mayConnect, async (path) => {
    const { readPostgresBounds, readSqliteBounds } = await import("../../store/unopened/account-names.ts");
    return path === null ? readPostgresBounds(address) : readSqliteBounds(path);
  });
}

/** Returns the keys that have a list of models. Null as for `readAccountNames`. */
export function readKeyModels(
  address: string,
  mayConnect: boolean,
): Promise<readonly StoredKeyModels[] | null> {
  return look(address, mayConnect, async (path) => {
    const { readPostgresKeyModels, readSqliteKeyModels } = await import(
      "../../store/unopened/account-names.ts"
    );
    return path === null ? readPostgresKeyModels(address) : readSqliteKeyModels(path);
  });
}

/** Returns the names and ids of the keys that aren't revoked. Null as for `readAccountNames`. */
export function readKeyNames(address: string, mayConnect: boolean): Promise<ReadonlySet<string> | null> {
  return look(address, mayConnect, async (path) => {
    const { readPostgresKeyNames, readSqliteKeyNames } = await import(
      "../../store/unopened/account-names.ts"
    );
    return path === null ? readPostgresKeyNames(address) : readSqliteKeyNames(path);
  });
}

/** Returns the groups of the company's directory. Null as for `readAccountNames`. */
export function readGroupNames(address: string, mayConnect: boolean): Promise<readonly NamedGroup[] | null> {
  return look(address, mayConnect, async (path) => {
    const { readPostgresGroups, readSqliteGroups } = await import("../../store/unopened/account-names.ts");
    return path === null ? readPostgresGroups(address) : readSqliteGroups(path);
  });
}

type NamedGroup = { readonly name: string; readonly externalId: string | null };

type StoredKeyModels = { readonly id: string; readonly name: string; readonly models: readonly string[] };

/** `read` gets the path of the store's file, null for a server. */
async function look<Seen>(
  address: string,
  mayConnect: boolean,
  read: (path: string | null) => Promise<Seen>,
): Promise<Seen | null> {
  const path = findDatabaseFile(address);
  if (path === null ? !mayConnect : !storeExists(path)) return null;
  try {
    return await read(path);
  } catch {
    return null;
  }
}
