// A separate node for tests, as the store knows one: stays alive, resolves what others left, and makes requests.
import { startUpkeep } from "../../../src/app/upkeep/upkeep.ts";
import { clock, random } from "../../../src/app/world.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import {
  costing,
  decideByDemand,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { type Counts, type Job, PATIENCE_MS } from "./node.ts";

const [url = ""] = process.argv.slice(2);
const store = await openPostgresStore({ url, decide: decideByDemand, patienceMs: PATIENCE_MS });
const ledgerOf = ({ isPaid }: Job) =>
  ledgerOn(store, isPaid ? { billing: { charge: "always" } } : { billing: { charge: "beyond_allowance" } });
const noon = { ...clock, nowMs: () => NOON };
await startUpkeep({
  store,
  ledger: ledgerOn(store),
  learning: { refresh: async () => {} },
  clock: noon,
  log: () => {},
  responsesKeepMs: () => 0,
  keepMs: () => NOON,
  auditKeepMs: () => 86_400_000,
  random,
});
tell({ node: store.node });

function keyIn({ keyId }: Job) {
  return makeKey(keyId, { accountId: `of ${keyId}` });
}

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

async function ask(job: Job, at: number): Promise<keyof Counts> {
  const ledger = ledgerOf(job);
  try {
    const offers = () => [costing(job.costNanoUsd)];
    const ticket = ledger.ticket(makeAsk(`${store.node} ${job.name} ${at}`, keyIn(job), { offers }));
    await ledger.admit(ticket);
    if (job.settles) {
      await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: job.costNanoUsd }));
    }
    return "granted";
  } catch (error) {
    const isRefused = error instanceof Fault && (error.row.status === 429 || error.row.status === 402);
    return isRefused ? "refused" : "failed";
  }
}

for await (const line of console) {
  // The last line, after which no more input comes.
  if (line === "") break;
  const job: Job = JSON.parse(line);
  const counts = { granted: 0, refused: 0, failed: 0 };
  const startedMs = performance.now();
  for (let done = 0; done < job.times; done += job.atOnce) {
    const ends = await Promise.all(Array.from({ length: job.atOnce }, (_, at) => ask(job, done + at)));
    for (const end of ends) counts[end]++;
  }
  tell({ ...counts, tookMs: performance.now() - startedMs });
}
await store.close();
process.exit();
