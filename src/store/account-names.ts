// Reads the accounts' names from a store that isn't opened, for a check of the configuration: nothing is written.
import { Database } from "bun:sqlite";
import { type Found, readText } from "./found.ts";
import { Dialer } from "./postgres/dialer.ts";

const ACCOUNTS = "SELECT id, name FROM account";

/** The number of accounts that a name or an id means. */
type AccountCounts = ReadonlyMap<string, number>;

/** Throws if the file is no store. */
export function readSqliteAccounts(path: string): AccountCounts {
  const database = new Database(path, { readonly: true });
  try {
    return countNames(database.query<Found, []>(ACCOUNTS).all());
  } finally {
    database.close();
  }
}

/** Rejects if the server doesn't answer or holds no store. */
export async function readPostgresAccounts(url: string): Promise<AccountCounts> {
  return countNames(await new Dialer({ url }).ask(ACCOUNTS));
}

/** An id means its own account, even if it is another's name. */
function countNames(rows: readonly Found[]): AccountCounts {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = readText(row, "name");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const row of rows) counts.set(readText(row, "id"), 1);
  return counts;
}
