// The console's search, and the pages that it leads to: a key's page with its addresses and refusals.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
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
let key: { readonly id: string; readonly secret: string };
let requestId = "";

beforeAll(async () => {
  world = await startConsoleWorld();
  const { gateway } = world;
  key = await gateway.newKey({
    name: "Findable",
    budgets: [{ usd: 5, per: "day" }],
    requests_per_minute: 1,
  });
  const ask = { model: "OpenAI#gpt-5.4", messages: [{ role: "user", content: "Hello" }] };
  requestId = (await (await gateway.chat(ask, { secret: key.secret })).json()).id;
  await gateway.chat({ ...ask, model: "no-such-model" }, { secret: key.secret });
  await gateway.chat(ask, { secret: key.secret });
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("the search (skipped without Chromium)", () => {
  test("opens by Ctrl+K, and leads to a request and to a key with its addresses and refusals", async () => {
    const { page, leave } = await openConsole(world);
    await page.keyboard.press("Control+K");
    const field = page.getByRole("searchbox", { name: /An id/ });
    await field.fill(requestId);
    await page.getByRole("list", { name: "Results" }).getByRole("link").click();
    await page.waitForURL(`**/#/activity/${requestId}`);
    await page.getByRole("link", { name: "127.0.0.1" }).waitFor();
    await page.getByRole("link", { name: "OpenAI", exact: true }).waitFor();
    await page.keyboard.press("Control+K");
    // The field has the focus, and Enter opens what is found first.
    await page.locator("[type=search]:focus").waitFor();
    await page.keyboard.type("findab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Findable" }).waitFor();
    await page.getByRole("table", { name: "Addresses" }).getByText("127.0.0.1").waitFor();
    const refusals = page.getByRole("list", { name: "Refusals by cause and key" });
    await refusals.getByText("model_not_found").waitFor();
    await refusals.getByText("requests per minute of the key: 1 of 1 used").waitFor();
    await page.getByRole("main").getByRole("link", { name: "default" }).waitFor();
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await leave();
  });

  test("finds chapters of the manual, which cost nothing until something is looked for", async () => {
    const { page, leave } = await openConsole(world);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press("Control+K");
    const field = page.getByRole("searchbox", { name: /An id/ });
    await field.waitFor();
    expect(asked.filter((path) => !path.startsWith("/admin/"))).toEqual([]);
    await field.fill("budget");
    const chapters = page.getByRole("list", { name: "In the manual" });
    await chapters.getByRole("link", { name: "Budgets and limits › Budgets" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const opened = page.context().waitForEvent("page");
    await chapters.getByRole("link", { name: "Budgets and limits › Budgets" }).click();
    const manual = await opened;
    await manual.getByRole("heading", { level: 2, name: "Budgets" }).waitFor();
    expect(new URL(manual.url()).pathname).toBe("/docs/budgets");
    await manual.close();
    // It is among what was opened before, and its index is asked for once. Enter opens it if nothing else has the words.
    await page.keyboard.press("Control+K");
    await page
      .getByRole("list", { name: "Opened before" })
      .getByText("Budgets and limits › Budgets")
      .waitFor();
    const entered = page.context().waitForEvent("page");
    await field.fill("semantic cache");
    await page.keyboard.press("Enter");
    const caching = await entered;
    await caching.getByRole("heading", { level: 1, name: "Caching" }).waitFor();
    await caching.close();
    expect(asked.filter((path) => path === "/docs/search.json")).toEqual(["/docs/search.json"]);
    await leave();
  });

  test("an action opens its form, also on the page that is shown, and again once the form was closed", async () => {
    const { page, leave } = await openConsole(world);
    const dialog = page.getByRole("dialog").filter({ has: page.getByRole("heading") });
    const choose = async (action: string) => {
      await page.keyboard.press("Control+K");
      await page.getByRole("searchbox", { name: /An id/ }).fill(action);
      // The links of what was opened before go as the results come.
      const results = page.getByRole("list", { name: "Results" });
      await results.getByRole("link", { name: action }).first().click();
    };
    const actions = [
      ["Add a key", "Add New Key"],
      ["Add an account", "Add account"],
      ["Add an alias with fallbacks", "Add an alias"],
      ["Add a provider's key", "Add a provider's key"],
    ] as const;
    for (const [action, title] of actions)
      for (let times = 0; times < 2; times++) {
        await choose(action);
        await dialog.getByRole("heading", { name: title }).waitFor();
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        expect(page.url()).not.toContain("add=");
      }
    await choose("Add a provider's key");
    await dialog.getByLabel("Provider").selectOption("Mistral");
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Next" }).click();
    await page.getByRole("heading", { name: "Add a credential to Mistral" }).waitFor();
    await leave();
  });
});
