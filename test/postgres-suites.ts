// All store suites on a PostgreSQL database, directly or through a pooler.
import { afterAll, describe } from "bun:test";
import { SQL } from "bun";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { storeSuite } from "./store.suite.ts";
import { auditSuite } from "./store-audit.suite.ts";
import { billingSuite } from "./store-billing.suite.ts";
import { cacheSuite } from "./store-cache.suite.ts";
import { callsSuite } from "./store-calls.suite.ts";
import { chainingSuite } from "./store-chaining.suite.ts";
import { checkoutsSuite } from "./store-checkouts.suite.ts";
import { consoleSuite } from "./store-console.suite.ts";
import { devicesSuite } from "./store-devices.suite.ts";
import { entriesSuite } from "./store-entries.suite.ts";
import { erasingSuite } from "./store-erasing.suite.ts";
import { eventsSuite } from "./store-events.suite.ts";
import { foldingSuite } from "./store-folding.suite.ts";
import { foreignSuite } from "./store-foreign.suite.ts";
import { keysSuite } from "./store-keys.suite.ts";
import { lateSuite } from "./store-late.suite.ts";
import { lessonFilesSuite } from "./store-lesson-files.suite.ts";
import { lessonsSuite } from "./store-lessons.suite.ts";
import { limitRequestsSuite } from "./store-limit-requests.suite.ts";
import { limitsSuite } from "./store-limits.suite.ts";
import { moneySuite } from "./store-money.suite.ts";
import { movementsSuite } from "./store-movements.suite.ts";
import { movesSuite } from "./store-moves.suite.ts";
import { nodesSuite } from "./store-nodes.suite.ts";
import { repliesSuite } from "./store-replies.suite.ts";
import { responsesSuite } from "./store-responses.suite.ts";
import { statementsSuite } from "./store-statements.suite.ts";
import { tagsSuite } from "./store-tags.suite.ts";
import { warningsSuite } from "./store-warnings.suite.ts";
import { webhooksSuite } from "./store-webhooks.suite.ts";
import type { StoreBench } from "./two-stores.ts";
import { bestSuite } from "./webhooks/best.suite.ts";
import { deliverySuite } from "./webhooks/delivery.suite.ts";

export interface Addresses {
  /** The URL that the store connects to. */
  readonly store: string;
  /** The same database for the tests themselves, as superuser. */
  readonly direct: string;
}

const SUITES = [
  storeSuite,
  moneySuite,
  movementsSuite,
  checkoutsSuite,
  statementsSuite,
  tagsSuite,
  callsSuite,
  warningsSuite,
  billingSuite,
  entriesSuite,
  nodesSuite,
  lateSuite,
  limitsSuite,
  limitRequestsSuite,
  repliesSuite,
  lessonsSuite,
  lessonFilesSuite,
  auditSuite,
  chainingSuite,
  consoleSuite,
  keysSuite,
  foldingSuite,
  foreignSuite,
  devicesSuite,
  erasingSuite,
  eventsSuite,
  movesSuite,
  responsesSuite,
  cacheSuite,
  webhooksSuite,
  deliverySuite,
  bestSuite,
];

export async function runSql(url: string, sql: string): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  await database.unsafe(sql);
}

/**
 * Empties a database before the next test, which is much faster than creating one. The connection stays open until the
 * file's last test: a new one would read the catalogue again.
 */
export function makeEmptier(address: () => string): () => Promise<void> {
  let database: SQL | undefined;
  afterAll(() => database?.close({ timeout: 0 }));
  return () => {
    database ??= new SQL(address(), { max: 1 });
    return emptyDatabase(database);
  };
}

async function emptyDatabase(database: SQL): Promise<void> {
  const found: readonly { name: string }[] = await database`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'
    ORDER BY tablename = 'account'`;
  const statements = found.map(({ name }) => `DELETE FROM ${name}`);
  const account = "INSERT INTO account (id, name, created_at_ms) VALUES ('default', 'default', 1)";
  await database.unsafe([...statements, account].join("; "));
}

/** `addresses` is called when the tests run, because a server may start in between. */
export function runPostgresSuites(title: string, addresses: () => Addresses): void {
  const raw = (sql: string) => runSql(addresses().direct, sql);
  const dispose = makeEmptier(() => addresses().direct);
  const makeBench = (): StoreBench => ({
    // The suites don't depend on time but choose it, and the machine may be busy. Every test opens two stores, and each connection
    // costs the server a process.
    open: async (decide) => {
      const store = await openPostgresStore({
        url: addresses().store,
        decide: (rows, demands) => decide({ ...rows, nowMs: null }, demands),
        patienceMs: 30_000,
        connections: 3,
      });
      return { ...store, read: async (reads) => ({ ...(await store.read(reads)), nowMs: null }) };
    },
    // It has been silent for long, and the nodes that judge it have been running all the time.
    forsake: ({ node }) =>
      raw(`UPDATE node SET since_at = since_at - interval '1 minute',
             beat_at = beat_at - CASE id WHEN '${node}' THEN interval '16 seconds' ELSE interval '0' END`),
    raw,
    dispose,
  });
  // Each suite has its own block, so that its setup runs before its own tests only.
  for (const suite of SUITES) describe(title, () => suite("postgres", makeBench));
}
