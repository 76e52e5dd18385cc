// Paid requests through a PostgreSQL store alone, admitted and settled by one process over some accounts, in parallel.
//   bun test/store/citus/throughput.ts URL [--accounts 1] [--at-once 1] [--seconds 5]
import { parseArgs } from "node:util";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
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

const COST = 1_000;
const BALANCE = 1_000_000_000_000;
const WARM_UP = 0.2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    accounts: { type: "string", default: "1" },
    "at-once": { type: "string", default: "1" },
    seconds: { type: "string", default: "5" },
  },
});
const [url = ""] = positionals;
const accounts = Number(values.accounts);
const atOnce = Number(values["at-once"]);
const lastsMs = Number(values.seconds) * 1000;

const store = await openPostgresStore({ url, decide: decideByDemand, patienceMs: 30_000 });
await store.beat();
const ledger = ledgerOn(store, { billing: { charge: "always" } });
const run = crypto.randomUUID();
const keys: GatewayKey[] = [];
for (let at = 0; at < accounts; at++) {
  const key = makeKey(`key ${run} ${at}`, { accountId: `account ${run} ${at}` });
  await unrecorded(store).addAccount(makeAccount(key.accountId));
  await unrecorded(store).addKey(key, `digest ${run} ${at}`);
  await give(store, key.accountId, BALANCE);
  keys.push(key);
}

let asked = 0;
const tookMs: number[] = [];
const beganMs = performance.now();
const warmMs = beganMs + lastsMs * WARM_UP;

async function pay(): Promise<void> {
  while (performance.now() < beganMs + lastsMs) {
    const id = asked++;
    const key = keys[id % accounts];
    if (!key) return;
    const fromMs = performance.now();
    const ticket = ledger.ticket(makeAsk(`${run} ${id}`, key, { offers: () => [costing(COST)] }));
    await ledger.admit(ticket);
    await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: COST }));
    if (fromMs >= warmMs) tookMs.push(performance.now() - fromMs);
  }
}

await Promise.all(Array.from({ length: atOnce }, pay));
const seconds = (performance.now() - warmMs) / 1000;
tookMs.sort((a, b) => a - b);
const at = (share: number) => Number((tookMs[Math.floor(tookMs.length * share)] ?? 0).toFixed(1));
const rate = Math.round(tookMs.length / seconds);
console.log(JSON.stringify({ accounts, atOnce, pairs: asked, rate, p50Ms: at(0.5), p99Ms: at(0.99) }));
await store.close();
process.exit();
