// Transactions that several accounts share on PostgreSQL: none waits for another's lock for long, none fails with another's
// demand, and nodes that share accounts don't block each other for ever.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Demand } from "../../../src/core/demand.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { IS_LONG } from "../../harness/long.ts";
import {
  costing,
  decideByDemand,
  give,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors } from "../../ledger/payments.ts";
import { Dice } from "../../sim/dice.ts";
import { runSql } from "../../suites/postgres-suites.ts";
import { until } from "../../whole/world/until.ts";
import { type Databases, useDatabases } from "./databases.ts";

const COST = 1000;
const GIVEN = 1_000_000_000;
/** Longer than a test may take: one that waits for a lock by this limit fails. */
const PATIENCE_MS = 240_000;
const HUNT_MS = IS_LONG ? 600_000 : 3000;
const NODES = 3;
/** Locks are waited for half of this. */
const SHORT_MS = 6000;
/** More demands, and more accounts, than some transactions take. */
const MANY = 2000;
/** The transactions that a node runs at once. */
const TURNS = 8;
const ODD = `"quotes" \\ back \\u0041, {braces}, NULL, a\nline, a\ttab, “ü” 😀 \u2028`;

let server: Databases;
let url: string;
let store: Store;
/** Counts while others wait. */
let counting: SQL;

const open = () => openPostgresStore({ url, decide: decideByDemand, patienceMs: PATIENCE_MS });

