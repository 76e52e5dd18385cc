// A node that pays for requests through a PostgreSQL store: for each line of its input it does so for as many milliseconds, and
// prints what it did.
//   bun test/bench/postgres-node.process.ts URL PREFIX ACCOUNTS AT_ONCE
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { costing, decideByDemand, ledgerOn, makeAsk, makeKey, makeOutcome } from "../harness/samples.ts";

const COST = 1000;

const [url = "", prefix = "", accounts = "1", atOnce = "1"] = process.argv.slice(2);
const keys = Array.from({ length: Number(accounts) }, (_, at) =>
  makeKey(`${prefix} ${at}`, { accountId: `${prefix} ${at}` }),
);
const store = await openPostgresStore({ url, decide: decideByDemand, patienceMs: 30_000 });
const ledger = ledgerOn(store, { billing: { charge: "always" } });

/** Returns how many requests were paid for. */
async function pay(forMs: number): Promise<number> {
  const untilMs = performance.now() + forMs;
  await store.beat();
  let asked = 0;
  const payNext = async () => {
    while (performance.now() < untilMs) {
      const key = keys[asked++ % keys.length];
      if (!key) return;
      const ticket = ledger.ticket(makeAsk(crypto.randomUUID(), key, { offers: () => [costing(COST)] }));
      await ledger.admit(ticket);
      await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: COST, chargedNanoUsd: COST }));
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, payNext));
  return asked;
}

console.log("ready");
for await (const line of console) {
  const before = process.cpuUsage();
  const paid = await pay(Number(line));
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ paid, cpuMicros: user + system }));
}
await store.close();
process.exit();
