// From figures to what is behind them: periods and filters in the address, a span of a chart, and a model by a part of
// its name.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../whole/world/until.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
  const messages = [{ role: "user", content: "Hello!" }];
  for (const model of ["OpenAI#gpt-5.4", "OpenAI#gpt-5.4", "Anthropic#claude-sonnet-5"])
    await (await world.gateway.chat({ model, messages })).text();
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("drills (skipped without Chromium)", () => {
  test("a filter by keyboard narrows the overview, and goes with it to Activity", async () => {
    const { page, leave } = await openConsole(world);
    const requests = page.getByRole("region", { name: "Requests" });
    await requests.getByText("3", { exact: true }).waitFor();
    const model = page.getByRole("combobox", { name: "Model" });
    await model.focus();
    await page.keyboard.type("sonnet-5");
    await page.getByRole("option", { name: "Anthropic#claude-sonnet-5", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await requests.getByText("1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    expect(page.url()).toContain("range=7d");
    await page.getByRole("complementary").getByRole("link", { name: "Activity" }).click();
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    await rows.filter({ hasText: "claude-sonnet-5" }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.getByRole("rowheader", { name: "Today" }).count()).toBe(1);
    expect(await page.getByRole("button", { name: "7 days" }).getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "Any model" }).click();
    await rows.nth(2).waitFor();
    await leave();
  });

  test("a step of a chart leads to its requests", async () => {
    const { page, leave } = await openConsole(world, "/?range=24h");
    await page.getByRole("region", { name: "Requests" }).getByRole("button").click();
    const chart = page.getByRole("slider", { name: /^Requests over time/ });
    const plot = chart.locator(".u-over");
    // Until it has been drawn and stands still.
    await plot.hover();
    const box = await plot.boundingBox();
    if (!box) throw new Error("there is no chart");
    await page.mouse.move(box.x + box.width - 60, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 4, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    const { from = "", to = "" } = Object.fromEntries(new URLSearchParams(page.url().split("?")[1]));
    const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
    expect(hours).toBeGreaterThan(1);
    expect(hours).toBeLessThan(5);
    expect(Date.parse(to)).toBeGreaterThan(Date.now());
    await page.getByRole("table", { name: "Requests" }).locator("tbody tr.link").nth(2).waitFor();
    await page.getByRole("button", { name: "until" }).click();
    expect(page.url()).not.toContain("from=");
    await leave();
  });

  test("a chart's steps are read and brushed by keyboard", async () => {
    const { page, leave } = await openConsole(world, "/?range=24h");
    await page.getByRole("region", { name: "Requests" }).getByRole("button").click();
    const chart = page.getByRole("slider", { name: /^Requests over time/ });
    await chart.focus();
    await page.keyboard.press("End");
    // The hour may have ended since the requests were made.
    const isEmpty = (await chart.getAttribute("aria-valuetext"))?.includes("gpt-5.4 0") === true;
    if (isEmpty) await page.keyboard.press("ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(
      /^\w{3},? \d.*, OpenAI#gpt-5.4 2, Anthropic#claude-sonnet-5 1$/,
    );
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^From .*gpt-5.4 0, .* to .*gpt-5.4 2,/);
    expect(await chart.locator(".u-select").evaluate((one) => one.clientWidth)).toBeGreaterThan(20);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    const { from = "", to = "" } = Object.fromEntries(new URLSearchParams(page.url().split("?")[1]));
    expect((Date.parse(to) - Date.parse(from)) / 3_600_000).toBe(3);
    await page.getByRole("table", { name: "Requests" }).locator("tbody tr.link").nth(2).waitFor();
    await leave();
  });

  test("a view is saved by name, by keyboard, opened again after a reload, and forgotten", async () => {
    const { page, open, leave } = await openConsole(world, "/activity?model=OpenAI%23gpt-5.4&range=7d");
    await page.getByRole("button", { name: "Save view" }).press("Enter");
    await page.getByRole("dialog").getByLabel("Name").fill("Our GPT");
    await page.keyboard.press("Enter");
    const views = page.getByRole("navigation", { name: "Saved views" });
    await views.getByRole("link", { name: "Our GPT" }).waitFor();
    expect(await views.getByRole("button", { name: "Save view" }).count()).toBe(0);
    await open("/activity");
    await page.reload();
    await views.getByRole("link", { name: "Our GPT" }).press("Enter");
    await page.getByRole("button", { name: "Any model" }).waitFor();
    expect(page.url()).toContain("range=7d");
    await open("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await views.count()).toBe(0);
    await open("/activity");
    await views.getByRole("button", { name: "Forget Our GPT" }).press("Enter");
    await views.waitFor({ state: "detached" });
    await leave();
  });

  test("a key beyond the latest 200 has its name in the list, the breakdown and the filter", async () => {
    const { gateway } = world;
    const { secret, id } = await gateway.newKey({ name: "long-forgotten" });
    const messages = [{ role: "user", content: "Hello!" }];
    await (await gateway.chat({ model: "Mistral#mistral-large-2512", messages }, { secret })).text();
    for (let count = 0; count < 200; count++) await gateway.newKey({ name: `newer-${count}` });
    const { page, open, leave } = await openConsole(world, `/activity?key_id=${id}`);
    await page.getByRole("table", { name: "Requests" }).getByText("long-forgotten").waitFor();
    const filter = page.getByRole("combobox", { name: "Key" });
    await until("the filter has the name", async () => (await filter.inputValue()) === "long-forgotten");
    await page.getByRole("button", { name: "Any key" }).click();
    await page.getByRole("table", { name: "Requests" }).locator("tbody tr.link").nth(2).waitFor();
    await filter.fill("forgotten");
    await page.getByRole("option", { name: /^long-forgotten/ }).waitFor();
    await page.keyboard.press("Enter");
    await until("the filter is in the address", async () => page.url().includes(`key_id=${id}`));
    await open("/");
    await page
      .getByRole("group", { name: "Group by" })
      .getByRole("button", { name: "Key", exact: true })
      .click();
    await page.getByRole("table", { name: "Figures by key" }).getByText("long-forgotten").waitFor();
    await leave();
  });

  test("a key is made for an account beyond the latest 200, which is found by a part of its name", async () => {
    const { gateway } = world;
    const account = await gateway.newAccount("Bygone research");
    for (let count = 0; count < 200; count++) await gateway.newAccount(`Newer ${count}`);
    const { page, leave } = await openConsole(world, "/settings/router");
    await page.getByRole("button", { name: "Add New Key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("paid by others");
    const payer = dialog.getByRole("combobox", { name: "Account" });
    await payer.fill("bygone");
    await dialog.getByRole("option", { name: "Bygone research" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await payer.press("Enter");
    expect(await payer.inputValue()).toBe("Bygone research");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row").filter({ hasText: "paid by others" });
    const link = row.getByRole("link", { name: "Bygone research" });
    expect(await link.getAttribute("href")).toContain(account);
    await row.getByRole("button", { name: "Edit" }).click();
    await until("the form names it", async () => (await payer.inputValue()) === "Bygone research");
    await leave();
  });

  test("an account's journal has one row a request, and the ledger's rows behind a switch", async () => {
    const { gateway } = world;
    const account = await gateway.newAccount("Research");
    await gateway.topUp(account, 5);
    const { secret } = await gateway.newKey({ account_id: account, requests_per_day: 0 });
    const messages = [{ role: "user", content: "Hello!" }];
    const ask = async () => (await gateway.chat({ model: "OpenAI#gpt-5.4", messages }, { secret })).text();
    await Promise.all([ask(), ask(), ask()]);
    const { page, leave } = await openConsole(world, `/settings/accounts/${account}`);
    const rows = page.getByRole("table", { name: "Journal" }).locator("tbody tr:not(.table-heading)");
    await rows.nth(3).waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts.map((text) => /^\S+/.exec(text)?.[0])).toEqual(["charge", "charge", "charge", "top-up"]);
    for (const text of texts.slice(0, 3)) expect(text).toMatch(/−\$0\.\d+\s+of \$\d/);
    expect(await page.locator(".gain").allInnerTexts()).toEqual(["+$5.00"]);
    await page.getByLabel("Holds and releases").check();
    await rows.nth(6).waitFor();
    expect(await page.locator(".gain").allInnerTexts()).toEqual(["+$5.00"]);
    await leave();
  });

  test("the rows of a table are saved as CSV, all of them, with no text as a formula", async () => {
    const { gateway } = world;
    await gateway.newKey({ name: "=1+1" });
    const { page, leave } = await openConsole(world, "/settings/router");
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV of Keys" }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe("keys.csv");
    const lines = (await Bun.file(await download.path()).text()).split("\r\n");
    expect(lines[0]).toStartWith("id,name,account_id");
    expect(lines[0]).toContain("spent_usd.total");
    expect(lines.some((line) => line.includes(",'=1+1,default,"))).toBe(true);
    await leave();
  });

  test("a day's calls to a provider lead to their requests", async () => {
    const { page, leave } = await openConsole(world, "/settings/reconciliation?range=7d");
    const row = page.getByRole("table", { name: "Reconciliation" }).getByRole("row", { name: "OpenAI" });
    const calls = row.getByRole("link", { name: /^\d+$/ });
    const count = Number(await calls.textContent());
    await calls.click();
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    const {
      provider,
      from = "",
      to = "",
    } = Object.fromEntries(new URLSearchParams(page.url().split("?")[1]));
    expect([provider, Date.parse(to) - Date.parse(from)]).toEqual(["OpenAI", 86_400_000]);
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    await rows.nth(count - 1).waitFor();
    expect([count > 1, await rows.count()]).toEqual([true, count]);
    await leave();
  });

  test("the bell counts and names what needs somebody", async () => {
    const { gateway } = world;
    const { id } = await gateway.newKey({
      name: "ending",
      expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    });
    await gateway.topUp(await gateway.newAccount("Nearly empty"), 0.5);
    const { page, leave } = await openConsole(world);
    await page.getByRole("button", { name: "2 things need you" }).click();
    await page.getByRole("link", { name: "Nearly empty has $0.50 left" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("link", { name: /^The key ending ends in 3 d/ }).click();
    await page.getByRole("heading", { level: 1, name: "ending" }).waitFor();
    expect(page.url()).toContain(id);
    await leave();
  });

  test("the search opens a model's page, and that leads to its provider's", async () => {
    const { page, leave } = await openConsole(world);
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill("sonnet-5");
    await page
      .getByRole("dialog")
      .getByRole("link", { name: "Anthropic#claude-sonnet-5", exact: true })
      .click();
    await page.getByRole("heading", { level: 1, name: "Anthropic#claude-sonnet-5" }).waitFor();
    await page.getByRole("table", { name: "Prices" }).getByText("$").first().waitFor();
    await page.getByRole("region", { name: "Requests" }).getByText("1", { exact: true }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Anthropic", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Anthropic" }).waitFor();
    await page.getByRole("list", { name: "Credentials of Anthropic" }).waitFor();
    await leave();
  });

  test("a part of a model's name finds its requests", async () => {
    const { page, leave } = await openConsole(world, "/activity");
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    await rows.filter({ hasText: "gpt-5.4" }).first().waitFor();
    await page.getByRole("combobox", { name: "Model" }).fill("gpt-5");
    await page.keyboard.press("Escape");
    expect(await page.locator(".combobox-list").count()).toBe(0);
    await page.getByRole("combobox", { name: "Model" }).fill("claude-sonn");
    await page.keyboard.press("Enter");
    await rows.filter({ hasText: "gpt-5.4" }).first().waitFor({ state: "detached" });
    await rows.filter({ hasText: "claude-sonn" }).first().waitFor();
    expect(await rows.count()).toBe(1);
    await leave();
  });
});
