// The tabs of a new key's dialog: every client's lines with this gateway's address and the key, by mouse and keyboard.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CLIENT_SETUPS } from "../../src/docs/site/client-setups.ts";
import { HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const world = await startConsoleWorld();
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("a new key's dialog (skipped without Chromium)", () => {
  test("shows how to connect each client and remembers the choice", async () => {
    const { page, leave } = await openConsole(world, "/settings/router");
    const addKey = async (name: string) => {
      await page.getByRole("button", { name: "Add New Key" }).click();
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("heading", { name: `${name} is ready` }).waitFor();
    };
    await addKey("team");
    const secret = (await page.locator(".secret code").textContent()) ?? "";
    expect(secret).toStartWith("sk-");
    for (const { title } of CLIENT_SETUPS) {
      await page.getByRole("tab", { name: title, exact: true }).click();
      const text = (await page.getByRole("tabpanel", { name: title }).textContent()) ?? "";
      expect([title, text.includes(secret), text.includes("{key}")]).toEqual([title, true, false]);
      expect([title, text.includes(world.gateway.url)]).toEqual([title, true]);
    }
    await page.getByRole("tab", { name: "Claude Code" }).click();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Codex");
    await page.getByRole("tabpanel", { name: "Codex" }).getByText("wire_api").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.setViewportSize({ width: 360, height: 740 });
    const isWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect(await page.evaluate(isWide)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Done" }).click();
    await addKey("another");
    expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Codex");
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
    await leave();
  });
});
