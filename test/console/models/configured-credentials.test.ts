// Pausing and resuming a credential of the configuration in the console: one of two, then the last.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const WIDTHS = [1440, 375] as const;
const KEYS = ["first-key-of-the-file-AAAA", "second-key-of-the-file-BBBB"];

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    more: (url) =>
      `  Filed: { dialect: openai, keys: [${KEYS.join(", ")}], base_url: "${url}/openai/v1", unlisted_models: true }`,
  });
});
afterAll(() => world.stop());

async function ask(): Promise<number> {
  const messages = [{ role: "user", content: "Hi" }];
  const answer = await world.gateway.chat({ model: "Filed#sim-mini", messages });
  await answer.text();
  return answer.status;
}

describe.skipIf(!HAS_BROWSER)("a credential of the configuration (skipped without Chromium)", () => {
  test.each(WIDTHS)("is paused and resumed, but not replaced or removed, %p px", async (width) => {
    const { page, leave } = await openConsole(world, "/settings/providers", {
      viewport: { width, height: 900 },
    });
    await page.getByRole("button", { name: "2 credentials of Filed" }).click();
    const rows = page.getByRole("list", { name: "Credentials of Filed" }).getByRole("listitem");
    const first = rows.filter({ hasText: "AAAA" });
    const second = rows.filter({ hasText: "BBBB" });
    await first.getByRole("button", { name: "Pause" }).click();
    await first.getByText("paused", { exact: true }).waitFor();
    await first.getByText("from the configuration").waitFor();
    for (const name of ["Replace", "Remove"])
      expect(await rows.getByRole("button", { name }).count()).toBe(0);
    expect(await ask()).toBe(200);
    await second.getByRole("button", { name: "Pause" }).click();
    await second.getByText("paused", { exact: true }).waitFor();
    expect(await ask()).toBe(404);
    expect(await isTooWide(page)).toBe(false);
    // Its row stays, and it isn't among the known providers without a key.
    expect(await page.getByRole("button", { name: "Add key for Filed" }).count()).toBe(0);
    for (const row of [first, second]) {
      await row.getByRole("button", { name: "Resume" }).click();
      await row.getByRole("button", { name: "Pause" }).waitFor();
    }
    expect(await ask()).toBe(200);
    await leave();
  });
});
