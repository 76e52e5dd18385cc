// Pages that read well: no row of three lines, no column of single letters, nothing said twice or left without a word.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asking } from "../whole/world/world.ts";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const LONG = "a-key-with-a-name-that-is-far-too-long-for-its-column-and-goes-on";
const PROVIDER = "AProviderWithAVeryLongNameOnOurOwnMachines";
const ROW_HEIGHT_MAX = 64;
const PHONE = { viewport: { width: 390, height: 844 } };

let world: ConsoleWorld;
let id = "";

beforeAll(async () => {
  world = await startConsoleWorld({
    more: `  ${PROVIDER}: { dialect: openai, keys: [k], base_url: "http://127.0.0.1:9/v1", timeouts: { idle: 5s }, models: [{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`,
  });
  const account = await world.gateway.newAccount("Research");
  const { secret } = await world.gateway.newKey({ name: LONG, account_id: account, requests_per_day: 50 });
  const answer = await world.gateway.chat(asking("OpenAI#gpt-5.4"), { secret });
  id = (await answer.json()).id;
  await (await world.gateway.chat(asking("OpenAI#sim", "hello", { stream: true }), { secret })).text();
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("pages that read well (skipped without Chromium)", () => {
  test("a phone shows the limits of a provider with a long name in words, not letters", async () => {
    const { page, leave } = await openConsole(world, "/settings/limits", PHONE);
    await page.getByText(PROVIDER).waitFor();
    const widths = await page.locator(".facts dd").evaluateAll((all) => all.map((one) => one.clientWidth));
    expect(Math.min(...widths)).toBeGreaterThan(120);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(4500);
    await leave();
  });

  test("rows of keys and requests stay low, whatever their names", async () => {
    const { page, open, leave } = await openConsole(world, "/", { viewport: { width: 1440, height: 900 } });
    for (const [path, table] of [
      ["/settings/router", "Keys"],
      ["/activity", "Requests"],
    ] as const) {
      await open(path);
      const rows = page.getByRole("table", { name: table }).locator("tbody tr:not(.table-heading)");
      await rows.filter({ hasText: LONG }).first().waitFor();
      const heights = await rows.evaluateAll((all) => all.map((one) => one.clientHeight));
      expect([table, Math.max(...heights) <= ROW_HEIGHT_MAX]).toEqual([table, true]);
    }
    await leave();
  });

  test("a request's row names day, key, account and a stream, its duration on the right", async () => {
    const { page, leave } = await openConsole(world, "/activity", { viewport: { width: 1440, height: 900 } });
    const table = page.getByRole("table", { name: "Requests" });
    const streamed = table.getByRole("row").filter({ hasText: "streamed" });
    await streamed.getByText("Research").waitFor();
    expect(await table.getByRole("row").filter({ hasText: "gpt-5.4" }).getByText("streamed").count()).toBe(0);
    await table.getByRole("rowheader", { name: "Today" }).waitFor();
    const duration = streamed.locator("td[data-label=Duration]");
    expect(await duration.evaluate((cell) => getComputedStyle(cell).textAlign)).toBe("right");
    await leave();
  });

  test("a request's page copies both ids, and no two of its ticks are the same", async () => {
    const { page, leave } = await openConsole(world, `/activity/${id}`);
    await page.getByRole("button", { name: "Copy request ID" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith("req_");
    const ticks = await page.locator(".timeline-scale span").allInnerTexts();
    expect(ticks.length).toBeGreaterThan(1);
    expect(new Set(ticks).size).toBe(ticks.length);
    await leave();
  });

  test("the page of keys is called so, and a model's row leads to the model", async () => {
    const { page, leave } = await openConsole(world);
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.getByRole("complementary").getByRole("link", { name: "Models" }).click();
    expect(await page.getByLabel("Not enabled, too").isChecked()).toBe(false);
    await page.getByRole("table", { name: "Models" }).getByRole("link").first().click();
    await page.getByRole("button", { name: "Copy ID" }).waitFor();
    await page.getByRole("link", { name: "Try it" }).waitFor();
    await leave();
  });

  test("a chart without figures says so, and the breakdown says what its bars follow", async () => {
    const { page, leave } = await openConsole(world, "/?model=OpenAI%23gpt-5.4&range=24h");
    await page.getByText("The bars follow the column that the rows are sorted by").waitFor();
    await page.getByRole("button", { name: "Time to first token" }).click();
    const card = page.locator("section.card").filter({ hasText: "Time to first token" }).last();
    await card.getByText("Nothing was measured in this period.").waitFor();
    await leave();
  });
});
