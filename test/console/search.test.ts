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
    expect(await findBarriers(page)).toEqual([]);
    await leave();
  });
});
