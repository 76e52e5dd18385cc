// A member's home: what is left and until when, and more of it in a few taps; and the decision by one tap of a manager.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { createOperator, type Operator } from "../../whole/world/operator.ts";
import { type PeopleWorld, PHONE, startPeopleWorld } from "../people.ts";
import { findBarriers, HAS_BROWSER, isTooWide, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let operator: Operator;
let team = "";
beforeAll(async () => {
  world = await startPeopleWorld();
  operator = createOperator(world.gateway);
  team = await world.gateway.newAccount("Search");
  const member_defaults = { parallel: 2, budgets: [{ usd: 50, per: "month" }] };
  const { url, adminToken } = world.gateway;
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const init = { method: "PATCH", headers, body: JSON.stringify({ member_defaults }) };
  expect((await fetch(`${url}/admin/v1/accounts/${team}`, init)).status).toBe(200);
  await world.add("Grace", [{ role: "member", accountId: team }]);
  await world.add("Joan", [{ role: "member", accountId: team }]);
  await world.add("Lead", [{ role: "manager", accountId: team }]);
});
afterAll(() => world.stop());

const decided = async () =>
  asArray((await operator.get("/limit-requests")).body.data)
    .map(asObject)
    .map(({ member_name, state, amount }) => [member_name, state, amount]);

describe.skipIf(!HAS_BROWSER)("a member's home (skipped without Chromium)", () => {
  test("says what is left, and asks for more in three taps on a phone", async () => {
    const { page, leave } = await world.openAs("mem_grace", "/", PHONE);
    await page.getByRole("heading", { name: "Hello, Grace" }).waitFor();
    await page.getByText("$50.00 left", { exact: true }).waitFor();
    await page.getByText(/^of \$50\.00 per month, starts over in/).waitFor();
    await page.getByRole("heading", { name: "My keys" }).waitFor();
    await page.getByRole("heading", { name: "Connect" }).waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    // One.
    await page.getByRole("button", { name: "Ask for more in Search" }).click();
    const dialog = page.getByRole("dialog");
    const limit = dialog.getByLabel("Limit");
    expect(await limit.locator("option:checked").innerText()).toBe("Budget per month");
    expect(await dialog.getByLabel("How much more (USD)").inputValue()).toBe("25");
    // Two: the reason has the focus, and only has to be typed.
    await page.locator("input:focus").fill("A demo");
    // Three.
    await dialog.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText(/^You asked for \$25\.00 more/).waitFor();
    await leave();
  });

  test("leads to a playground that asks with a key of one's own", async () => {
    const { page, open, leave } = await world.openAs("mem_joan", "/playground");
    await page.getByRole("heading", { name: "You need a key of your own" }).waitFor();
    await page.getByRole("link", { name: "Make a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Joan's laptop");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Joan's laptop is ready" }).waitFor();
    await open("/playground?model=OpenAI%23gpt-5.4");
    const asking = page.getByRole("combobox", { name: "Key", exact: true });
    await asking.waitFor();
    expect(await asking.locator("option:checked").innerText()).toBe("Joan's laptop");
    await page.getByLabel("Message").fill("Say hello.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/\d+ → \d+ tokens/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await open("/activity");
    await page.getByRole("row").filter({ hasText: "Joan's laptop" }).getByText("gpt-5.4").waitFor();
    await leave();
  });

  test("whoever decides has a number and a notice, and grants by one tap", async () => {
    await operator.get("/keys");
    const { page, open, leave } = await world.openAs("mem_lead", "/", PHONE);
    await page.getByRole("button", { name: "1 thing needs you" }).waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Requests for more 1 waiting" }).click();
    const row = page.getByRole("table", { name: "Requests for more" }).locator("tbody tr").first();
    await row.getByRole("button", { name: /^Grant/ }).click();
    await row.getByText("granted").waitFor();
    await page.getByRole("button", { name: "Nothing needs you" }).waitFor();
    expect(await decided()).toEqual([["Grace", "granted", 25]]);
    await open("/");
    await leave();
  });

  test("or grants less than was asked for, but never more", async () => {
    const joan = await world.openAs("mem_joan");
    await joan.page.getByRole("button", { name: "Ask for more in Search" }).click();
    await joan.page.locator("input:focus").fill("A test");
    await joan.page.getByRole("button", { name: "Ask", exact: true }).click();
    await joan.page.getByText(/^You asked for/).waitFor();
    await joan.leave();
    const { page, close } = await world.openAs("mem_lead", "/settings/requests");
    await page.getByRole("button", { name: /^Change/ }).click();
    const dialog = page.getByRole("dialog");
    const amount = dialog.getByLabel("How much more (USD)");
    await amount.fill("26");
    await dialog.getByRole("button", { name: "Decide" }).click();
    await dialog.getByText("Give 25 or less.").waitFor();
    expect(await amount.evaluate((field) => field === document.activeElement)).toBe(true);
    await amount.fill("10");
    await dialog.getByRole("button", { name: "Decide" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await decided()).toContainEqual(["Joan", "granted", 10]);
    await close();
  });

  test("the gateway itself grants no more than was asked for", async () => {
    const { data } = (await operator.get("/limit-requests")).body;
    const [first] = asArray(data).map(asObject);
    const refused = await operator.post(`/limit-requests/${first?.id}/decide`, { grant: true, amount: 1000 });
    expect([refused.status, refused.body.error]).toMatchObject([400, { param: "amount" }]);
  });
});
