// Tags in the console: set for a key, summed on the overview, and followed from there to the requests that have them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

/** A browser on a busy machine takes seconds. */
const WAIT_MS = 120_000;

let world: ConsoleWorld;

async function ask(tags: string | null): Promise<void> {
  const more = tags === null ? {} : { headers: { "x-poundkey-tags": tags } };
  const answer = await world.gateway.chat(asking("OpenAI#sim"), more);
  expect([answer.status, (await answer.text()) !== ""]).toEqual([200, true]);
}

beforeAll(async () => {
  world = await startConsoleWorld();
  for (const tags of ["env=prod,team=search", "team=ads", null]) await ask(tags);
  await until("their tags are summed", async () => {
    const { text } = await createOperator(world.gateway).get("/usage?group_by=tag");
    return ["env=prod", "team=ads", "team=search", "untagged"].every((tag) => text.includes(tag));
  });
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("tags (skipped without Chromium)", () => {
  test(
    "lead from the sums to a request and to others with the same tag",
    async () => {
      const { page, open, close } = await openConsole(world, "/", { viewport: { width: 360, height: 740 } });
      const tag = page.getByRole("combobox", { name: "Tag" });
      await open("/");
      await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Tag" }).click();
      const sums = page.getByLabel("Figures by tag");
      await sums.getByRole("link", { name: "untagged" }).waitFor();
      expect((await sums.getByRole("link").allTextContents()).toSorted()).toEqual([
        "env=prod",
        "team=ads",
        "team=search",
        "untagged",
      ]);
      expect(await isTooWide(page)).toBe(false);
      await sums.getByRole("link", { name: "team=search" }).click();
      await page.getByRole("button", { name: "Filter (1)" }).click();
      expect(await tag.inputValue()).toBe("team=search");
      await page.locator('a[href*="/activity/chatcmpl-"]').first().click();
      await page.getByRole("link", { name: "env=prod" }).click();
      await page.getByRole("button", { name: "Filter (1)" }).click();
      expect(await tag.inputValue()).toBe("env=prod");
      expect(await isTooWide(page)).toBe(false);
      await close();
    },
    WAIT_MS,
  );

  test(
    "are picked from those that are used, by keyboard",
    async () => {
      const { page, leave } = await openConsole(world, "/activity");
      const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
      await rows.nth(2).waitFor();
      const tag = page.getByRole("combobox", { name: "Tag" });
      await tag.press("ArrowDown");
      await page.getByRole("option", { name: "untagged" }).waitFor();
      const offered = await page.getByRole("listbox").getByRole("option").allInnerTexts();
      expect(offered.map((one) => one.trim())).toEqual(["env=prod", "team=ads", "team=search", "untagged"]);
      expect(await findBarriers(page)).toEqual([]);
      await tag.fill("ads");
      await page.getByRole("listbox").getByRole("option").nth(1).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await until("one request is left", async () => (await rows.count()) === 1);
      expect(page.url()).toContain("tag=team%3Dads");
      await page.getByRole("button", { name: "Any tag" }).click();
      await rows.nth(2).waitFor();
      await leave();
    },
    WAIT_MS,
  );

  test(
    "are set in a key's form, which says what is wrong with them",
    async () => {
      const { page, close } = await openConsole(world, "/settings/router");
      await page.getByRole("button", { name: "Add New Key" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("tagged");
      await dialog.getByText(/^More:/).click();
      await dialog.getByLabel("Tags").fill("team");
      await dialog.getByRole("button", { name: "Create key" }).click();
      await dialog.getByText("expected at most 8 tags like team=search,env=prod").waitFor();
      await dialog.getByLabel("Tags").fill("team=search, env=prod");
      await dialog.getByRole("button", { name: "Create key" }).click();
      await dialog.getByRole("button", { name: "Done" }).click();
      const row = page.getByRole("row").filter({ hasText: "tagged" });
      await row.getByRole("button", { name: "Edit" }).click();
      expect(await dialog.getByLabel("Tags").inputValue()).toBe("env=prod, team=search");
      await close();
    },
    WAIT_MS,
  );
});
