// All store suites on a PostgreSQL database, directly or through a pooler.
import { afterAll, describe } from "bun:test";
import { SQL } from "bun";
import type { Decide } from "../../src/core/decision.ts";
import type { Store } from "../../src/core/store.ts";
import { Dialer } from "../../src/store/postgres/dialer.ts";
import { Pool } from "../../src/store/postgres/pool.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { findTraits } from "../../src/store/postgres/traits.ts";
import { bestSuite } from "../webhooks/best.suite.ts";
import { chatsSuite } from "../webhooks/chats.suite.ts";
import { deliverySuite } from "../webhooks/delivery.suite.ts";
import { digestsSuite } from "../webhooks/digests.suite.ts";
import { auditSuite } from "./audit/audit.suite.ts";
import { chainingSuite } from "./audit/chaining.suite.ts";
import { repeatsSuite } from "./audit/repeats.suite.ts";
import { accountsSuite } from "./engine/accounts.suite.ts";
import { entriesSuite } from "./engine/entries.suite.ts";
import { foldingSuite } from "./engine/folding.suite.ts";
import { lateSuite } from "./engine/late.suite.ts";
import { nodesSuite } from "./engine/nodes.suite.ts";
import { sortedSuite } from "./engine/sorted.suite.ts";
import { eventsSuite } from "./events/events.suite.ts";
import { webhooksSuite } from "./events/webhooks.suite.ts";
import { foreignSuite } from "./keys/foreign.suite.ts";
import { keysSuite } from "./keys/keys.suite.ts";
import { movesSuite } from "./keys/moves.suite.ts";
import { limitRequestsSuite } from "./limits/limit-requests.suite.ts";
import { limitsSuite } from "./limits/limits.suite.ts";
import { warningsSuite } from "./limits/warnings.suite.ts";
import { callsSuite } from "./log/calls.suite.ts";
import { tagsSuite } from "./log/tags.suite.ts";
import { batchSuite } from "./models/batches.suite.ts";
import { cacheSuite } from "./models/cache.suite.ts";
import { filesSuite } from "./models/files.suite.ts";
import { lessonFilesSuite } from "./models/lesson-files.suite.ts";
import { lessonsSuite } from "./models/lessons.suite.ts";
import { refusalLessonsSuite } from "./models/refusal-lessons.suite.ts";
import { repliesSuite } from "./models/replies.suite.ts";
import { responsesSuite } from "./models/responses.suite.ts";
import { resultRoomSuite } from "./models/result-room.suite.ts";
import { toolSessionSuite } from "./models/tool-sessions.suite.ts";
import { billingSuite } from "./money/billing.suite.ts";
import { checkoutsSuite } from "./money/checkouts.suite.ts";
import { moneySuite } from "./money/money.suite.ts";
import { movementsSuite } from "./money/movements.suite.ts";
import { statementsSuite } from "./money/statements.suite.ts";
import { consoleSuite } from "./people/console.suite.ts";
import { devicesSuite } from "./people/devices.suite.ts";
import { erasingSuite } from "./people/erasing.suite.ts";
import { storeSuite } from "./store.suite.ts";
import type { StoreBench } from "./two-stores.ts";

const PATIENCE_MS = 30_000;
const CONNECTIONS = 3;

export interface Addresses {
  /** The URL of a store that is migrated. */
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
  accountsSuite,
  entriesSuite,
  nodesSuite,
  lateSuite,
  limitsSuite,
  limitRequestsSuite,
  refusalLessonsSuite,
  repliesSuite,
  lessonsSuite,
  lessonFilesSuite,
  auditSuite,
  chainingSuite,
  repeatsSuite,
  consoleSuite,
  keysSuite,
  sortedSuite,
  foldingSuite,
  foreignSuite,
  devicesSuite,
  erasingSuite,
  eventsSuite,
  movesSuite,
  responsesSuite,
  batchSuite,
  cacheSuite,
  toolSessionSuite,
  filesSuite,
  resultRoomSuite,
  webhooksSuite,
  deliverySuite,
  chatsSuite,
  digestsSuite,
  bestSuite,
];

export async function runSql(url: string, sql: string): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  await database.unsafe(sql);
}

/** A statement that changes no row is refused as well. */
const REFUSE_WRITES = `
  CREATE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no writes'; END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TRIGGER no_writes BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION refuse_write()', name);
    END LOOP;
  END $$`;

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
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('schema_version', 'directory')
    ORDER BY tablename = 'account'`;
  const statements = found.map(({ name }) => `DELETE FROM ${name}`);
  const account = "INSERT INTO account (id, name, created_at_ms) VALUES ('default', 'default', 1)";
  const directory = "UPDATE directory SET users = 0";
  await database.unsafe([...statements, directory, account].join("; "));
}

/** The suites choose the time, and the machine may be busy. */
async function openStore(url: string, decide: Decide, pool?: Pool): Promise<Store> {
  const store = await openPostgresStore({
    url,
    decide: (rows, demands) => decide({ ...rows, nowMs: null }, demands),
    patienceMs: PATIENCE_MS,
    connections: CONNECTIONS,
    ...(pool && { pool }),
  });
  return {
    ...store,
    read: async (reads) => ({ ...(await store.read(reads)), nowMs: null }),
    readAccounts: async (...asked) => ({ ...(await store.readAccounts(...asked)), nowMs: null }),
  };
}

/**
 * Opens stores whose connections the next one gets: new ones would read the catalogue and parse every statement again, and each
 * costs the server a process.
 */
function makeNextOpener(address: () => string): StoreBench["open"] {
  const spare: Pool[] = [];
  afterAll(() => Promise.all(spare.map((pool) => pool.close(0))));
  return async (decide) => {
    const pool = spare.pop() ?? (await openPool(address()));
    const store = await openStore(address(), decide, pool);
    let isOpen = true;
    const close = async () => {
      await store.close();
      if (isOpen) spare.push(pool);
      isOpen = false;
    };
    return { ...store, close };
  };
}

async function openPool(url: string): Promise<Pool> {
  const dialer = new Dialer({ url });
  const traits = await findTraits(dialer, PATIENCE_MS);
  return new Pool(dialer, traits, {
    patienceMs: PATIENCE_MS,
    connections: CONNECTIONS,
    searchPath: undefined,
  });
}

/** `addresses` is called when the tests run, because a server may start in between. */
export function runPostgresSuites(title: string, addresses: () => Addresses): void {
  const raw = (sql: string) => runSql(addresses().direct, sql);
  const dispose = makeEmptier(() => addresses().direct);
  let refusesWrites = false;
  const openNext = makeNextOpener(() => addresses().store);
  const makeBench = (): StoreBench => ({
    open: (decide) => openStore(addresses().store, decide),
    openNext,
    // It has been silent for long, and the nodes that judge it have been running all the time.
    forsake: ({ node }) =>
      raw(`UPDATE node SET since_at = since_at - interval '1 minute',
             beat_at = beat_at - CASE id WHEN '${node}' THEN interval '16 seconds' ELSE interval '0' END`),
    raw,
    refuseWrites: () => {
      refusesWrites = true;
      return raw(REFUSE_WRITES);
    },
    allowWrites: async () => {
      if (refusesWrites) await raw("DROP FUNCTION IF EXISTS refuse_write CASCADE");
      refusesWrites = false;
    },
    dispose,
  });
  // Each suite has its own block, so that its setup runs before its own tests only.
  for (const suite of SUITES) describe(title, () => suite("postgres", makeBench));
}
