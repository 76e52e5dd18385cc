// The names that clients asked for and no list has, on the models page and at the bell.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    more: '  Maker: { dialect: openai, keys: [k], base_url: "http://127.0.0.1:9/v1", models: [{ name: old-8 }] }',
  });
});
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("in a browser (skipped without Chromium)", () => {
  test("names that no list has stand on the models page, and the bell tells of those that many ask for", async () => {
    const { gateway } = world;
    const other = await gateway.newKey({ account_id: await gateway.newAccount("other") });
    const messages = [{ role: "user", content: "Hello" }];
    for (let at = 0; at < 5; at++) {
      expect((await gateway.chat({ model: "Maker#new-9", messages })).status).toBe(404);
      await gateway.chat({ model: "maker/new-9", messages }, other);
    }
    await gateway.chat({ model: "Maker#rare-9", messages });
    await until("they are counted", async () => {
      const { body } = await createOperator(gateway).get("/models/missing");
      const text = JSON.stringify(body);
      return text.includes('"is_wanted":true') && text.includes("rare-9");
    });
    const { page, close } = await openConsole(world, "/models", { viewport: { width: 360, height: 740 } });
    const line = page.locator("p").filter({ hasText: /^Maker#new-9 10 requests of 2 keys, last / });
    expect(await line.getByRole("link").getAttribute("href")).toMatch(/show=refused.*Maker%23new-9/);
    await page
      .locator("p")
      .filter({ hasText: /^Maker#rare-9 1 request of 1 key, last / })
      .waitFor();
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole("button", { name: /needs? you$/ }).click();
    await page.getByText("Maker#new-9 was asked for 10 times today, and no list here has it").waitFor();
    expect(await page.getByText("Maker#rare-9 was asked for").count()).toBe(0);
    await close();
  });
});
