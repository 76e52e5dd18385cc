// Every page of the console in a browser, in all themes and widths: complete, no errors or foreign requests,
// accessible.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { addShown } from "./batch-states.ts";
import { findView, type Items, listUnseenPages, nameViews } from "./views.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  listOutside,
  newVisitor,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
  type Visitor,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const LOOKS = [
  { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

let world: ConsoleWorld;
let items: Partial<Items> = {};
const tools = new ToolServerFake();

beforeAll(async () => {
  world = await startConsoleWorld({
    more:
      'webhooks: [{ url: "http://127.0.0.1:9/hook", secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" }]\naliases: { fast: "OpenAI#gpt-5.4", team: [{ model: "OpenAI#gpt-5.4", weight: 3 }, { model: "Mistral#sim-mini" }] }\nrouter: { rules: [{ category: coding, at_least: 0.9, models: ["OpenAI#gpt-5.4"] }], explore: 0.01 }\n' +
      `mcp: { allowed_tools: ["*"], servers: { wiki: { url: "${tools.url}" } } }`,
  });
  const messages = [{ role: "user", content: "Prove that there are infinitely many primes." }];
  const answer = await world.gateway.chat({ model: "Router#best", messages });
  const request = (await answer.json()).id;
  await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages });
  await world.gateway.chat({ model: "OpenAI#sim-mini~trouble=500", messages });
  await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages }, { secret: "sk-unknown-to-this-gateway" });
  await fetch(`${world.gateway.url}/admin/v1/accounts/default/topups`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.gateway.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ amount_usd: 5, note: "Invoice 1" }),
  });
  const key = (await world.gateway.newKey({ name: "viewed" })).id;
  const counts = { total: 800, completed: 200, failed: 12, cancelled: 588 };
  const [batch = ""] = await addShown(world, [{ status: "cancelled", counts, usd: 0.11 }]);
  items = { request, key, batch, account: "default", tool: "wiki_echo" };
});

afterAll(async () => {
  await world.stop();
  await tools.stop();
});

test("every page of the navigation's table is among the views", () => {
  expect(listUnseenPages()).toEqual([]);
});

