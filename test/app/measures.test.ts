// The readings that the metrics show of the store: made when the gateway starts, and regularly from then on.
import { expect, test } from "bun:test";
import { Measures } from "../../src/app/upkeep/measures.ts";
import { startUpkeep } from "../../src/app/upkeep/upkeep.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { startUnderTest } from "../harness/harness.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { countingRandom, DAY, give, ledgerOn, makeAccount } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";

const SECOND = 1000;

test("a listed account's balance is read at the start and every 15 s", async () => {
  const store = await openSqliteStore({ path: ":memory:", decide });
  await unrecorded(store).addAccount(makeAccount("search", { name: "Search" }));
  const clock = new ManualClock();
  const measures = new Measures({
    store,
    clock,
    rules: () => ({ balances: ["Search"], budgets: [] }),
    ledger: () => ledgerOn(store),
  });
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
  expect(measures.nearBudgets).toBeNull();
  await clock.move(SECOND);
  await until("it is read again", () => measures.balances.get("Search") === 5);
  end();
  await store.close();
});

const METRICS_TOKEN = "token-of-the-scraper-of-metrics";

test("budgets of listed accounts, and the number of owners near the end of one, are metrics", async () => {
  const gateway = await startUnderTest({
    more: `metrics: { token: ${METRICS_TOKEN}, balances: [Search], budgets: [Search, Missing] }`,
  });
  const { post } = createOperator(gateway);
  const budgets = [
    { usd: 4, per: "month" },
    { usd: 3, per: "day", models: ["Google#*"] },
  ];
  const { body: account } = await post("/accounts", { name: "Search", budgets });
  await post("/accounts", { name: "Other", budgets });
  const { body: key } = await post("/keys", { account_id: account.id, name: "one" });
  const body = { model: "OpenAI#gpt-5.4-nano", messages: [{ role: "user", content: "hi" }], max_tokens: 16 };
  const answer = await gateway.chat(body, { secret: String(key.secret) });
  expect(answer.status).toBe(200);
  await answer.text();
  const another = await gateway.another();
  const scrape = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${another.url}/metrics`, { headers });
    return response.text();
  };
  const read = async () =>
    (await scrape(METRICS_TOKEN)).split("\n").filter((one) => /^poundkey_budget/.test(one));
  await until("they are read", async () => (await read()).length > 4);
  const lines = await read();
  expect(lines).toContain('poundkey_budget_limit_usd{account="Search",budget="month"} 4');
  expect(lines).toContain('poundkey_budget_limit_usd{account="Search",budget="day Google#*"} 3');
  expect(lines).toContain('poundkey_budget_used_usd{account="Search",budget="day Google#*"} 0');
  expect(lines.join("\n")).toMatch(
    /poundkey_budget_used_usd\{account="Search",budget="month"\} 0\.0*[1-9]|[1-9]e-/,
  );
  expect(lines).toContain("poundkey_budgets_near 0");
  expect(lines.filter((one) => one.startsWith("poundkey_budget_used_usd{"))).toHaveLength(2);
  expect(lines.join("\n")).not.toContain("Other");
  expect(await scrape(gateway.adminToken)).not.toContain("poundkey_budget_limit");
  await another.stop();
  await gateway.stop();
});
