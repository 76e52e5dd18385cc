// The statements and round trips of a paid request on PostgreSQL, counted on the wire: no load of the machine changes them.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import {
  costing,
  decideByDemand,
  give,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeKey,
  makeOutcome,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { type Counter, openCounter } from "./counter.ts";
import { type Databases, useDatabases } from "./databases.ts";

const COST = 1000;
const WARM_UP = 20;

let server: Databases;
let counter: Counter;
let store: Store;

beforeAll(async () => {
  server = await useDatabases();
  counter = await openCounter(server.url);
  store = await openPostgresStore({ url: counter.url, decide: decideByDemand, patienceMs: 30_000 });
}, 60_000);

beforeEach(() => store.beat());

afterAll(async () => {
  await store.close();
  await counter.stop();
  await server.remove();
});

async function makeKeys(accounts: number): Promise<readonly GatewayKey[]> {
  const run = crypto.randomUUID();
  const keys = Array.from({ length: accounts }, (_, at) =>
    makeKey(`key ${run} ${at}`, { accountId: `account ${run} ${at}` }),
  );
  for (const key of keys) {
    await unrecorded(store).addAccount(makeAccount(key.accountId));
    await unrecorded(store).addKey(key, `digest ${key.id}`);
    await give(store, key.accountId, 1_000_000_000);
  }
  return keys;
}

/** Admits and settles so many requests, `atOnce` of them at any time. */
async function pay(keys: readonly GatewayKey[], requests: number, atOnce: number): Promise<void> {
  const ledger = ledgerOn(store, { billing: { charge: "always" } });
  const run = crypto.randomUUID();
  let asked = 0;
  const payNext = async () => {
    while (asked < requests) {
      const id = asked++;
      const key = keys[id % keys.length];
      if (!key) return;
      const ticket = ledger.ticket(makeAsk(`${run} ${id}`, key, { offers: () => [costing(COST)] }));
      await ledger.admit(ticket);
      await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: COST }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, payNext));
}

/**
 * Alone, each of the two transactions is BEGIN, the lock, one read, one write and COMMIT, in two round trips. With a statement
 * for each table and a transaction for each account it was 23 statements in 8 round trips, and on ten accounts 9 in 3. Fewer
 * requests at once share a transaction, so each costs more. A slow machine adds heartbeats. Two nodes aren't counted: the locks
 * that each waits for in vain add to it under load.
 */
test.each([
  { name: "alone", accounts: 1, atOnce: 1, requests: 50, statementsMax: 11, tripsMax: 4.5 },
  {
    name: "one hot account",
    accounts: 1,
    atOnce: 32,
    requests: 2000,
    statementsMax: 0.5,
    tripsMax: 0.2,
  },
  {
    name: "ten accounts",
    accounts: 10,
    atOnce: 32,
    requests: 2000,
    statementsMax: 0.5,
    tripsMax: 0.2,
  },
  {
    name: "half as many at once",
    accounts: 10,
    atOnce: 16,
    requests: 2000,
    statementsMax: 0.8,
    tripsMax: 0.35,
  },
])(
  "$name: $statementsMax statements a request at most",
  async (row) => {
    const keys = await makeKeys(row.accounts);
    await pay(keys, WARM_UP * row.atOnce, row.atOnce);
    counter.take();
    await pay(keys, row.requests, row.atOnce);
    const { statements, roundTrips } = counter.take();
    const each = (count: number) => Math.round((count / row.requests) * 1000) / 1000;
    console.log(`${row.name}: ${each(statements)} statements, ${each(roundTrips)} round trips a request`);
    expect(each(statements)).toBeLessThanOrEqual(row.statementsMax);
    expect(each(roundTrips)).toBeLessThanOrEqual(row.tripsMax);
  },
  60_000,
);
