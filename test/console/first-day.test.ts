// A gateway on its first day: what is missing is said where it is missed, with the way to it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Started } from "../harness/harness.ts";
import { PHONE } from "./people.ts";
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

const PUBLIC_URL = "https://gateway.example";

let world: ConsoleWorld;
let bare: Started;
beforeAll(async () => {
  world = await startConsoleWorld({ server: `public_url: "${PUBLIC_URL}/"` });
  const { configFile, directory, another } = world.gateway;
  const text = readFileSync(configFile, "utf8").replace(/^providers:\n(?: {2}.*\n?)*/m, "providers: {}\n");
  // Its own file, since each node reads its file again when that changes.
  const bareFile = join(directory, "bare.yaml");
  writeFileSync(bareFile, text);
  bare = await another(bareFile);
});
afterAll(async () => {
  await bare.stop();
  await world.stop();
});

const openBare = (path = "/") =>
  openConsole({ ...world, gateway: { ...world.gateway, url: bare.url } }, path);

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
    const { page, leave } = await openBare("/playground");
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
    const { page, leave } = await openBare("/settings/webhooks");
    await page.getByRole("heading", { name: "No receiver is configured" }).waitFor();
    expect(await page.getByText(/Nothing waits|They accepted/).count()).toBe(0);
    await leave();
  });

  test("before the first request the overview explains what to do", async () => {
    const { page, leave } = await openConsole(world);
    await page.getByRole("heading", { name: "No traffic in this period" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const steps = page.getByRole("main").getByRole("listitem");
    await steps.filter({ hasText: /Done:\s*Add a provider's key/ }).waitFor();
    await steps.filter({ hasText: /To do:\s*Get a first answer/ }).waitFor();
    await page.getByRole("button", { name: "Mark as done Set up alerts" }).click();
    await steps.filter({ hasText: /Done:\s*Set up alerts/ }).waitFor();
    await page.getByRole("link", { name: "Add a key" }).click();
    await page.getByRole("button", { name: "Add New Key" }).waitFor();
    await leave();
  });

  test("without a provider of sign-in, the page of people says how to set one up, with the address to copy", async () => {
    const { page, leave } = await openConsole(world, "/settings/people", PHONE);
    const callback = `${PUBLIC_URL}/auth/oidc/callback`;
    await page.getByText(callback).waitFor();
    await page.getByRole("button", { name: "Copy address" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(callback);
    await page.getByText(`public_url: ${PUBLIC_URL}`).waitFor();
    await page.getByText("The admin token stays a way in").waitFor();
    expect(await isTooWide(page)).toBe(false);
    await leave();
  });

  test("without rules, the page of the guard says how to begin, as YAML to copy", async () => {
    const { page, leave } = await openConsole(world, "/settings/guard");
    await page.getByRole("heading", { name: "No rules yet" }).waitFor();
    expect(await page.locator("pre").innerText()).toContain("detect: [secrets]");
    await leave();
  });
});
