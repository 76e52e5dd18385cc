// The PostgreSQL store: the suite of all stores, and what only a server that others use too can suffer.
import { afterAll } from "bun:test";
import { SQL } from "bun";
import { decide } from "../src/ledger/decide.ts";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { startPostgres } from "./postgres-server.ts";
import { type StoreBench, storeSuite } from "./store.suite.ts";
import { billingSuite } from "./store-billing.suite.ts";
import { moneySuite } from "./store-money.suite.ts";
import { nodesSuite } from "./store-nodes.suite.ts";
import { repliesSuite } from "./store-replies.suite.ts";

const server = await startPostgres();
afterAll(() => server.remove());
/** Migrated once: each test has a copy. */
await (await openPostgresStore({ url: server.url, decide })).close();

async function makeBench(): Promise<StoreBench> {
  const url = await server.newDatabase(server.url);
  const raw = async (sql: string) => {
    await using database = new SQL(url, { max: 1 });
    await database.unsafe(sql);
  };
  return {
    open: (decide) => openPostgresStore({ url, decide }),
    // It was silent for long, and those who judge have been there all the time.
    forsake: ({ node }) =>
      raw(`UPDATE node SET since_at = since_at - interval '1 minute',
             beat_at = beat_at - CASE id WHEN '${node}' THEN interval '16 seconds' ELSE interval '0' END`),
    raw,
    dispose: () => {},
  };
}

storeSuite("postgres", makeBench);
moneySuite("postgres", makeBench);
billingSuite("postgres", makeBench);
nodesSuite("postgres", makeBench);
repliesSuite("postgres", makeBench);
