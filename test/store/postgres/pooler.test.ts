// The PostgreSQL store behind PgBouncer in transaction mode: time limits that must hold there too, and in the long form all
// suites of the store. Skipped if PgBouncer isn't installed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { Dialer } from "../../../src/store/postgres/dialer.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { findTraits } from "../../../src/store/postgres/traits.ts";
import { IS_LONG } from "../../harness/long.ts";
import { addKey, decideByDemand } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { isServed, openPayments } from "../../ledger/payments.ts";
import { runPostgresSuites } from "../../suites/postgres-suites.ts";
import { until } from "../../whole/world/until.ts";
import { eraseOne } from "./naming.ts";
import { POOLER, type Pooler, startPooler } from "./pooler.ts";
import { startPostgres } from "./server.ts";

describe.skipIf(POOLER === undefined)("behind PgBouncer", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let pooler: Pooler;
  let store = "";
  beforeAll(async () => {
    server = await startPostgres();
    // An ordinary user, not a superuser.
    await using sql = new SQL(server.url, { max: 1 });
    await sql.unsafe("CREATE ROLE gateway LOGIN");
    await sql.unsafe(`ALTER DATABASE ${new URL(server.url).pathname.slice(1)} OWNER TO gateway`);
    const url = new URL(server.url);
    url.username = "gateway";
    pooler = await startPooler(url.href);
    store = pooler.urlFor(url.href);
    await (await openPostgresStore({ url: store, decide: decideByDemand })).close();
  });
  afterAll(async () => {
    await pooler.stop();
    await server.remove();
  });

  if (IS_LONG) runPostgresSuites("in transaction mode", () => ({ store, direct: server.url }));

  test("it is detected, even if it is set to ignore unknown parameters", async () => {
    expect(await findTraits(new Dialer({ url: store }), 3000)).toMatchObject({ keepsSettings: false });
    const names = "statement_timeout,lock_timeout,idle_in_transaction_session_timeout";
    const silent = await startPooler(server.url, [`ignore_startup_parameters = ${names}`]);
    expect(await findTraits(new Dialer({ url: silent.urlFor(server.url) }), 3000)).toMatchObject({
      keepsSettings: false,
    });
    await silent.stop();
    expect(await findTraits(new Dialer({ url: server.url }), 3000)).toMatchObject({ keepsSettings: true });
  });

  test("the server, not only its client, ends a wait for an account's lock", async () => {
    const opened = await openPostgresStore({ url: store, decide: decideByDemand, patienceMs: 1000 });
    await opened.beat();
    const key = await addKey(opened, "key_a", "a");
    const payments = openPayments(opened, {});
    await using database = new SQL(server.url, { max: 2 });
    const waiters = () => database`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await database.begin(async (locked) => {
      await locked`SELECT 1 FROM account WHERE id = 'a' FOR UPDATE`;
      const thrown = await catchThrown(payments.hold("1", key, 1));
      expect(thrown).toMatchObject({ code: "store_unavailable" });
      await until("nobody waits any more", async () => (await waiters()).length === 0);
    });
    let asked = 0;
    await until("the account is served again", () => isServed(payments, `2 of ${asked++}`, key));
    await opened.close();
  });

  test("whoever is made anonymous is in no table any more, and each that named them is vacuumed", async () => {
    const direct = await server.newDatabase();
    await using sql = new SQL(direct, { max: 1 });
    await sql.unsafe(`ALTER DATABASE ${new URL(direct).pathname.slice(1)} OWNER TO gateway`);
    const url = new URL(pooler.urlFor(direct));
    url.username = "gateway";
    expect(await eraseOne(url.href, direct)).toEqual({
      erasedAt: expect.any(String),
      before: expect.arrayContaining(["directory_user", "hourly_tag", "member"]),
      after: [],
      unvacuumed: [],
    });
  });

  test("settings of one store's transactions don't affect others", async () => {
    const opened = await openPostgresStore({ url: store, decide: decideByDemand, patienceMs: 7000 });
    await Promise.all(Array.from({ length: 20 }, () => opened.account("default")));
    await using database = new SQL(store, { max: 1, prepare: false });
    const [row] = await database.unsafe("SHOW statement_timeout");
    expect(row.statement_timeout).toBe("0");
    await opened.close();
  });
});
