// The PostgreSQL store: the suites of all stores, and faults that only a shared server has.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../src/app/start/open-store.ts";
import type { Store } from "../../src/core/store.ts";
import { makePostgresSchema } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import {
  addKey,
  DAY,
  decideByDemand,
  give,
  ledgerOn,
  makeAccount,
  makeKey,
  NOON,
} from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { findErrors, isServed, openPayments } from "../ledger/payments.ts";
import { makeEmptier, runPostgresSuites, runSql } from "../suites/postgres-suites.ts";
import { until } from "../whole/world/until.ts";
import { useDatabases } from "./postgres/databases.ts";
import { eraseOne } from "./postgres/naming.ts";

const server = await useDatabases();

const raw = (sql: string) => runSql(server.url, sql);
const empty = makeEmptier(() => server.url);

runPostgresSuites("on a server", () => ({ store: server.url, direct: server.url }));
afterAll(() => server.remove());

describe("postgres: one server, many nodes, failures", () => {
  const PATIENCE_MS = 1500;
  /** For tests that don't depend on time, on a busy machine. */
  const LONG_MS = 30_000;
  const NO_IDS = { requestId: null, replyId: null };
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    store = await openPostgresStore({ url: server.url, decide: decideByDemand, patienceMs: LONG_MS });
    other = await openPostgresStore({ url: server.url, decide: decideByDemand, patienceMs: PATIENCE_MS });
    await store.beat();
    await other.beat();
  });
  afterEach(async () => {
    await store.close();
    await other.close();
    await empty();
  });

  /** Runs the work while another node's transaction holds the account's lock. */
  async function whileLocked<T>(accountId: string, work: (database: SQL) => Promise<T>): Promise<T> {
    await using database = new SQL(server.url, { max: 1 });
    return database.begin(async (locked) => {
      await locked`SELECT 1 FROM account WHERE id = ${accountId} FOR UPDATE`;
      return work(locked);
    });
  }

  const waiting = (database: SQL) => async () =>
    (await database`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0;

  test("a revocation returns when no earlier admission can still be written", async () => {
    await unrecorded(store).addKey(makeKey("key_a"), "digest");
    const changes = [
      () => unrecorded(store).revokeKey("key_a", NOON),
      () => unrecorded(store).changeKey("key_a", { requestsPerDay: 0 }),
    ];
    for (const change of changes) {
      const order: string[] = [];
      const changed = await whileLocked("default", async (database) => {
        const changing = change().then(() => order.push("changed"));
        await until("it waits for the lock", waiting(database));
        order.push("admitted");
        return { changing };
      });
      await changed.changing;
      expect(order).toEqual(["admitted", "changed"]);
    }
  });

  test("an account with a stuck lock is refused in time, others are served, and it recovers", async () => {
    const key = await addKey(store, "key_a", "a");
    const free = await addKey(store, "key_b", "b");
    const payments = openPayments(other, {});
    const theirs = openPayments(other, {});
    await whileLocked("a", async () => {
      const thrown = await catchThrown(payments.hold("1", key, 1));
      expect(thrown).toMatchObject({ code: "store_unavailable", details: { retryAfterMs: 1000 } });
      expect(thrown).not.toMatchObject({ details: { outcomeUnknown: true } });
      let asked = 0;
      await until("others are served", () => isServed(theirs, `2 of ${asked++}`, free));
    });
    let asked = 0;
    await until("it recovers", () => isServed(payments, `3 of ${asked++}`, key));
    // Requests that were refused while the account was locked took nothing.
    const { used } = await ledgerOn(store).allowance(key);
    expect(used).toBeWithin(1, asked + 1);
  });

  test("accounts with stuck locks don't take the turns of others", async () => {
    const PATIENT_MS = 1500;
    const TURNS = 8;
    /** The turns that such accounts get. */
    const SLOW_TURNS = 2;
    const patient = await openPostgresStore({
      url: server.url,
      decide: decideByDemand,
      patienceMs: PATIENT_MS,
    });
    await patient.beat();
    const ids = Array.from({ length: 24 }, (_, at) => `stuck_${at}`);
    const stuck = await Promise.all(ids.map((id) => addKey(store, `key of ${id}`, id)));
    const free = await addKey(store, "key_free", "free");
    const payments = openPayments(patient, {});
    await using database = new SQL(server.url, { max: 1 });
    await database.begin(async (locked) => {
      await locked`SELECT 1 FROM account WHERE id LIKE 'stuck%' FOR UPDATE`;
      let asked = 0;
      let isOver = false;
      const waiting = stuck.map(async (key) => {
        while (!isOver) await catchThrown(payments.hold(`${asked++}`, key, 1));
      });
      const countStuck = async () => (await locked`SELECT 1 FROM pg_locks WHERE NOT granted`).length;
      await until("the stuck ones are known for what they are", () =>
        isServed(payments, `first ${asked++}`, free),
      );
      await until("they leave turns to others", async () => (await countStuck()) <= SLOW_TURNS);
      const turns: number[] = [];
      for (let at = 0; at < 5; at++)
        await until("another account is served", async () => {
          turns.push(await countStuck());
          return isServed(payments, `free ${at} of ${asked++}`, free);
        });
      isOver = true;
      await Promise.all(waiting);
      // The server may still hold what the store has given up, so there are more of them for a moment.
      expect(Math.max(...turns)).toBeLessThan(TURNS);
    });
    await patient.close();
  });

  test("demands beyond the queue are refused immediately, and those that wait too long later", async () => {
    await unrecorded(store).addAccount(makeAccount("a"));
    const codes = await whileLocked("a", () => {
      const demand = {
        kind: "fund",
        accountId: "a",
        id: "1",
        nowMs: NOON,
        nanoUsd: 1,
        ...({ movement: "topup", by: null, timeZone: "UTC" } as const),
        note: null,
        entry: null,
      } as const;
      const reads = { accountId: "a", keyId: null, owners: [], days: [], ...NO_IDS, movementId: "1" };
      const asked = Array.from({ length: 101_000 }, () => other.transact({ ...demand, reads }));
      return Promise.all(asked.map(async (one) => readCode(await catchThrown(one))));
    });
    expect(new Set(codes)).toEqual(new Set(["store_unavailable", "overloaded"]));
    expect(codes.filter((code) => code === "overloaded").length).toBeLessThan(1_001);
    expect(await store.account("a")).toMatchObject({ balanceNanoUsd: 0 });
  });

  test("transactions that can't be serialized are repeated, once", async () => {
    const key = await addKey(store, "key_a");
    await give(store, "default", 10_000);
    await raw(`CREATE SEQUENCE tries;
      CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') < 4 THEN RAISE EXCEPTION 'collision' USING ERRCODE = '40001'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER collide BEFORE INSERT ON hold FOR EACH ROW EXECUTE FUNCTION collide()`);
    const payments = openPayments(store);
    const ticket = await payments.hold("1", key, 1_000);
    await raw("DROP TRIGGER collide ON hold; DROP FUNCTION collide; DROP SEQUENCE tries");
    await payments.post(ticket, 400);
    expect(await store.account("default")).toMatchObject({
      balanceNanoUsd: 9_600,
      heldNanoUsd: 0,
      entries: 3,
    });
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("many accounts at once are all served", async () => {
    const keys = await Promise.all(
      Array.from({ length: 40 }, (_, at) => addKey(store, `key_${at}`, `acct_${at}`)),
    );
    const payments = openPayments(store, {});
    const held = await Promise.all(
      keys.flatMap((key) => [1, 2].map((at) => payments.hold(`${key.id} ${at}`, key, 1))),
    );
    expect(held.length).toBe(80);
    expect(
      (await Promise.all(keys.map((key) => ledgerOn(store).allowance(key)))).map(({ used }) => used),
    ).toEqual(keys.map(() => 2));
  });

  test("a node that was away itself declares no silent node dead", async () => {
    const key = await addKey(store, "key_a");
    await openPayments(store, {}).hold("1", key, 1);
    const silent = `UPDATE node SET beat_at = beat_at - interval '1 minute' WHERE id = '${store.node}'`;
    const away =
      "UPDATE node SET since_at = since_at - interval '1 hour', beat_at = beat_at - interval '1 minute'";
    await raw(away);
    // The whole database was away, so neither before this node's next beat nor right after it does silence mean death.
    expect(await other.orphans(9)).toEqual([]);
    await other.beat();
    expect(await other.orphans(9)).toEqual([]);
    await store.beat();
    await raw(`UPDATE node SET since_at = since_at - interval '1 minute' WHERE id = '${other.node}'`);
    expect(await other.orphans(9)).toEqual([]);
    await raw(silent);
    expect((await other.orphans(9)).map(({ id }) => id)).toEqual(["1"]);
  });

  test("old nodes are deleted unless they hold something", async () => {
    const key = await addKey(store, "key_a");
    await openPayments(store, {}).hold("1", key, 1);
    await raw("UPDATE node SET beat_at = beat_at - interval '2 days'");
    await store.prune({ requestsMs: 0, metersMs: 0, repliesMs: 0 }, 10);
    await using database = new SQL(server.url, { max: 1 });
    expect(await database`SELECT id FROM node`).toEqual([{ id: store.node }]);
  });

  test("old rows are deleted even if old nodes can't be", async () => {
    const key = await addKey(store, "key_a");
    await openPayments(store, {}).hold("1", key, 1);
    await raw(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON node FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
    const thrown = await catchThrown(store.prune({ requestsMs: 0, metersMs: NOON + DAY, repliesMs: 0 }, 10));
    await raw("DROP TRIGGER refuse ON node; DROP FUNCTION refuse");
    expect(thrown).toMatchObject({ code: "store_unavailable" });
    expect((await ledgerOn(store).allowance(key)).used).toBe(0);
  });

  test("ids sort by bytes, whatever the server's collation", async () => {
    for (const id of ["b", "C", "a", "Z"])
      await unrecorded(store).addAccount(makeAccount(id, { createdAtMs: NOON }));
    const accounts = await store.accounts({ limit: 9, after: null });
    expect(accounts.map(({ id }) => id).filter((id) => id !== "default")).toEqual(["b", "a", "Z", "C"]);
  });

  test("a newer database that ended this version's support is refused with an explanation, and left unchanged", async () => {
    const { version, oldestSupported } = makePostgresSchema();
    await raw("UPDATE schema_version SET version = 99, oldest_supported = 98");
    const thrown = await catchThrown(openPostgresStore({ url: server.url, decide: decideByDemand }));
    expect(String(thrown)).toContain("the store needs 98 or later");
    await raw(
      `UPDATE schema_version SET version = ${version}, oldest_supported = ${oldestSupported} WHERE version = 99`,
    );
    await (await openPostgresStore({ url: server.url, decide: decideByDemand })).close();
  });

  test("errors about a malformed address don't show its password", async () => {
    const masterKey = Buffer.alloc(32, 1).toString("base64");
    const { host } = new URL(server.url);
    const addresses = [
      `postgres://user:s3cret@${host}/none`,
      "postgres://user:s3cret@127.0.0.1:1/none",
      "postgres://user:s3c/ret@127.0.0.1:1/none",
      "postgres://user:%zzs3cret@127.0.0.1:1/none",
      "mysql://user:s3cret@127.0.0.1:1/none",
    ];
    for (const address of addresses) {
      const thrown = await catchThrown(openStore(address, masterKey));
      expect(String(thrown)).toContain("store");
      expect(`${thrown} ${Bun.inspect(thrown)}`).not.toContain("s3c");
    }
    expect(String(await catchThrown(openStore(server.url, "")))).toContain("POUNDKEY_MASTER_KEY");
  });

  test("a read-only command finds no store in an empty database, and leaves it empty", async () => {
    const masterKey = Buffer.alloc(32, 1).toString("base64");
    const address = await server.newDatabase();
    const { host, pathname } = new URL(address);
    for (const _ of [1, 2]) {
      const thrown = await catchThrown(openStore(address, masterKey, "find"));
      expect(String(thrown)).toContain(`There is no store at postgres://${host}${pathname}.`);
    }
    await using sql = new SQL(address, { max: 1 });
    expect((await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).length).toBe(0);
    await (await openStore(address, masterKey)).store.close();
    await (await openStore(address, masterKey, "find")).store.close();
  });

  test("whoever is made anonymous is in no table any more, and each that named them is vacuumed", async () => {
    const address = await server.newStore();
    expect(await eraseOne(address, address)).toEqual({
      erasedAt: expect.any(String),
      before: expect.arrayContaining(["directory_user", "hourly_tag", "member"]),
      after: [],
      unvacuumed: [],
    });
  });

  test("the address determines the database, not the environment", async () => {
    process.env.PGDATABASE = "none";
    const opened = await openPostgresStore({ url: server.url, decide: decideByDemand });
    delete process.env.PGDATABASE;
    expect(await opened.account("default")).not.toBeNull();
    await opened.close();
  });
});
