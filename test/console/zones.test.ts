// Days are those of the gateway's zone: on charts, behind a click on one, and where the last 30 begin. A date has no zone.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { asArray, asObject, asString } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking } from "../whole/world/world.ts";
import { HAS_BROWSER, openConsole, startBrowser, VISIT_MS } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const MODEL = "OpenAI#gpt-5.4";
const DATE = { day: "numeric", month: "short", year: "numeric" } as const;

let browser: Browser | null = null;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Two days ago at noon in the zone: 3 requests, more than on any other day. */
async function startIn(zone: string): Promise<{ readonly gateway: UnderTest; readonly day: string }> {
  const gateway = await startUnderTest({ more: `quota: { time_zone: "${zone}" }` });
  for (let count = 0; count < 3; count++) await (await gateway.chat(asking(MODEL, zone))).text();
  await until("3 requests are summed", async () => {
    const { body } = await createOperator(gateway).get("/overview?step=hour");
    return JSON.stringify(body).includes('"totals":{"requests":3,');
  });
  const day = Temporal.Now.zonedDateTimeISO(zone).subtract({ days: 2 }).toPlainDate();
  const noonMs = day.toZonedDateTime({ timeZone: zone, plainTime: "12:00" }).epochMilliseconds;
  const file = new Database(join(gateway.directory, "poundkey.db"));
  file.run("PRAGMA busy_timeout = 5000");
  file.run("UPDATE hourly_usage SET hour_ms = ?", [noonMs]);
  file.close();
  return { gateway, day: day.toString() };
}

/** Moves to the chart's bar with these requests by the keyboard, and returns what is read out of it. */
async function reachBar(page: Page, requests: number): Promise<string> {
  await page.getByRole("region", { name: "Requests" }).getByRole("button").click();
  const chart = page.getByRole("slider", { name: /^Requests over time/ });
  await page.locator(".legend").getByText(MODEL).waitFor();
  await chart.focus();
  return until(`the bar of ${requests} requests`, async () => {
    await page.keyboard.press("ArrowLeft");
    const text = (await chart.getAttribute("aria-valuetext")) ?? "";
    return new RegExp(`gpt-5.4\\S* ${requests}(,|$)`).test(text) ? text : null;
  });
}

const readAddress = (page: Page) =>
  Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.split("?")[1]));

const startOf = (date: Temporal.PlainDate, zone: string) =>
  new Date(date.toZonedDateTime(zone).epochMilliseconds).toISOString();

describe.skipIf(!HAS_BROWSER)("days of the gateway's zone (skipped without Chromium)", () => {
  test.each([
    ["Europe/Berlin", "UTC"],
    ["Pacific/Auckland", "America/Los_Angeles"],
    ["America/Los_Angeles", "Asia/Tokyo"],
  ])("%s, seen from a browser in %s", async (zone, timezoneId) => {
    const { gateway, day } = await startIn(zone);
    const world = { gateway, browser, stop: gateway.stop };
    const { page, open, leave } = await openConsole(world, "/models", { timezoneId });
    const date = Temporal.PlainDate.from(day);
    const asked = page.waitForRequest(/\/overview\?.*step=day/);
    await open("/");
    const today = Temporal.Now.plainDateISO(zone);
    const { searchParams } = new URL((await asked).url());
    expect([searchParams.get("from"), searchParams.get("to")]).toEqual([
      startOf(today.subtract({ days: 29 }), zone),
      startOf(today.add({ days: 1 }), zone),
    ]);
    const name = date.toLocaleString("en-GB", { weekday: "short", day: "numeric", month: "short" });
    expect(await reachBar(page, 3)).toStartWith(`${name}, `);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    expect(readAddress(page)).toEqual({
      from: startOf(date, zone),
      to: startOf(date.add({ days: 1 }), zone),
    });
    await leave();
    await world.stop();
  });

  test("a date is the same day in every browser", async () => {
    const gateway = await startUnderTest();
    const world = { gateway, browser, stop: gateway.stop };
    const { body } = await createOperator(gateway).get("/models");
    const cards = asArray(asObject(body).data)?.map(asObject) ?? [];
    const released = asString(cards.find(({ id }) => id === MODEL)?.released) ?? "";
    const path = `/models/${encodeURIComponent(MODEL)}`;
    const { page, leave } = await openConsole(world, path, { timezoneId: "America/Los_Angeles" });
    const date = Temporal.PlainDate.from(released).toLocaleString("en-GB", DATE);
    await page.getByText(date, { exact: true }).first().waitFor();
    await leave();
    await world.stop();
  });
});
