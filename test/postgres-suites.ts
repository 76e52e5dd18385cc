// The suites of all stores on a PostgreSQL database, whatever stands between it and the gateway.
import { describe } from "bun:test";
import { SQL } from "bun";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { type StoreBench, storeSuite } from "./store.suite.ts";
import { billingSuite } from "./store-billing.suite.ts";
import { consoleSuite } from "./store-console.suite.ts";
import { lessonFilesSuite } from "./store-lesson-files.suite.ts";
import { lessonsSuite } from "./store-lessons.suite.ts";
import { moneySuite } from "./store-money.suite.ts";
import { nodesSuite } from "./store-nodes.suite.ts";
import { repliesSuite } from "./store-replies.suite.ts";
import { responsesSuite } from "./store-responses.suite.ts";

export interface Addresses {
  /** The store's. */
  readonly store: string;
  /** The same database for the tests themselves, as its superuser. */
  readonly direct: string;
}

const SUITES = [
  storeSuite,
  moneySuite,
  billingSuite,
  nodesSuite,
  repliesSuite,
  lessonsSuite,
  lessonFilesSuite,
  consoleSuite,
  responsesSuite,
];

export async function runSql(url: string, sql: string): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  await database.unsafe(sql);
}

/** Makes a database as a new one is, and much sooner than a new one is made. */
export async function emptyDatabase(url: string): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  const found: readonly { name: string }[] = await database`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'
    ORDER BY tablename = 'account'`;
  const statements = found.map(({ name }) => `DELETE FROM ${name}`);
  const account = "INSERT INTO account (id, name, created_at_ms) VALUES ('default', 'default', 1)";
  await database.unsafe([...statements, account].join("; "));
}

/** The addresses are asked for when the tests run, because a server may start in between. */
export function runPostgresSuites(title: string, addresses: () => Addresses): void {
  const raw = (sql: string) => runSql(addresses().direct, sql);
  const makeBench = (): StoreBench => ({
    // Nothing in the suites is about time, and the machine may be busy with other things. A connection costs the server
    // a process, and every test opens two stores.
    open: (decide) =>
      openPostgresStore({ url: addresses().store, decide, patienceMs: 30_000, connections: 3 }),
    // It was silent for long, and those who judge have been there all the time.
    forsake: ({ node }) =>
      raw(`UPDATE node SET since_at = since_at - interval '1 minute',
             beat_at = beat_at - CASE id WHEN '${node}' THEN interval '16 seconds' ELSE interval '0' END`),
    raw,
    dispose: () => emptyDatabase(addresses().direct),
  });
  // Each in its own block: what a suite opens before each of its tests is opened before no other's.
  for (const suite of SUITES) describe(title, () => suite("postgres", makeBench));
}
