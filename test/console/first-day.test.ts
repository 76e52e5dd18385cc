// A gateway on its first day: what is missing is said where it is missed, with the way to it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import type { Started } from "../harness/harness.ts";
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
let bare: Started;
beforeAll(async () => {
  world = await startConsoleWorld();
  const { configFile, another } = world.gateway;
  const text = readFileSync(configFile, "utf8").replace(/^providers:\n(?: {2}.*\n?)*/m, "providers: {}\n");
  writeFileSync(configFile, text);
  bare = await another();
});
afterAll(async () => {
  await bare.stop();
  await world.stop();
});

const openBare = () => openConsole({ ...world, gateway: { ...world.gateway, url: bare.url } });

describe.skipIf(!HAS_BROWSER)("the first day (skipped without Chromium)", () => {
  test("without a provider, the overview leads to one instead of to a key", async () => {
    const { page, leave } = await openBare();
    await page.getByRole("heading", { name: "No provider is on yet" }).waitFor();
    expect(await page.getByRole("main").getByRole("link", { name: "Try the playground" }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.locator("a.button", { hasText: "Add a provider's key" }).click();
    await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor();
    await leave();
  });

  test("without a provider, the playground says what to do", async () => {
    const { page, open, leave } = await openBare();
    await open("/playground");
    await page.getByRole("heading", { name: "No provider is on yet" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
    await page.getByRole("main").getByRole("link", { name: "Add a provider's key" }).click();
    await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor();
    await leave();
  });

  test("a figure that is on its way looks other than one that nobody has", async () => {
    const { page, open, leave } = await openBare();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route("**/admin/v1/spending*", async (route) => {
      await answered;
      await route.continue();
    });
    await open("/settings/accounts");
    const row = page.getByRole("table", { name: "Accounts" }).getByRole("row").filter({ hasText: "default" });
    await row.getByText("loading").first().waitFor();
    expect(await row.innerText()).not.toContain("–");
    answer();
    await row.getByText("loading").first().waitFor({ state: "detached" });
    expect(await row.innerText()).toContain("$0.00");
    await leave();
  });

  test("without a receiver of webhooks, the page doesn't say that all were accepted", async () => {
    const { page, open, leave } = await openBare();
    await open("/settings/webhooks");
    await page.getByRole("heading", { name: "No receiver is configured" }).waitFor();
    expect(await page.getByText(/Nothing waits|They accepted/).count()).toBe(0);
    await leave();
  });
});
