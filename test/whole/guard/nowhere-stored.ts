// What a store holds, read past the gateway: the rows of its tables, and the cache's answers, which are sealed.
import { SQL } from "bun";
import { openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject, asString } from "../../../src/core/json/json.ts";
import { MASTER_KEY } from "../../harness/harness.ts";
import { listShown } from "./nowhere-canaries.ts";

/** The tables of a database with a value in a row. */
export async function readTables(url: string): Promise<readonly string[]> {
  await using sql = new SQL(url);
  const tables =
    await sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`;
  const shown: string[] = [];
  for (const table of asArray(tables)) {
    const name = String(asObject(table).name);
    const found = await sql`SELECT t::text AS row FROM ${sql(name)} t`;
    shown.push(...listShown(JSON.stringify(found)).map((detector) => `${detector} in ${name}`));
  }
  return shown;
}

/** Returns the answers that a cache keeps, opened. `database` is on PostgreSQL. */
export async function openCached(directory: string, database: string | null): Promise<readonly string[]> {
  const address = database ?? `sqlite:${directory}/poundkey.db`;
  await using sql = new SQL(database ?? `sqlite://${directory}/poundkey.db`);
  const { store, vault } = await openStore(address, database === null ? undefined : MASTER_KEY);
  const rows = asArray(await sql`SELECT id, sealed FROM cached_answer`).map(asObject);
  await store.close();
  return rows.map(({ id, sealed }) => vault.open(asString(sealed) ?? "", `cache ${id}`));
}
