// Nothing is lost in a browser: a secret shown once stays until it is dismissed, and Back returns to the place in a list
// and undoes a filter.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

/** More than a page of the list. */
const REQUESTS = 70;
/** Pixels. */
const ROW_HEIGHT = 36;

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
  const messages = [{ role: "user", content: "Hello!" }];
  const ask = async (model: string) => (await world.gateway.chat({ model, messages })).text();
  for (let at = 0; at < REQUESTS; at += 10)
    await Promise.all(Array.from({ length: 10 }, () => ask("OpenAI#gpt-5.4")));
  await ask("OpenAI#sim-mini~trouble=500");
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("what isn't lost (skipped without Chromium)", () => {
  test("Escape doesn't close the dialog with a secret, however often it is pressed", async () => {
    const { page, leave } = await openConsole(world, "/settings/router");
    await page.getByRole("button", { name: "Add New Key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("kept");
    await page.getByRole("button", { name: "Create key" }).click();
    const heading = page.getByRole("heading", { name: "kept is ready" });
    await heading.waitFor();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Escape");
    expect(await heading.isVisible()).toBe(true);
    expect(await page.getByRole("tab").first().innerText()).toBe("curl");
    await page.getByRole("button", { name: "Done" }).click();
    await heading.waitFor({ state: "detached" });
    await leave();
  });

  test("Back returns to the same row of a list, with the rows that were added to it", async () => {
    const { page, leave } = await openConsole(world, "/activity");
    await page.getByRole("button", { name: "Show more" }).click();
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    const last = rows.nth(REQUESTS);
    await last.scrollIntoViewIfNeeded();
    const depth = await page.evaluate(() => window.scrollY);
    expect(depth).toBeGreaterThan(1000);
    await last.getByRole("link").click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await page.goBack();
    await last.waitFor();
    // A part above it that was drawn again may be a few pixels higher or lower.
    await page.waitForFunction(([before, near]) => Math.abs(window.scrollY - before) < near, [
      depth,
      ROW_HEIGHT,
    ] as const);
    await leave();
  });

  test("Back undoes a filter, and only then leaves the page", async () => {
    const { page, open, leave } = await openConsole(world);
    await open("/activity");
    await page.getByLabel("Status").selectOption("error");
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
    await rows.filter({ hasText: "trouble=500" }).waitFor();
    await rows.filter({ hasText: "gpt-5.4" }).first().waitFor({ state: "detached" });
    await page.goBack();
    await rows.filter({ hasText: "gpt-5.4" }).first().waitFor();
    expect(await page.getByLabel("Status").inputValue()).toBe("");
    await page.goBack();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await leave();
  });

  test("an address that leads nowhere has a way home", async () => {
    const { page, leave } = await openConsole(world, "/nowhere");
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await leave();
  });
});
