// `bun test/payments/orders.ts [--seeds N] [--from N]`: runs 500 orders of Stripe's events, and verifies the books.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listProblems } from "../../src/admin/money/verify.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { runOrder } from "./order.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "500" }, from: { type: "string", default: "1" } },
});
const count = Number(values.seeds);
const from = Number(values.from);
const folder = mkdtempSync(join(tmpdir(), "poundkey-orders-"));
const path = join(folder, "poundkey.db");
const stores = [await openSqliteStore({ path, decide }), await openSqliteStore({ path, decide })] as const;
const sums = { deliveries: 0, kills: 0, failed: 0 };
const startedMs = performance.now();
for (let seed = from; seed < from + count; seed++) {
  const { problems, deliveries, kills } = await runOrder(seed, stores);
  sums.deliveries += deliveries;
  sums.kills += kills;
  if (problems.length > 0) sums.failed++;
  for (const problem of problems) console.log(`(fail) seed ${seed}: ${problem}`);
}
const wrong = listProblems(await stores[0].audit());
for (const { account, what, found, expected } of wrong)
  console.log(`(fail) the books: ${account} ${what} ${found}, not ${expected}`);
await Promise.all(stores.map((store) => store.close()));
rmSync(folder, { recursive: true });
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(`${count} orders, ${sums.deliveries} deliveries, ${sums.kills} kills, ${seconds} s`);
console.log(`${count - sums.failed} passed, ${sums.failed} failed, ${wrong.length} problems of the books`);
if (sums.failed + wrong.length > 0) process.exitCode = 1;
