// A killed and a paused worker of a Citus cluster while accounts of both workers are served, then the last cent.
//   bun test/store/citus/outage.ts FOLDER    the folder of test/store/citus/cluster.sh
import { SQL } from "bun";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { decideByDemand, give, makeAccount, makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, openPayments } from "../../ledger/payments.ts";
import { makeCitusDatabase } from "./database.ts";

const [folder = ""] = process.argv.slice(2);
const PORT = process.env.PORT ?? "27600";
const ACCOUNTS = 24;
const COST = 1_000;
const DOWN_MS = 6000;

const url = await makeCitusDatabase(`postgres://postgres@127.0.0.1:${PORT}/poundkey`);
const store = await openPostgresStore({ url, decide: decideByDemand });
const other = await openPostgresStore({ url, decide: decideByDemand });
await store.beat();
await other.beat();
await using sql = new SQL(url, { max: 1 });

async function open(id: string, nanoUsd: number): Promise<GatewayKey> {
  const key = makeKey(id, { accountId: `of ${id}` });
  await unrecorded(store).addAccount(makeAccount(key.accountId));
  await unrecorded(store).addKey(key, `digest of ${id}`);
  await give(store, key.accountId, nanoUsd);
  return key;
}

/** The port of the worker that stores the account. */
async function findWorker({ accountId }: GatewayKey): Promise<number> {
  const [row] = await sql`
    SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('account', ${accountId}::text)`;
  return Number(row.nodeport);
}

async function run(...command: readonly string[]): Promise<void> {
  const child = Bun.spawn([`${import.meta.dir}/cluster.sh`, ...command], { stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

const keys = await Promise.all(Array.from({ length: ACCOUNTS }, (_, at) => open(`key_${at}`, 1e12)));
const ports = await Promise.all(keys.map(findWorker));
const payments = openPayments(store);
const FIRST = Number(PORT) + 1;
let asked = 0;

/** Paid requests of each account one after the other, all accounts in parallel, until the time is over. */
async function serve(lastsMs: number) {
  const counts = { dead: { served: 0, failed: 0 }, living: { served: 0, failed: 0, slowestMs: 0 } };
  const untilMs = performance.now() + lastsMs;
  await Promise.all(
    keys.map(async (key, at) => {
      while (performance.now() < untilMs) {
        const fromMs = performance.now();
        const isDead = ports[at] === FIRST;
        const side = isDead ? counts.dead : counts.living;
        try {
          await payments.post(await payments.hold(`${asked++}`, key, COST), COST);
          side.served++;
        } catch {
          side.failed++;
        }
        if (!isDead)
          counts.living.slowestMs = Math.max(counts.living.slowestMs, Math.round(performance.now() - fromMs));
      }
    }),
  );
  return counts;
}

for (const [down, up] of [
  ["kill", "revive"],
  ["pause", "resume"],
] as const) {
  const before = await serve(2000);
  await run(down, folder, "1");
  const [during, ready] = await Promise.all([serve(DOWN_MS), store.ready()]);
  await run(up, folder, "1");
  const afterMs = performance.now();
  let after = await serve(1000);
  while (after.dead.served === 0 || after.dead.failed > 0) after = await serve(500);
  console.log(
    JSON.stringify({
      down,
      before,
      during,
      ready,
      recoveredMs: Math.round(performance.now() - afterMs),
      after,
    }),
  );
}

const cent = await open("key_cent", 100 * COST + COST - 1);
const rich = [openPayments(store), openPayments(other)];
const ends = await Promise.all(
  Array.from({ length: 2000 }, (_, at) =>
    rich[at % 2]?.hold(`cent ${at}`, cent, COST).then(
      () => 1,
      () => 0,
    ),
  ),
);
const granted = ends.reduce<number>((sum, one) => sum + (one ?? 0), 0);
const account = await store.account(cent.accountId);
console.log(
  JSON.stringify({
    granted,
    of: 2000,
    covered: 100,
    left: account?.balanceNanoUsd,
    held: account?.heldNanoUsd,
  }),
);
console.log(JSON.stringify({ errors: findErrors(await store.audit()) }));
await store.close();
await other.close();
process.exit();
