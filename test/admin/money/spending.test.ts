// The statements of the accounts' spending, counted on both engines: more accounts take no more of them.
import { Database, type Statement } from "bun:sqlite";
import { expect, test } from "bun:test";
import { listSpending } from "../../../src/admin/money/spending.ts";
import { makeBudget } from "../../../src/core/limits/budget.ts";
import type { Store } from "../../../src/core/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import {
  decideByDemand,
  ledgerOn,
  makeAccount,
  makeRecord,
  openMemoryStore,
  QUOTA,
  writeRecord,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { openCounter } from "../../store/postgres/counter.ts";
import { useDatabases } from "../../store/postgres/databases.ts";

const FEW = 3;
const MANY = 60;
/** The cost of a sample's request. */
const COST_USD = 0.0000015;
const RUNS = ["get", "all", "run", "values", "iterate"];

interface CountedStore extends AsyncDisposable {
  readonly store: Store;
  /** Returns the number of statements since the last call. */
  takeStatements(): number;
}

/** The store is in memory: the statements of a file's slow reads run in another thread. */
async function openSqlite(): Promise<CountedStore> {
  let statements = 0;
  const counted = new WeakSet<Statement>();
  const watch = (statement: Statement) => {
    if (counted.has(statement)) return statement;
    counted.add(statement);
    for (const method of RUNS) {
      const run: unknown = Reflect.get(statement, method);
      if (typeof run !== "function") continue;
      Reflect.set(statement, method, (...values: unknown[]): unknown => {
        statements++;
        return Reflect.apply(run, statement, values);
      });
    }
    return statement;
  };
  const { prepare, query } = Database.prototype;
  Reflect.set(Database.prototype, "prepare", function (this: Database, ...how: [string]) {
    return watch(prepare.apply(this, how));
  });
  Reflect.set(Database.prototype, "query", function (this: Database, text: string) {
    return watch(query.call(this, text));
  });
  const store = await openMemoryStore();
  return {
    store,
    takeStatements() {
      const taken = statements;
      statements = 0;
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      Object.assign(Database.prototype, { prepare, query });
    },
  };
}

async function openPostgres(): Promise<CountedStore> {
  const server = await useDatabases();
  const counter = await openCounter(server.url);
  const store = await openPostgresStore({ url: counter.url, decide: decideByDemand, patienceMs: 30_000 });
  await store.beat();
  return {
    store,
    takeStatements: () => counter.take().statements,
    async [Symbol.asyncDispose]() {
      await store.close();
      await counter.stop();
      await server.remove();
    },
  };
}

/** Adds accounts up to this number, in turn with a budget that is used, one that is new, and none. */
async function addAccounts(store: Store, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) {
    const id = `acct_${at}`;
    const budgets = [makeBudget({ nanoUsd: 1_000_000, per: "total" })];
    await unrecorded(store).addAccount(makeAccount(id, at % 3 === 0 ? { budgets } : {}));
    await writeRecord(store, makeRecord(`r${at}`, { accountId: id, keyId: `key_${at}`, atMs: Date.now() }));
    if (at % 3 === 1) await unrecorded(store).changeAccount(id, { budgets });
  }
}

test.each([
  { engine: "SQLite", open: openSqlite },
  { engine: "PostgreSQL", open: openPostgres },
])(
  `on $engine, the spending of ${MANY} accounts takes as many statements as that of ${FEW}`,
  async ({ open }) => {
    await using counted = await open();
    const { store } = counted;
    const clock = { nowMs: Date.now };
    const parts = { store, clock, ledger: ledgerOn(store, { clock }), dayRules: () => QUOTA };
    const count = async () => {
      // The first call opens connections.
      await listSpending(parts, { accountIds: null, personal: null });
      counted.takeStatements();
      const { data } = await listSpending(parts, { accountIds: null, personal: null });
      const used = data.flatMap(({ budget }) => budget?.used ?? []);
      return { accounts: data.length, used, statements: counted.takeStatements() };
    };
    await addAccounts(store, 0, FEW);
    const few = await count();
    await addAccounts(store, FEW, MANY);
    const many = await count();
    expect([few.accounts, many.accounts]).toEqual([FEW + 1, MANY + 1]);
    expect(few.used).toEqual(Array.from({ length: (2 * FEW) / 3 }, () => COST_USD));
    expect(many.used).toEqual(Array.from({ length: (2 * MANY) / 3 }, () => COST_USD));
    expect(few.statements).toBeGreaterThan(0);
    expect(many.statements).toBe(few.statements);
  },
  60_000,
);
