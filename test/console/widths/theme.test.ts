// The switch of light, dark and the system's look, which this browser keeps.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world.stop());

const BACKGROUND = "getComputedStyle(document.documentElement).backgroundColor";
const LIGHT = "rgb(250, 250, 249)";
const DARK = "rgb(16, 18, 17)";

describe.skipIf(!HAS_BROWSER)("the theme (skipped without Chromium)", () => {
  test("is the system's until one is chosen, and stays chosen", async () => {
    const { page, leave } = await openConsole(world, "/", { colorScheme: "dark" });
    const read = () => page.evaluate<string>(BACKGROUND);
    expect(await read()).toBe(DARK);
    await page.getByRole("button", { name: "Theme: system" }).click();
    expect(await read()).toBe(LIGHT);
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Theme: light" }).waitFor();
    expect(await read()).toBe(LIGHT);
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await read()).toBe(DARK);
    await page.getByRole("button", { name: "Theme: dark" }).click();
    expect(await read()).toBe(LIGHT);
    await leave();
  });
});
