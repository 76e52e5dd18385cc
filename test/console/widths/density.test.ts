// The room that things take: rows, the navigation with its end, and the chart above the fold.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator } from "playwright-core";
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
  if (HAS_BROWSER) opened = await openConsole(world, { viewport: { width: 1440, height: 900 } });
});
afterAll(async () => {
  if (HAS_BROWSER) await opened.leave();
  await world.stop();
});

const boxOf = async (one: Locator) => (await one.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };

describe.skipIf(!HAS_BROWSER)("density (skipped without Chromium)", () => {
  test("the chart's bars begin in the window's upper half", async () => {
    const { page } = opened;
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    const bars = page.locator(".u-over").first();
    // It waits for the chart, which may be drawn again meanwhile.
    const top = await bars.evaluate((one) => one.getBoundingClientRect().y);
    expect(top).toBeLessThan(BARS_FROM_MAX);
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