beforeAll(async () => {
  server = await useDatabases();
  url = server.url;
  // Found before a lock's time limit hides it.
  counting = new SQL(url, { max: 1 });
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '10ms'`);
}, 60_000);
afterAll(async () => {
  await counting.close();
  await server.remove();
});
beforeEach(async () => {
  store = await open();
  await store.beat();
});
afterEach(() => store.close());

async function addKeys(count: number): Promise<readonly GatewayKey[]> {
  const run = crypto.randomUUID();
  const keys = Array.from({ length: count }, (_, at) =>
    makeKey(`key ${at} ${run}`, { accountId: `account ${at} ${run}` }),
  );
  for (const { id, accountId } of keys) {
    await unrecorded(store).addAccount(makeAccount(accountId));
    await unrecorded(store).addKey(makeKey(id, { accountId }), `digest of ${id}`);
  }
  return keys;
}

function fund(accountId: string, note: string | null = null): Demand {
  const id = `${accountId} ${crypto.randomUUID()}`;
  const reads = { accountId, keyId: null, owners: [], days: [], requestId: null, replyId: null };
  return {
    kind: "fund",
    movement: "topup",
    accountId,
    id,
    nanoUsd: COST,
    by: null,
    note,
    nowMs: NOON,
    timeZone: "UTC",
    entry: null,
    reads: { ...reads, movementId: id },
  };
}

const balanceOf = async (accountId: string) => (await store.account(accountId))?.balanceNanoUsd;

/** Locks accounts until it is disposed of. */
async function lockAccounts(accountIds: readonly string[]): Promise<AsyncDisposable> {
  const sql = new SQL(url, { max: 1 });
  const holder = await sql.reserve();
  await holder`BEGIN`;
  await holder`SELECT 1 FROM account WHERE id = ANY(${sql.array([...accountIds], "TEXT")}) FOR UPDATE`;
  return {
    async [Symbol.asyncDispose]() {
      await holder`COMMIT`;
      holder.release();
      await sql.close();
    },
  };
}

async function countWaiting(): Promise<number> {
  const [row] =
    await counting`SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  return row?.count;
}

/** Sends a demand for each account, each once so many transactions wait for locks, so that each has its own. */
async function fundOneByOne(on: Store, accountIds: readonly string[], waitingMax = Number.MAX_SAFE_INTEGER) {
  const ends: Promise<PromiseSettledResult<unknown>[]>[] = [];
  for (const accountId of accountIds) {
    ends.push(Promise.allSettled([on.transact(fund(accountId))]));
    while ((await countWaiting()) < Math.min(ends.length, waitingMax)) await Bun.sleep(1);
  }
  return ends;
}

test("an account that somebody else has locked keeps no other waiting", async () => {
  const [locked, ...free] = (await addKeys(4)).map(({ accountId }) => accountId);
  if (locked === undefined) throw new Error("no account");
  const held = await lockAccounts([locked]);
  let isAnswered = false;
  const waits = store.transact(fund(locked)).then(() => {
    isAnswered = true;
  });
  await Promise.all(free.map((accountId) => store.transact(fund(accountId))));
  // Those that come later don't wait either, while the first one does.
  await Promise.all(free.map((accountId) => store.transact(fund(accountId))));
  expect(isAnswered).toBe(false);
  await held[Symbol.asyncDispose]();
  await waits;
  expect(await Promise.all([locked, ...free].map(balanceOf))).toEqual([COST, ...free.map(() => 2 * COST)]);
});

test("accounts that found no room go before a busy one's further demands", async () => {
  const [busy = "", other = ""] = (await addKeys(2)).map(({ accountId }) => accountId);
  // The next transaction doesn't wait until a second connection is open.
  await Promise.all([busy, other, busy].map(balanceOf));
  let answered = 0;
  const all = Array.from({ length: MANY }, async () => {
    await store.transact(fund(busy));
    answered++;
  });
  await store.transact(fund(other));
  expect(answered).toBeLessThan(MANY);
  await Promise.all(all);
});

test("a transaction of one account's own begins while many accounts wait for shared ones", async () => {
  const accounts = (await addKeys(TURNS - 1)).map(({ accountId }) => accountId);
  const [{ accountId: own } = makeKey("none")] = await addKeys(1);
  const held = await lockAccounts(accounts);
  const ends = await fundOneByOne(store, accounts);
  let answered = 0;
  const all = Array.from({ length: MANY }, async (_, at) => {
    await store.transact(fund(`missing ${at}`));
    answered++;
  });
  const demand = fund(own);
  const openings = [{ owner: own, keyId: null, fromMs: NOON }];
  await store.transact({ ...demand, reads: { ...demand.reads, openings } });
  expect(answered).toBeLessThan(MANY / 2);
  await Promise.all(all);
  await held[Symbol.asyncDispose]();
  await Promise.all(ends);
});

test("accounts whose locks weren't had in time hold two turns at most", async () => {
  const [free = "", ...locked] = (await addKeys(5)).map(({ accountId }) => accountId);
  const impatient = await openPostgresStore({ url, decide: decideByDemand, patienceMs: SHORT_MS });
  await impatient.beat();
  const held = await lockAccounts(locked);
  const first = await fundOneByOne(impatient, locked);
  for (const [end] of await Promise.all(first)) expect(end?.status).toBe("rejected");
  await until("the server has given them up as well", async () => (await countWaiting()) === 0);
  const second = await fundOneByOne(impatient, locked, 2);
  await impatient.transact(fund(free));
  await impatient.transact(fund(free));
  expect(await countWaiting()).toBeLessThanOrEqual(2);
  await held[Symbol.asyncDispose]();
  for (const [end] of await Promise.all(second)) expect(end?.status).toBe("fulfilled");
  await impatient.close();
});

test("a demand that the database refuses fails alone", async () => {
  const [refused = "", ...others] = (await addKeys(3)).map(({ accountId }) => accountId);
  const ends = await Promise.allSettled([
    // PostgreSQL's text holds no zero bytes.
    store.transact(fund(refused, "\0")),
    store.transact(fund(refused)),
    ...others.map((accountId) => store.transact(fund(accountId))),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(await Promise.all([refused, ...others].map(balanceOf))).toEqual([COST, COST, COST]);
});

test("texts of any kind are read as they were written", async () => {
  const [key = makeKey("none")] = await addKeys(1);
  await give(store, key.accountId, Number.MAX_SAFE_INTEGER - 1);
  const ledger = ledgerOn(store, { billing: { charge: "always" } });
  const ask = (id: string) =>
    makeAsk(id, key, { idempotency: { replyId: ODD, bodyDigest: ODD }, offers: () => [costing(COST)] });
  const ticket = ledger.ticket(ask(ODD));
  await ledger.admit(ticket);
  await ledger.settle(ticket, { ...makeOutcome(ticket, { costNanoUsd: COST }), sealedReply: ODD });
  expect(await ledger.admit(ledger.ticket(ask("another")))).toEqual({ kind: "replayed", sealed: ODD });
  expect(await balanceOf(key.accountId)).toBe(Number.MAX_SAFE_INTEGER - 1 - COST);
});

test.each([1, 2, 30])("%d rows written by one statement are read as they were given", async (count) => {
  const [{ accountId } = makeKey("none")] = await addKeys(1);
  const demands = Array.from({ length: count }, (_, at) => fund(accountId, `${ODD} \ud83d half ${at}`));
  await Promise.all(demands.map((demand) => store.transact(demand)));
  await using sql = new SQL(url, { max: 1 });
  const rows = await sql`SELECT note FROM entry WHERE account_id = ${accountId}`;
  const notes = new Set(rows.map(({ note }: { note: string }) => note));
  expect(notes).toEqual(new Set(demands.map((_, at) => `${ODD} \ufffd half ${at}`)));
  expect(await balanceOf(accountId)).toBe(COST * count);
});

/** Takes part in a hunt for deadlocks: requests of accounts in random orders. Returns how many there were. */
async function payAtRandom(node: Store, keys: readonly GatewayKey[], seed: number, untilMs: number) {
  const dice = new Dice(seed);
  const ledger = ledgerOn(node, { billing: { charge: "always" } });
  let paid = 0;
  while (performance.now() < untilMs) {
    const together = Array.from({ length: dice.int(1, 12) }, () => dice.pick(keys));
    await Promise.all(
      together.map(async (key) => {
        const ticket = ledger.ticket(
          makeAsk(crypto.randomUUID(), key, { offers: () => [costing(COST)], nowMs: NOON }),
        );
        await ledger.admit(ticket);
        await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: COST, chargedNanoUsd: COST }));
      }),
    );
    paid += together.length;
  }
  return paid;
}

