// The console on a bad day: the banner above every page, a failing provider in its own words, a failed request's attempt.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { deadAddresses } from "../whole/world/dead-address.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking } from "../whole/world/world.ts";
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

const WIDTHS = [1280, 360] as const;

let world: ConsoleWorld;
let host = "";
let requestId = "";

beforeAll(async () => {
  const [address = ""] = await deadAddresses(1);
  host = new URL(address).host;
  const models = "[{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }]";
  world = await startConsoleWorld({
    more: (
      url,
    ) => `  Gone: { dialect: openai, keys: [a-key-that-is-long-abcd, short], base_url: "${address}", models: ${models} }
  Wrong: { dialect: openai, keys: [bad-key], base_url: "${url}/openai/v1", models: ${models} }`,
  });
  const operator = createOperator(world.gateway);
  await until("the provider counts as failing", async () => {
    await (await world.gateway.chat(asking("Gone#m", "hello"))).text();
    return (await operator.get("/problems")).text.includes("Gone is failing");
  });
  await (await world.gateway.chat(asking("Wrong#m", "hello"))).text();
  // Once the breaker is open, requests fail without a call.
  const called = (await operator.all("/requests", 100)).find(
    ({ attempts, provider }) => Number(attempts) > 0 && provider === "Gone",
  );
  requestId = String(called?.id);
});
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("problems (skipped without Chromium)", () => {
  test("a statement on paper has no alarm, and an amount below zero stays on its line", async () => {
    const { page, leave } = await openConsole(world, "/settings/statements", {
      viewport: { width: 794, height: 600 },
    });
    await page.getByRole("region", { name: "Problems" }).waitFor();
    const cells = page.getByRole("table", { name: "Statements of all accounts" }).locator("td.end");
    await cells.first().waitFor();
    expect(await page.locator(".on-paper").isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("region", { name: "Problems" }).isVisible()).toBe(false);
    expect(await page.locator(".on-paper").innerText()).toContain("As of");
    expect(
      await cells.evaluateAll((all) => all.every((one) => getComputedStyle(one).whiteSpace === "nowrap")),
    ).toBe(true);
    await leave();
  });

  test.each(WIDTHS)(
    "a failing provider is told above every page, and why on its own, %p px",
    async (width) => {
      const { page, open, leave } = await openConsole(world, "/", { viewport: { width, height: 740 } });
      const banner = page.getByRole("region", { name: "Problems" });
      await banner.getByText("Gone is failing.").waitFor();
      await banner.getByText("Wrong refuses every credential").waitFor();
      await banner.locator(".notice", { hasText: "Gone is failing." }).getByRole("link").click();
      await page.getByRole("heading", { name: "Gone", exact: true }).waitFor();
      expect(page.url()).toEndWith("#/settings/providers/Gone");
      await page.getByText("Failing since").first().waitFor();
      await page.getByText(`connection refused (ECONNREFUSED) · at ${host}`).first().waitFor();
      await open("/settings/providers");
      await page.getByRole("button", { name: "1 credential of Cohere" }).click();
      await page.getByText("not called yet").first().waitFor();
      await page.getByText("refuses every credential", { exact: true }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await open(`/activity/${requestId}`);
      await page.getByText("connection refused (ECONNREFUSED)").first().waitFor();
      expect(await isTooWide(page)).toBe(false);
      await leave();
    },
  );

  test("one is put away for an hour in this browser, and the bell still tells of it", async () => {
    const { page, open, leave } = await openConsole(world);
    const banner = page.getByRole("region", { name: "Problems" });
    await banner.getByRole("button", { name: "Hide for an hour Gone" }).click();
    await banner.getByText("Gone is failing.").waitFor({ state: "detached" });
    await page.reload();
    await banner.getByText("Wrong refuses every credential").waitFor();
    expect(await banner.innerText()).not.toContain("Gone is failing.");
    await page.getByRole("button", { name: /need you$/ }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Gone is failing." }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.evaluate((stored) => {
      const until = JSON.parse(localStorage.getItem(stored) ?? "{}");
      for (const name of Object.keys(until)) until[name] -= 3_600_001;
      localStorage.setItem(stored, JSON.stringify(until));
    }, "poundkey.problems-away");
    await page.reload();
    await banner.getByText("Gone is failing.").waitFor();
    await open("/");
    await leave();
  });
});