describe.skipIf(!HAS_BROWSER)("pages (skipped without Chromium)", () => {
  for (const look of LOOKS) {
    describe(`${look.colorScheme}, ${look.viewport.width} px`, () => {
      let opened: Visitor | null = null;
      afterAll(() => opened?.close());

      test("the sign-in", async () => {
        const { page, leave } = await newVisitor(world, look);
        await page.getByRole("heading", { name: "Sign in" }).waitFor();
        expect(await findBarriers(page)).toEqual([]);
        expect(await isTooWide(page)).toBe(false);
        await leave();
      });

      // This world has no sockets, and nobody signs in.
      test.each(nameViews(["turn", "person"]))("the page %s", async (_, view) => {
        opened ??= await openConsole(world, "/", look);
        const { page, open, complaints, foreign } = opened;
        const found = findView(view, items);
        if (found === null) throw new Error("the page has no item");
        await open(found.path);
        const { shows } = found;
        await page.getByRole("main").getByText(shows).or(page.getByLabel(shows)).first().waitFor();
        await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
        expect(await findBarriers(page)).toEqual([]);
        expect(await isTooWide(page)).toBe(false);
        if (look.viewport.width < 640) expect(await listOutside(page)).toEqual([]);
        expect([...complaints, ...foreign]).toEqual([]);
      });
    });
  }

  test("the breakdown of usage is in the order of the chosen figure", async () => {
    const { page, leave } = await openConsole(world);
    const first = page.getByRole("table", { name: "Figures by model" }).locator("tbody tr").first();
    await first.waitFor();
    expect(await first.innerText()).not.toContain("(unlisted)");
    await page.getByRole("button", { name: "Errors", exact: true }).click();
    await first.filter({ hasText: "OpenAI#(unlisted)" }).waitFor();
    await leave();
  });

  test("a statement is printed alone", async () => {
    const { page, close } = await openConsole(world, "/settings/accounts/default");
    await page.getByText("Balance before").waitFor();
    const journal = page.getByRole("heading", { name: "Journal" });
    await journal.waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByText("Balance before").isVisible()).toBe(true);
    expect([await journal.isVisible(), await page.getByLabel("Console").isVisible()]).toEqual([false, false]);
    const head = page.locator(".on-paper");
    expect(await head.innerText()).toContain(new URL(world.gateway.url).host);
    expect(await head.innerText()).toMatch(/1 \w{3} \d{4} to \d\d \w{3} \d{4}, UTC · default\s+As of \d/);
    await close();
  });

  test("the models page shows aliases with their targets", async () => {
    const { page, close } = await openConsole(world, "/models");
    const row = page.getByRole("table", { name: "Aliases" }).getByRole("row").filter({ hasText: "team" });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/OpenAI#gpt-5\.4 75\s?%\s+Mistral#sim-mini 25\s?%/);
    await close();
  });

  test("aliases are added, changed and removed, and rules shown, on the page of limits", async () => {
    const { page, leave } = await openConsole(world, "/settings/limits");
    await page.getByRole("table", { name: "Rules" }).getByText("OpenAI#gpt-5.4").waitFor();
    await page.getByText("1.0% of the requests").waitFor();
    await page.getByRole("button", { name: "Add alias" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("house-model");
    await dialog.getByLabel("Model or selector").fill("claude-sonnet-5");
    await dialog.getByRole("option", { name: "Anthropic#claude-sonnet-5", exact: true }).click();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add alias" }).click();
    const row = page
      .getByRole("table", { name: "Aliases" })
      .getByRole("row")
      .filter({ hasText: "house-model" });
    await row.getByText("Anthropic#claude-sonnet-5").waitFor();
    await row.getByRole("button", { name: "Edit house-model" }).click();
    await dialog.getByRole("button", { name: "The best choice each time" }).click();
    await dialog.getByLabel("Share of the best quality to keep").fill("0.9");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("keeps 90% of the quality").waitFor();
    await row.getByRole("button", { name: "Remove house-model" }).click();
    await dialog.getByRole("button", { name: "Remove alias" }).click();
    await row.waitFor({ state: "detached" });
    await leave();
  });

  test("dialogs trap the focus, close on Escape and are accessible", async () => {
    const { page, close } = await openConsole(world, "/settings/router");
    await page.getByRole("button", { name: "Add New Key" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const isInside = () => page.evaluate(() => document.activeElement?.closest("dialog") !== null);
    expect(await isInside()).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await close();
  });

  test("a form shows an error at the field that caused it, or else below the form", async () => {
    const { page, close } = await openConsole(world, "/settings/providers");
    await page.getByRole("button", { name: "Add credential" }).first().click();
    const dialog = page.getByRole("dialog");
    const key = dialog.getByLabel("API key");
    const weight = dialog.getByLabel("Weight");
    const alert = (text: string) => dialog.getByRole("alert").filter({ hasText: text }).waitFor();
    await key.fill("sim-key-third");
    await dialog.getByText(/^More:/).click();
    await weight.fill("1000000");
    await dialog.getByRole("button", { name: "Add credential" }).click();
    await alert("'weight'");
    expect(await weight.getAttribute("aria-invalid")).toBe("true");
    expect(await key.getAttribute("aria-invalid")).toBeNull();
    await page.route("**/admin/v1/providers/*", (route) => route.abort());
    await dialog.getByRole("button", { name: "Add credential" }).click();
    await alert("Can't reach the gateway.");
    expect(await dialog.locator("[aria-invalid]").count()).toBe(0);
    await close();
  });

  test("on a narrow screen a menu leads to each page", async () => {
    const { page, close } = await openConsole(world, "/", { viewport: { width: 360, height: 740 } });
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("link", { name: "Limits" }).click();
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await close();
  });

  test("on a phone a touched card is painted whole, and its cells never one by one", async () => {
    const { page, close } = await openConsole(world, "/activity", { viewport: { width: 390, height: 844 } });
    const card = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link").first();
    await card.waitFor();
    const paintOf = (of: typeof card) => of.evaluate((one) => getComputedStyle(one).backgroundColor);
    const paintOfCells = () =>
      card.locator("td").evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).backgroundColor));
    const clear = "rgba(0, 0, 0, 0)";
    await card.hover();
    expect(new Set(await paintOfCells())).toEqual(new Set([clear]));
    expect(await paintOf(card)).toBe(clear);
    await page.mouse.down();
    expect(await paintOf(card)).not.toBe(clear);
    expect(new Set(await paintOfCells())).toEqual(new Set([clear]));
    await page.mouse.up();
    await close();
  });

  test.each([641, 1024])("at %d px a wide table scrolls by itself, and the page doesn't", async (width) => {
    const name = "The integration of the warehouse's forecasting with the finance team's monthly closing";
    await world.gateway.newKey({ name });
    const { page, open, close } = await openConsole(world, "/", { viewport: { width, height: 900 } });
    for (const [path, label] of [
      ["/settings/router", "Keys"],
      ["/settings/webhooks", "Webhooks"],
      ["/settings/audit", "Audit log"],
    ] as const) {
      await open(path);
      await page.getByRole("table").first().waitFor();
      expect([label, await isTooWide(page)]).toEqual([label, false]);
    }
    await close();
  });

  test("on a narrow screen the search opens by its button and by its keys", async () => {
    const { page, close } = await openConsole(world, "/", { viewport: { width: 390, height: 844 } });
    const dialog = page.getByRole("dialog", { name: "Search" });
    await page.keyboard.press("Control+k");
    await dialog.getByRole("searchbox").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("banner").getByRole("button", { name: "Search" }).click();
    await dialog.getByRole("searchbox").waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await close();
  });

  test("the models page names those that end, with the keys that use them", async () => {
    const { gateway } = world;
    await gateway.chat({ model: "OpenAI#gpt-4o", messages: [{ role: "user", content: "Hello" }] });
    await until("the sums hold it", async () => {
      const { body } = await createOperator(gateway).get("/models/retiring");
      return JSON.stringify(body).includes('"key_id"');
    });
    const { page, close } = await openConsole(world, "/models", { viewport: { width: 360, height: 740 } });
    const line = page.locator("p").filter({ hasText: /^OpenAI#gpt-4o ends .*; used by test$/ });
    const address = await line.getByRole("link", { name: "test" }).getAttribute("href");
    expect(address).toMatch(/key_id=.*model=OpenAI%23gpt-4o/);
    expect(await isTooWide(page)).toBe(false);
    await close();
  });

  test("models can be searched, filtered and sorted", async () => {
    const { page, close } = await openConsole(world, "/models");
    await page.getByLabel("Search models").fill("claude");
    await page.getByLabel("Provider").selectOption("Anthropic");
    await page.getByLabel("vision").check();
    await page.getByRole("button", { name: "Output", exact: true }).click();
    const rows = page.getByRole("table", { name: "Models" }).getByRole("row");
    await rows.filter({ hasText: "claude-haiku" }).first().waitFor();
    const names = await rows.allInnerTexts();
    expect(names.slice(1).every((text) => text.includes("Anthropic#claude"))).toBe(true);
    const prices = (await rows.locator("td[data-label=Output]").allInnerTexts()).map((text) =>
      Number(text.slice(1)),
    );
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
    await close();
  });

  test("an unreachable gateway is reported, and the page appears by itself once it is back", async () => {
    const { page, open, close } = await openConsole(world);
    await page.route("**/admin/v1/audit*", (route) => route.abort());
    await open("/settings/audit");
    await page.getByText("Can't reach the gateway.").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).isEnabled()).toBe(true);
    await page.unroute("**/admin/v1/audit*");
    await page.getByText("topup.made").first().waitFor();
    await close();
  });
});
