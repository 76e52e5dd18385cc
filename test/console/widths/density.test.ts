// The room that things take: rows, the navigation with its end, and the chart above the fold.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator } from "playwright-core";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { addShown } from "../batch-states.ts";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
  type Visitor,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const ROW_MAX = 37;
const BARS_FROM_MAX = 450;

let world: ConsoleWorld;
let opened: Visitor;
beforeAll(async () => {
  world = await startConsoleWorld();
  const messages = [{ role: "user", content: "Hello!" }];
  const models = Array.from({ length: 40 }, (_, at) => (at % 4 === 0 ? "Router#best" : "OpenAI#gpt-5.4"));
  for (const model of models) await (await world.gateway.chat({ model, messages })).text();
  const operator = createOperator(world.gateway);
  const name = "the-nightly-evaluation-of-all-support-answers-in-production-eu-west-1";
  await operator.post("/accounts", { name, budgets: [{ usd: 5, per: "month" }] });
  await operator.post("/tokens", { name, role: "viewer", contact: "ada@example.com" });
  const limited = await world.gateway.newKey({ requests_per_minute: 1 });
  for (let at = 0; at < 3; at++)
    await (await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages }, limited)).text();
  const counts = { total: 812_345, completed: 200_123, failed: 12, cancelled: 588 };
  await addShown(world, [{ counts, usd: 1234.11 }]);
  if (HAS_BROWSER) opened = await openConsole(world, "/", { viewport: { width: 1440, height: 900 } });
});
afterAll(async () => {
  if (HAS_BROWSER) await opened.leave();
  await world.stop();
});

const boxOf = async (one: Locator) => (await one.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };

describe.skipIf(!HAS_BROWSER)("density (skipped without Chromium)", () => {
  test("the chart's bars begin in the window's upper half", async () => {
    const { page } = opened;
    const bars = page.locator(".u-over").first();
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    // The chart is drawn again once its parts are known.
    const y = await until("the bars are there", async () => (await boxOf(bars)).y || null);
    expect(y).toBeLessThan(BARS_FROM_MAX);
  });

  test("rows are 36 px high, and their heads stay in sight", async () => {
    const { page, open } = opened;
    await open("/activity");
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    await rows.nth(30).waitFor();
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThanOrEqual(ROW_MAX);
    await rows.nth(30).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 600);
    const head = page.getByRole("columnheader", { name: "Duration" });
    expect((await boxOf(head)).y).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ["/models", "Models"],
    ["/", "Figures by model"],
    ["/settings/accounts", "Accounts"],
    ["/settings/tokens", "Tokens"],
    ["/batches", "Batches"],
  ])("rows are as high on the page %s", async (path, label) => {
    const { page, open } = opened;
    for (const width of [1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      await open(path);
      const rows = page.getByRole("table", { name: label }).locator("tbody tr");
      await rows.first().waitFor();
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      expect([width, Math.max(...heights) <= ROW_MAX]).toEqual([width, true]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("a provider is one row, with its last 24 hours, and its credentials behind a button", async () => {
    const { page, open } = opened;
    await open("/settings/providers");
    const provider = page.getByRole("region", { name: "OpenAI", exact: true });
    await provider.getByRole("img", { name: /^Last 24 hours: 100% of \d+ requests/ }).waitFor();
    expect((await boxOf(provider)).height).toBeLessThanOrEqual(ROW_MAX);
    expect(await provider.locator(".monogram").getAttribute("data-initials")).toBe("OA");
    expect(await provider.locator(".day-bars i.good").count()).toBeGreaterThan(0);
    await provider.getByRole("button", { name: "1 credential of OpenAI" }).click();
    await provider.getByRole("list", { name: "Credentials of OpenAI" }).waitFor();
  });

  test("the overview's period and filters share a line on a laptop", async () => {
    const { page, open } = opened;
    await page.setViewportSize({ width: 1280, height: 900 });
    await open("/");
    await page.getByRole("combobox", { name: "Provider" }).waitFor();
    const fields = [
      page.getByRole("group", { name: "Period" }),
      ...(await page.getByRole("main").getByRole("combobox").all()),
    ];
    const tops = await Promise.all(fields.map(async (one) => Math.round((await boxOf(one)).y / 10)));
    expect(new Set(tops).size).toBe(1);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("all pages and the end of the navigation are in sight in a short window", async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1440, height: 720 });
    const nav = page.getByRole("navigation", { name: "Pages" });
    const ends = [nav.getByRole("link").last(), page.getByRole("button", { name: "Sign out" })];
    for (const end of ends) {
      const { y, height } = await boxOf(end);
      expect(y + height).toBeLessThanOrEqual(720);
    }
    expect(await nav.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
