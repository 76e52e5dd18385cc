// Asking for more in the console, on a phone: by a member, and the decision by a manager.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type PeopleWorld, PHONE, startPeopleWorld } from "../people.ts";
import { findBarriers, HAS_BROWSER, isTooWide, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let team = "";
beforeAll(async () => {
  world = await startPeopleWorld();
  team = await world.gateway.newAccount("Search");
  const { url, adminToken } = world.gateway;
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const member_defaults = { parallel: 2, budgets: [{ usd: 50, per: "month", models: ["OpenAI#*"] }] };
  const init = { method: "PATCH", headers, body: JSON.stringify({ member_defaults }) };
  expect((await fetch(`${url}/admin/v1/accounts/${team}`, init)).status).toBe(200);
  await world.add("Grace", [{ role: "member", accountId: team }]);
  await world.add("Lead", [{ role: "manager", accountId: team }]);
});
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("more, please (skipped without Chromium)", () => {
  test("a member asks, a manager grants it, and both see what came of it", async () => {
    const member = await world.openAs("mem_grace", "/settings/requests", PHONE);
    await member.page.getByRole("heading", { name: "Your limits in Search" }).waitFor();
    await member.page.getByLabel("Budget per month for OpenAI#*: $0.00 of $50.00").waitFor();
    expect([await findBarriers(member.page), await isTooWide(member.page)]).toEqual([[], false]);
    await member.page.getByRole("button", { name: "Ask for more in Search" }).click();
    const asking = member.page.getByRole("dialog");
    await asking.getByLabel("Limit").selectOption({ label: "Budget per month for OpenAI#*" });
    await asking.getByLabel("How much more (USD)").fill("20");
    await asking.getByLabel("Until").fill(new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10));
    await asking.getByLabel("Reason").fill("A demo");
    expect([await findBarriers(member.page), await isTooWide(member.page)]).toEqual([[], false]);
    await asking.getByRole("button", { name: "Ask", exact: true }).click();
    const rows = (page: typeof member.page) =>
      page.getByRole("table", { name: "Requests for more" }).locator("tbody tr");
    await rows(member.page).getByText("open", { exact: true }).waitFor();

    const manager = await world.openAs("mem_lead", "/settings/requests", PHONE);
    const words = "$20.00 more: budget per month for OpenAI#*";
    await rows(manager.page).getByText(words).first().waitFor();
    expect(await isTooWide(manager.page)).toBe(false);
    await manager.page.getByRole("button", { name: `Change ${words}` }).click();
    const deciding = manager.page.getByRole("dialog");
    await deciding.getByText(/^Grace asks for it until .*: A demo$/).waitFor();
    await deciding.getByLabel("Note").fill("Break a leg");
    expect(await findBarriers(manager.page)).toEqual([]);
    await deciding.getByRole("button", { name: "Decide" }).click();
    await rows(manager.page).getByText("granted", { exact: true }).waitFor();

    await manager.open("/settings/people/mem_grace");
    await manager.page.getByRole("heading", { name: "Limits in Search" }).waitFor();
    await manager.page.getByLabel("Budget per month for OpenAI#*: $0.00 of $70.00").waitFor();
    await rows(manager.page).getByText("Break a leg").waitFor();
    expect(await isTooWide(manager.page)).toBe(false);
    await manager.leave();

    await member.open("/settings/requests");
    await rows(member.page).getByText("by Lead").waitFor();
    await member.page.getByLabel("Budget per month for OpenAI#*: $0.00 of $70.00").waitFor();
    await member.page.getByLabel("State").selectOption("open");
    await member.page.getByText("No requests for more").waitFor();
    await member.leave();
  }, 300_000);
});
