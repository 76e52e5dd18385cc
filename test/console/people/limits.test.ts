// The console's bars of what is used of limits, and its warnings of keys that nothing bounds.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const WIDTHS = [1280, 360] as const;
const [ACCOUNT_BUDGET, KEY_BUDGET] = [1000, 50] as const;

let world: ConsoleWorld;
let accountId = "";

async function change(path: string, fields: JsonObject): Promise<void> {
  const { url, adminToken } = world.gateway;
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const init = { method: "PATCH", headers, body: JSON.stringify(fields) };
  expect((await fetch(`${url}/admin/v1${path}`, init)).status).toBe(200);
}

beforeAll(async () => {
  world = await startConsoleWorld();
  accountId = await world.gateway.newAccount("Search");
  const budgets = [
    { usd: KEY_BUDGET, per: "week", models: ["OpenAI#*", "Anthropic#claude-*-with-a-long-name"] },
  ];
  await change(`/accounts/${accountId}`, {
    requests_per_minute: 40,
    budgets: [{ usd: ACCOUNT_BUDGET, per: "month" }],
  });
  await world.gateway.newKey({ account_id: accountId, name: "bounded", budgets });
  await world.gateway.newKey({ name: "unbounded", requests_per_day: null });
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("limits (skipped without Chromium)", () => {
  for (const width of WIDTHS) {
    const look = { viewport: { width, height: 740 } };

    test(`an account's page shows the use of its limits, ${width} px`, async () => {
      const { page, close } = await openConsole(world, `/settings/accounts/${accountId}`, look);
      await page.getByLabel("Budget per month: $0.00 of $1,000.00").waitFor();
      await page.getByLabel("Requests per minute: 0 of 40").waitFor();
      await page.getByText("starts over in").waitFor();
      expect(await isTooWide(page)).toBe(false);
      await close();
    });

    test(`a key's dialog shows its own and its account's, ${width} px`, async () => {
      const { page, close } = await openConsole(world, "/settings/router", look);
      const row = page.getByRole("row").filter({ hasText: "bounded" }).filter({ hasNotText: "unbounded" });
      await row.getByRole("button", { name: "Edit" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/^Budget per week for .*OpenAI#\*.*: \$0\.00 of \$50\.00$/).waitFor();
      await dialog.getByText("of the account").first().waitFor();
      expect(await dialog.getByText("Nothing bounds").count()).toBe(0);
      expect(await findBarriers(page)).toEqual([]);
      expect(await dialog.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
      await close();
    });
  }

  test("a key that nothing bounds is warned of, when it is made and when it is changed", async () => {
    const { page, close } = await openConsole(world, "/settings/router");
    const row = page.getByRole("row").filter({ hasText: "unbounded" });
    await row.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Nothing bounds what this key may spend").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Add New Key" }).click();
    await dialog.getByLabel("Name").fill("another");
    await dialog.getByText(/^More:/).click();
    await dialog.getByLabel("Daily allowance").selectOption("unlimited");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("Nothing bounds what this key may spend").waitFor();
    await close();
  });

  test("an account's dialog warns where its keys are unlimited without a budget", async () => {
    const { page, close } = await openConsole(world, "/settings/accounts/default");
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    const warning = dialog.getByText("Its keys have no daily allowance");
    await dialog.getByLabel("Daily allowance").selectOption("unlimited");
    await warning.waitFor();
    await dialog.getByRole("button", { name: "Add a budget" }).click();
    await dialog.getByLabel("USD", { exact: true }).fill("50");
    await warning.waitFor({ state: "detached" });
    await close();
  });

  test("saving an account keeps what somebody else changed meanwhile", async () => {
    const shared = await world.gateway.newAccount("Shared");
    const { page, close } = await openConsole(world, `/settings/accounts/${shared}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Shared by two");
    await change(`/accounts/${shared}`, { tokens_per_minute: 5000, tags: { team: "search" } });
    // The page behind the dialog learns of it before the form is saved.
    await page.waitForResponse(
      async (answer) => answer.url().endsWith(shared) && (await answer.text()).includes("5000"),
    );
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Shared by two" }).waitFor();
    await close();
    const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
    const found = await fetch(`${world.gateway.url}/admin/v1/accounts/${shared}`, { headers });
    expect(await found.json()).toMatchObject({ tokens_per_minute: 5000, tags: { team: "search" } });
  });
});
