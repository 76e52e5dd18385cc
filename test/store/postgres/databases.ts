// Databases on one PostgreSQL server, which the test files of a process share. It ends with the process.
import { SQL } from "bun";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

export interface Databases {
  /** The `postgres://…` URL of a store as its first start leaves it: with the newest schema and no rows of ours. */
  readonly url: string;
  /** Creates another such store, and returns its URL. */
  newStore(): Promise<string>;
  /** Creates a database, empty or a copy of one whose connections it ends, and returns its URL. */
  newDatabase(copied?: string): Promise<string>;
  /** Ends all connections to the databases and deletes them. */
  remove(): Promise<void>;
}

let shared: Promise<PostgresServer> | undefined;
let migrated: Promise<string> | undefined;

/** Starts the server at the first call. Files that set it up, stop it or kill it have one of their own (`startPostgres`). */
export async function useDatabases(): Promise<Databases> {
  shared ??= startPostgres();
  const server = await shared;
  const made: string[] = [];
  const newDatabase = async (copied?: string) => {
    const url = await server.newDatabase(copied);
    made.push(url);
    return url;
  };
  migrated ??= migrate(server);
  const newStore = async () => newDatabase(await migrated);
  return { url: await newStore(), newStore, newDatabase, remove: () => drop(server.url, made.splice(0)) };
}

async function migrate(server: PostgresServer): Promise<string> {
  const url = await server.newDatabase();
  await (await openPostgresStore({ url, decide, patienceMs: 30_000 })).close();
  return url;
}

async function drop(admin: string, urls: readonly string[]): Promise<void> {
  await using sql = new SQL(admin, { max: 1 });
  for (const url of urls) await sql.unsafe(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}
