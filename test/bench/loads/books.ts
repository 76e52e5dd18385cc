// The cost of a hold and its post in the SQLite store: `bun test/bench/loads/books.ts`. CPU time, and the latency of one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clock } from "../../../src/app/world.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { createLedger, type Ledger } from "../../../src/ledger/ledger.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { costing, makeAsk, makeKey, makeOutcome, QUOTA } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { topUp } from "../../ledger/top-up.ts";
import { computeMedian, shown } from "../figures.ts";
import { measureCpu } from "../in-process.ts";

const ROUNDS = { before: 20_000, requests: 20_000, rounds: 5 };
const ALONE = 500;
const TOP_UP_NANO_USD = 1e15;
const KEYS = 10;
const OFFERS = [costing(1500)];

let count = 0;
const keys = Array.from({ length: KEYS }, (_, index) => makeKey(`key_${index}`));

/** One request paid from the balance: held, synced if `isSynced`, settled. */
async function pay(ledger: Ledger, isSynced: boolean): Promise<void> {
  count += 1;
  const key = keys[count % KEYS];
  if (key === undefined) throw new Error("There is no such key.");
  const nowMs = clock.nowMs();
  const id = `chatcmpl-${count.toString().padStart(9, "0")}`;
  const ticket = ledger.ticket(makeAsk(id, key, { nowMs, isNew: true, offers: () => OFFERS }));
  await ledger.admit(ticket);
  if (isSynced) await ledger.durable();
  await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: 1500 }));
}

async function measureWait(work: () => Promise<void>): Promise<number> {
  const waits: number[] = [];
  for (let request = 0; request < ALONE; request++) {
    const startedMs = performance.now();
    await work();
    waits.push(performance.now() - startedMs);
    await Bun.sleep(2);
  }
  return computeMedian(waits);
}

async function measureStore(store: Store): Promise<void> {
  for (const key of keys) await unrecorded(store).addKey(key, `digest ${key.id}`);
  const money = { accountId: "default", id: "bench", nanoUsd: TOP_UP_NANO_USD, note: null, entry: null };
  await topUp(store, { ...money, nowMs: clock.nowMs() });
  const rules = { quota: QUOTA, billing: { charge: "always", markup: 1 } } as const;
  const ledger = createLedger({ store, clock, rules: () => rules });
  for (const [name, isSynced] of [
    ["hold and post", false],
    ["the same, synced to the disk", true],
  ] as const) {
    const work = () => pay(ledger, isSynced);
    const costs = [
      await measureCpu(work, 4, ROUNDS),
      await measureCpu(work, 32, ROUNDS),
      await measureCpu(work, 256, ROUNDS),
    ];
    const cells = costs.map((cost) => shown(cost).padStart(10));
    console.log(`${name.padEnd(30)}${cells.join("")}${shown(await measureWait(work)).padStart(10)}`);
  }
}

const directory = mkdtempSync(join(tmpdir(), "poundkey-books-"));
const store = await openSqliteStore({ path: join(directory, "books.db"), decide });
console.log("µs of CPU at 4, 32 and 256 at once, and ms that one by itself waits");
await measureStore(store);
await store.close();
rmSync(directory, { recursive: true, force: true });
