// The readings that the metrics show of the store: made when the gateway starts, and regularly from then on.
import { expect, test } from "bun:test";
import { Measures } from "../../src/app/upkeep/measures.ts";
import { startUpkeep } from "../../src/app/upkeep/upkeep.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { countingRandom, DAY, give, ledgerOn, makeAccount } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { until } from "../whole/world/until.ts";

const SECOND = 1000;

test("a listed account's balance is read at the start and every 15 s", async () => {
  const store = await openSqliteStore({ path: ":memory:", decide });
  await unrecorded(store).addAccount(makeAccount("search", { name: "Search" }));
  const measures = new Measures(store, () => ["Search"]);
  const clock = new ManualClock();
  const end = await startUpkeep({
    store,
    clock,
    measures,
    ledger: ledgerOn(store),
    learning: { refresh: async () => {} },
    log: () => {},
    random: countingRandom(),
    responsesKeepMs: () => 0,
    keepMs: () => DAY,
    auditKeepMs: () => DAY,
  });
  await until("it is read", () => measures.balances.get("Search") === 0);
  await give(store, "search", 5);
  await clock.move(14 * SECOND);
  expect(measures.balances.get("Search")).toBe(0);
  await clock.move(SECOND);
  await until("it is read again", () => measures.balances.get("Search") === 5);
  end();
  await store.close();
});
