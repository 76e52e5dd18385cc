// A failover behind PgBouncer, which keeps its connections to an old primary that only reads: the store has it give them up.
// Skipped if PgBouncer isn't installed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { decideByDemand, makeAccount } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { until } from "../../whole/world/until.ts";
import { openWay, type Way } from "../nodes/proxy.ts";
import { POOLER, type Pooler, startPooler } from "./pooler.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

const LONG_MS = 60_000;
const MODES = ["transaction", "session"];

describe.skipIf(POOLER === undefined)("behind PgBouncer", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let way: Way;
  const poolers = new Map<string, Pooler>();
  beforeAll(async () => {
    primary = await startPostgres();
    standby = await primary.startStandby();
    way = await openWay(primary.url);
    for (const mode of [...MODES, "statement"])
      poolers.set(mode, await startPooler(way.url, [`pool_mode = ${mode}`, "default_pool_size = 20"]));
  }, LONG_MS);
  afterAll(async () => {
    for (const pooler of poolers.values()) await pooler.stop();
    await way.stop();
    await standby.remove();
    await primary.remove();
  }, LONG_MS);

  const addressIn = (mode: string) => poolers.get(mode)?.urlFor(way.url) ?? "";
  const open = (url: string) => openPostgresStore({ url, decide: decideByDemand });

  test("a pool that ends a transaction after each statement is refused with the reason", async () => {
    expect(String(await catchThrown(open(addressIn("statement"))))).toContain("statement pooling");
  });

  test(
    "a store goes on at the promoted server, in each mode",
    async () => {
      const opened = await Promise.all(
        MODES.flatMap((mode) => [
          open(addressIn(mode)),
          open(`${addressIn(mode)}?target_session_attrs=read-write`),
        ]),
      );
      // Several connections of the pool to the old primary.
      for (const store of opened) {
        await store.beat();
        await Promise.all(Array.from({ length: 8 }, () => store.account("default")));
      }
      await using sql = new SQL(standby.url, { max: 1 });
      await sql`SELECT pg_promote()`;
      await using admin = new SQL(primary.url, { max: 1 });
      await admin.unsafe("ALTER SYSTEM SET synchronous_standby_names = ''");
      await admin.unsafe("ALTER SYSTEM SET default_transaction_read_only = on");
      await admin.unsafe("SELECT pg_reload_conf()");
      way.lead(standby.url);
      for (const [at, store] of opened.entries()) {
        const add = async () => {
          await store.beat();
          await unrecorded(store).addAccount(makeAccount(`after-${at}`));
          return true;
        };
        await until("it writes", () => add().catch(() => false), LONG_MS);
        await store.close();
      }
    },
    2 * LONG_MS,
  );
});
