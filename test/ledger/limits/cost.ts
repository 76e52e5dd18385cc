// The cost of limits in the store: `bun test/ledger/limits/cost.ts`. CPU time of an admission and its settlement, with and without.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Budget } from "../../../src/core/limits/budget.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { createLedger, type Ledger } from "../../../src/ledger/ledger.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { computeMedian } from "../../bench/figures.ts";
import { BILLING, costing, makeAsk, makeKey, makeOutcome, QUOTA } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";

const ROUNDS = 15;
const REQUESTS = 4000;
/** Requests that share a transaction. */
const AT_ONCE = 40;
const MUCH = 1e15;

const budget = (per: Budget["per"], models: Budget["models"] = null): Budget => {
  return { nanoUsd: MUCH, per, models, warn: [0.8, 1], isHard: true, extra: null };
};

const LIMITS: Partial<GatewayKey> = {
  requestsPerMinute: 1e9,
  tokensPerMinute: 1e9,
  parallel: 1e6,
  budgets: [budget("day", ["*opus*", "OpenAI#*"]), budget("month")],
};

const KEYS = {
  none: makeKey("none", { requestsPerDay: null, accountId: "free" }),
  limited: makeKey("limited", { requestsPerDay: null, accountId: "bound", ...LIMITS }),
};

let count = 0;

async function request(ledger: Ledger, key: GatewayKey): Promise<void> {
  count++;
  const ticket = ledger.ticket(
    makeAsk(`chatcmpl-${count}`, key, {
      isNew: true,
      nowMs: Date.now(),
      offers: () => [costing(1500)],
      load: () => ({ prompt: 100, output: 50 }),
    }),
  );
  await ledger.admit(ticket);
  const amounts = { ...NO_AMOUNTS, prompt: 100, completion: 20 };
  await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: 1000, amounts, modelUsed: "OpenAI#gpt" }));
}

/** Microseconds of CPU per request. */
async function measure(ledger: Ledger, key: GatewayKey): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < REQUESTS; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => request(ledger, key)));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

const folder = mkdtempSync(join(tmpdir(), "poundkey-cost-"));
const store = await openSqliteStore({ path: join(folder, "poundkey.db"), decide });
await store.beat();
for (const id of ["free", "bound"]) {
  const own = id === "bound" ? { requestsPerMinute: 1e9, budgets: [budget("total")] } : {};
  await unrecorded(store).putAccount({
    fresh: { ...(await readDefault()), id, name: id, ...own },
    choose: () => null,
    revise: () => ({}),
  });
}
for (const key of Object.values(KEYS)) await unrecorded(store).addKey(key, `digest of ${key.id}`);
const ledger = createLedger({
  store,
  clock: { nowMs: () => Date.now() },
  rules: () => ({ quota: QUOTA, billing: BILLING }),
});

async function readDefault() {
  const account = await store.account("default");
  if (account === null) throw new Error("There is no default account.");
  return account;
}

const shares: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const none = await measure(ledger, KEYS.none);
  const limited = await measure(ledger, KEYS.limited);
  if (round > 1) shares.push(limited / none);
  console.log(`${none.toFixed(1)} µs without, ${limited.toFixed(1)} µs with 4 limits and 3 budgets`);
}
console.log(`median share ${computeMedian(shares).toFixed(3)}`);
await store.close();
rmSync(folder, { recursive: true });
