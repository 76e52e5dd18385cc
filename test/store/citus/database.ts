// Further databases on a Citus cluster, with the store's tables distributed over its workers.
import { SQL } from "bun";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { runSql } from "../../suites/postgres-suites.ts";
import { useDatabases } from "../postgres/databases.ts";

const DISTRIBUTE = `${import.meta.dir}/distribute.sql`;

interface Databases {
  /** The URL of an empty database. */
  readonly url: string;
  newDatabase(): Promise<string>;
  remove(): Promise<void>;
}

/** A PostgreSQL server, or databases of the Citus cluster whose coordinator is in CITUS_URL. */
export async function startDatabases(): Promise<Databases> {
  const cluster = process.env.CITUS_URL;
  if (cluster === undefined) {
    const databases = await useDatabases();
    return { ...databases, url: await databases.newDatabase() };
  }
  const newDatabase = () => makeCitusDatabase(cluster);
  return { url: await newDatabase(), newDatabase, remove: async () => {} };
}

/** Creates the store's tables in the database and distributes them. */
export async function distribute(url: string): Promise<void> {
  await (await openPostgresStore({ url, decide, patienceMs: 30_000 })).close();
  await runSql(url, await Bun.file(DISTRIBUTE).text());
}

/** `url` names any database of the same cluster. */
export async function makeCitusDatabase(url: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await using sql = new SQL(url, { max: 1 });
  const workers: readonly { nodename: string; nodeport: number }[] = await sql`
    SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards`;
  const coordinator = new URL(url);
  const on = (database: string, port: string | number) => {
    const there = new URL(coordinator);
    there.port = String(port);
    there.pathname = `/${database}`;
    return there.href;
  };
  for (const port of [coordinator.port, ...workers.map(({ nodeport }) => nodeport)]) {
    await runSql(on("postgres", port), `CREATE DATABASE ${name}`);
    await runSql(on(name, port), "CREATE EXTENSION citus");
  }
  const made = on(name, coordinator.port);
  await runSql(made, `SELECT citus_set_coordinator_host('${coordinator.hostname}', ${coordinator.port})`);
  for (const { nodename, nodeport } of workers)
    await runSql(made, `SELECT citus_add_node('${nodename}', ${nodeport})`);
  await distribute(made);
  return made;
}
