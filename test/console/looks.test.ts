// Looking without leaving, on wide screens and on phones: a request beside the list, refusals by their cause, rows of two
// lines, one button for the filters, and pages that don't jump while they load.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { PHONE } from "./people.ts";
import { countRequests } from "./requests.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const ROW_MAX = 74;
const SHIFT_MAX = 0.05;

let world: ConsoleWorld;
let account = "";
let limited: { readonly id: string; readonly secret: string };
beforeAll(async () => {
  world = await startConsoleWorld();
  const { gateway } = world;
  account = await gateway.newAccount("Search");
  for (const name of ["web", "nightly", "support"]) await gateway.newKey({ name, account_id: account });
  limited = await gateway.newKey({ name: "limited", requests_per_day: 1, account_id: account });
  const ask = { model: "OpenAI#gpt-5.4", messages: [{ role: "user", content: "Hello!" }] };
  for (const _ of [1, 2, 3]) await (await gateway.chat(ask)).text();
  for (const _ of [1, 2, 3, 4]) await (await gateway.chat(ask, limited)).text();
  for (const _ of [1, 2]) await gateway.chat({ ...ask, model: "no-such-model" });
  const operator = createOperator(gateway);
  await until("all are logged", async () => (await operator.all("/requests", 50)).length >= 4);
});
afterAll(() => world.stop());

const measureRows = (page: Page, label: string) =>
  page
    .getByRole("table", { name: label })
    .locator("tbody tr:not(.table-heading)")
    .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));

describe.skipIf(!HAS_BROWSER)("a look (skipped without Chromium)", () => {
  test("at a request beside its list, from row to row by the arrow keys", async () => {
    const { page, leave } = await openConsole(world, "/activity", { viewport: { width: 1440, height: 900 } });
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    await rows.first().waitFor();
    const peek = page.getByRole("complementary", { name: "The request beside the list" });
    await page.keyboard.press("ArrowDown");
    await peek.getByRole("heading", { name: "Timeline" }).waitFor();
    const addressOf = async () => peek.getByRole("link", { name: "Open its page" }).getAttribute("href");
    const first = await addressOf();
    await page.keyboard.press("ArrowDown");
    await until("the next one is shown", async () => (await addressOf()) !== first);
    await page.keyboard.press("ArrowUp");
    await until("the first one is shown again", async () => (await addressOf()) === first);
    // The look has an address of its own, which can be sent.
    await page.reload();
    await peek.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(await addressOf()).toBe(first);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await peek.waitFor({ state: "detached" });
    expect(page.url()).toEndWith("#/activity");
    await leave();
  });

  test("at the columns that were chosen, which this browser keeps", async () => {
    const { page, leave } = await openConsole(world, "/activity");
    const heads = page.getByRole("table", { name: "Requests" }).getByRole("columnheader");
    const read = async () => {
      await heads.first().waitFor();
      return (await heads.allTextContents()).join(" ");
    };
    expect(await read()).toBe("Time Status Model Key Tokens Cost Duration");
    await page.getByRole("button", { name: "Columns" }).click();
    const dialog = page.getByRole("dialog");
    for (const name of ["Address", "First token"]) await dialog.getByLabel(name).check();
    await dialog.getByLabel("Tokens").uncheck();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    const chosen = "Time Status Model Key Address Cost First token Duration";
    expect(await read()).toBe(chosen);
    await page.reload();
    expect(await read()).toBe(chosen);
    await page.getByRole("cell", { name: "127.0.0.1" }).first().waitFor();
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole("button", { name: "Columns" }).click();
    await dialog.getByRole("button", { name: "Usual columns" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await read()).toBe("Time Status Model Key Tokens Cost Duration");
    await leave();
  });

  test("at refusals by cause and key, with the way out as a button", async () => {
    const { page, leave } = await openConsole(world, "/activity?show=refused");
    const groups = page.getByRole("list", { name: "Refusals by cause and key" }).getByRole("listitem");
    const used = groups.filter({ hasText: "limited" });
    await used.getByText("3 requests").waitFor();
    expect(await groups.count()).toBe(2);
    expect(await used.innerText()).not.toMatch(/\dT\d\d:/);
    await used.getByRole("link", { name: "Raise" }).click();
    await page.getByRole("dialog").getByText("Edit limited").waitFor();
    await page.keyboard.press("Escape");
    // The allowance that refused it stands on the key's own page.
    const facts =
      /^The daily allowance of 1 request is used up, .* balance would pay; .* one free request .* in \d+ min\.$/;
    await page.getByText(facts).waitFor();
    await leave();
  });

  test("at what a key has", async () => {
    const { page, open, leave } = await openConsole(world);
    const { id } = await world.gateway.newKey({
      name: "described",
      allowed_models: ["OpenAI#*"],
      allowed_addresses: ["127.0.0.1"],
      tags: { team: "search" },
      contact: "ops@example.com",
      notes: "Nightly reports",
    });
    await open(`/settings/router/${id}`);
    const facts = page.locator(".facts");
    for (const text of ["OpenAI#*", "127.0.0.1", "team=search", "ops@example.com", "Nightly reports"])
      await facts.getByText(text, { exact: true }).waitFor();
    await leave();
  });

  test("on a phone: rows of two lines, and one button for the filters", async () => {
    const { page, open, leave } = await openConsole(world, "/settings/router", PHONE);
    for (const [path = "", label = ""] of [
      ["/settings/router", "Keys"],
      ["/settings/accounts", "Accounts"],
      ["/activity", "Requests"],
    ]) {
      await open(path);
      await page.getByRole("table", { name: label }).locator("tbody tr").first().waitFor();
      const heights = await measureRows(page, label);
      expect([path, Math.max(...heights) <= ROW_MAX, heights.length > 1]).toEqual([path, true, true]);
      expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    }
    expect(await page.getByRole("combobox").count()).toBe(0);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("combobox", { name: "Model" }).first().waitFor();
    await leave();
  });

  test.each([
    ["the overview", () => "/", "Breakdown"],
    ["an account", () => `/settings/accounts/${account}`, "Journal"],
    ["the models", () => "/models", "gpt-5.4"],
    ["a key", () => `/settings/router/${limited.id}`, "Used from"],
  ])("%s doesn't jump while it loads", async (_, path, shows) => {
    const visitor = await openConsole(world, path());
    const settle = countRequests(visitor.page);
    await visitor.reloadWith(() => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if ("value" in entry && "hadRecentInput" in entry && !entry.hadRecentInput)
            sum += Number(entry.value);
        document.documentElement.dataset.shift = String(sum);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await visitor.page.getByText(shows).first().waitFor();
    await settle();
    const shift = await visitor.page.evaluate(() => Number(document.documentElement.dataset.shift ?? 0));
    console.log(`layout shift of ${path()}: ${shift.toFixed(3)}`);
    expect(shift).toBeLessThanOrEqual(SHIFT_MAX);
    await visitor.leave();
  });
});