test(
  "nodes that pay from the same accounts in random orders never deadlock",
  async () => {
    const keys = (await addKeys(20)).map((key) => ({ ...key, requestsPerDay: null }));
    for (const { accountId } of keys) await give(store, accountId, GIVEN);
    await using sql = new SQL(url, { max: 1 });
    const countDeadlocks = async () => {
      const [row] =
        await sql`SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()`;
      return row?.count;
    };
    const nodes = await Promise.all(Array.from({ length: NODES }, open));
    for (const node of nodes) await node.beat();
    const untilMs = performance.now() + HUNT_MS;
    const paid = await Promise.all(
      nodes.flatMap((node, at) =>
        Array.from({ length: 4 }, (_, one) => payAtRandom(node, keys, at * 4 + one, untilMs)),
      ),
    );
    for (const node of nodes) await node.close();
    const requests = paid.reduce((sum, one) => sum + one, 0);
    const balances = await Promise.all(keys.map(({ accountId }) => balanceOf(accountId)));
    expect(balances.reduce((sum = 0, one = 0) => sum + one, 0)).toBe(keys.length * GIVEN - requests * COST);
    expect(findErrors(await store.audit())).toEqual([]);
    expect(await countDeadlocks()).toBe(0);
    console.log(`${requests} requests of ${NODES} nodes on ${keys.length} accounts, no deadlock`);
  },
  HUNT_MS + 60_000,
);

test("the store ends once all that was asked is answered", async () => {
  const accounts = (await addKeys(3)).map(({ accountId }) => accountId);
  const closing = await open();
  await closing.beat();
  const asked = Promise.all(accounts.map((accountId) => closing.transact(fund(accountId))));
  await closing.close();
  await asked;
  expect(await Promise.all(accounts.map(balanceOf))).toEqual([COST, COST, COST]);
});
