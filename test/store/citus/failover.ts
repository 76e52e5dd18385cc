// A Citus coordinator that dies under load, and the standby that replaces it: answers, refusals and losses.
//   bun test/store/citus/failover.ts FOLDER    the folder of test/store/citus/cluster.sh, whose coordinator is gone afterwards
import { SQL } from "bun";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { decideByDemand, give, makeAccount, makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, openPayments } from "../../ledger/payments.ts";
import { openWay } from "../nodes/proxy.ts";
import { makeCitusDatabase } from "./database.ts";

const [folder = ""] = process.argv.slice(2);
const PORT = process.env.PORT ?? "27600";
const ACCOUNTS = 12;
const COST = 1_000;
const GIVEN = 1e12;
/** The time before the standby is promoted. */
const DOWN_MS = 3000;

const address = await makeCitusDatabase(`postgres://postgres@127.0.0.1:${PORT}/poundkey`);
await run("follow");
const way = await openWay(address);
const store = await openPostgresStore({ url: way.url, decide: decideByDemand });
await store.beat();

async function run(command: string): Promise<string> {
  const child = Bun.spawn([`${import.meta.dir}/cluster.sh`, command, folder], { stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command} failed`);
  return new Response(child.stdout).text();
}

const keys = await Promise.all(
  Array.from({ length: ACCOUNTS }, async (_, at) => {
    const key = makeKey(`key_${at}`, { accountId: `of key_${at}` });
    await unrecorded(store).addAccount(makeAccount(key.accountId));
    await unrecorded(store).addKey(key, `digest of key_${at}`);
    await give(store, key.accountId, GIVEN);
    return key;
  }),
);
const payments = openPayments(store);
const paid = new Map<string, number>();
let asked = 0;

/** Paid requests of each account one after the other, all accounts in parallel. */
async function serve(lastsMs: number) {
  const counts = { served: 0, failed: 0, slowestMs: 0 };
  const untilMs = performance.now() + lastsMs;
  await Promise.all(
    keys.map(async (key) => {
      while (performance.now() < untilMs) {
        const fromMs = performance.now();
        try {
          await payments.post(await payments.hold(`${asked++}`, key, COST), COST);
          counts.served++;
          paid.set(key.accountId, (paid.get(key.accountId) ?? 0) + 1);
        } catch {
          counts.failed++;
        }
        counts.slowestMs = Math.max(counts.slowestMs, Math.round(performance.now() - fromMs));
      }
    }),
  );
  return counts;
}

const before = await serve(2000);
const serving = serve(DOWN_MS);
const next = new URL(address);
next.port = new URL(await run("promote")).port;
const during = await serving;
way.lead(next.href);
const fromMs = performance.now();
let after = await serve(500);
while (after.failed > 0) after = await serve(500);
console.log(JSON.stringify({ before, during, recoveredMs: Math.round(performance.now() - fromMs), after }));

const wrong: string[] = [];
for (const { accountId } of keys) {
  const account = await store.account(accountId);
  const charged = (GIVEN - (account?.balanceNanoUsd ?? 0) - (account?.heldNanoUsd ?? 0)) / COST;
  const answered = paid.get(accountId) ?? 0;
  if (charged < answered) wrong.push(`${accountId}: ${answered} answered as paid, ${charged} charged`);
}
console.log(JSON.stringify({ wrong, errors: findErrors(await store.audit()) }));
await store.close();
await way.stop();
await using sql = new SQL(next.href, { max: 1 });
console.log(JSON.stringify({ left: await sql`SELECT count(*) FROM pg_dist_transaction` }));
process.exit();
