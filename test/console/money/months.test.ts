// Money for those who don't operate the gateway: accounts with what they spend, and a month of all of them in two clicks.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { createOperator, type Operator } from "../../whole/world/operator.ts";
import { type PeopleWorld, startPeopleWorld } from "../people.ts";
import { HAS_BROWSER, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let operator: Operator;
let team = "";
const month = new Date().toISOString().slice(0, 7);
beforeAll(async () => {
  world = await startPeopleWorld();
  operator = createOperator(world.gateway);
  const made = await operator.post("/accounts", {
    name: '=Search, "west"',
    external_id: "4711",
    budgets: [
      { usd: 0.5, per: "month" },
      { usd: 100, per: "day" },
    ],
  });
  team = String(made.body.id);
  await world.gateway.topUp(team, 12.5);
  const key = await world.gateway.newKey({ account_id: team, requests_per_day: 0 });
  await world.add("Grace", [{ role: "member", accountId: team }]);
  await world.add("Bill", [{ role: "billing", accountId: null }]);
  const messages = [{ role: "user", content: "Hello!" }];
  const answer = await world.gateway.chat({ model: "OpenAI#gpt-5.4-mini", messages, max_tokens: 5 }, key);
  expect(answer.status).toBe(200);
  await answer.text();
});
afterAll(() => world.stop());

test("a month of all accounts adds up, as JSON and as CSV with names and fixed decimals", async () => {
  const { body } = await operator.get(`/statements/${month}`);
  const rows = asArray(body.data).map(asObject);
  const own = rows.find(({ account_id }) => account_id === team);
  expect(own).toMatchObject({ account: '=Search, "west"', external_id: "4711", topups_usd: 12.5 });
  const sum = (name: string) => rows.reduce((all, row) => all + Number(row[name]), 0);
  const total = asObject(body.total);
  for (const name of ["topups_usd", "charges_usd", "closing_balance_usd"]) {
    expect(Number(total[name])).toBeCloseTo(sum(name), 9);
  }
  const { url, adminToken } = world.gateway;
  const headers = { authorization: `Bearer ${adminToken}` };
  const file = await fetch(`${url}/admin/v1/statements/${month}.csv`, { headers });
  const csv = (await file.text()).trim().split("\r\n");
  expect(csv[0]).toBe(
    "month,account,account_id,external_id,time_zone,state,opening_balance_usd,topups_usd,charges_usd,adjustments_usd,closing_balance_usd,cost_usd",
  );
  const line = csv.find((one) => one.includes(team)) ?? "";
  expect(line).toStartWith(`${month},"'=Search, ""west""",${team},4711,UTC,open,0.000000000,12.500000000,`);
});

test("a month that hasn't begun is refused, and a member sees none of it", async () => {
  const later = await operator.get("/statements/2999-01");
  expect([later.status, later.body.error]).toMatchObject([400, { param: "month" }]);
});

test("what accounts spend has their fullest budget, keys and people", async () => {
  const { body } = await operator.get("/spending");
  const own = asArray(body.data)
    .map(asObject)
    .find(({ account_id }) => account_id === team);
  expect(own).toMatchObject({ requests: 1, keys: 1, people: 1, budget: { per: "month", limit: 0.5 } });
  expect(Number(own?.cost_usd)).toBeGreaterThan(0);
});

describe.skipIf(!HAS_BROWSER)("in the console (skipped without Chromium)", () => {
  test("finance has the month as a file after two clicks, and prints it with its total", async () => {
    const { page, leave } = await world.openAs("mem_bill");
    await page.getByRole("link", { name: "Statements" }).click();
    const table = page.getByRole("table", { name: "Statements of all accounts" });
    await table.getByRole("row", { name: /^Total/ }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    expect((await download).suggestedFilename()).toBe(`statements-${month}.csv`);
    await page.emulateMedia({ media: "print" });
    // The paper's height, with its margins, in landscape.
    await page.setViewportSize({ width: 1000, height: 700 });
    const cell = await table
      .getByRole("row", { name: /^Total/ })
      .getByRole("cell")
      .last()
      .boundingBox();
    expect((cell?.x ?? 2000) + (cell?.width ?? 0)).toBeLessThanOrEqual(1000);
    await leave();
  });

  test("the list of accounts has spending, budget, keys and people", async () => {
    const { page, leave } = await world.openAs("mem_bill", "/settings/accounts");
    const row = page.getByRole("table", { name: "Accounts" }).getByRole("row", { name: /west/ });
    await row.getByLabel(/^Budget per month: /).waitFor();
    expect(await row.getByRole("cell").allInnerTexts()).toEqual([
      expect.stringContaining("west"),
      expect.stringMatching(/^<?\$0\.\d\d/),
      expect.stringContaining("of $0.50"),
      "1",
      expect.any(String),
      "$12.50",
      expect.any(String),
    ]);
    await leave();
  });
});
