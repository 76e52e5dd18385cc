// Reads the accounts' names from a store that isn't opened, for a check of the configuration: nothing is written.
import { Database } from "bun:sqlite";
import { type Found, readText } from "./found.ts";
import { makeClient } from "./postgres/traits.ts";

const ACCOUNTS = "SELECT id, name FROM account";

/** Returns names and ids. Throws if the file is no store. */
export function readSqliteAccounts(path: string): ReadonlySet<string> {
  const database = new Database(path, { readonly: true });
  try {
    return joinNames(database.query<Found, []>(ACCOUNTS).all());
  } finally {
    database.close();
  }
}

/** Returns names and ids. Rejects if the server doesn't answer or holds no store. */
export async function readPostgresAccounts(url: string): Promise<ReadonlySet<string>> {
  const client = makeClient(url, { settings: {}, max: 1, idleSeconds: 1, prepare: false });
  try {
    const rows: readonly Found[] = await client.unsafe(ACCOUNTS);
    return joinNames(rows);
  } finally {
    await client.close();
  }
}

function joinNames(rows: readonly Found[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => [readText(row, "id"), readText(row, "name")]));
}
