// A page asks the gateway for each list once, however many of its rows and cards show it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { type PeopleWorld, startPeopleWorld } from "./people.ts";
import { type Count, countRequests } from "./requests.ts";
import { HAS_BROWSER, newVisitor, openConsole, signIn, VISIT_MS, type Visitor } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let team = "";

beforeAll(async () => {
  world = await startPeopleWorld();
  team = await world.gateway.newAccount("Search");
  for (const name of ["Ada", "Grace", "Edith", "Joan", "Mary"])
    await world.add(name, [{ role: "member", accountId: team }]);
  const messages = [{ role: "user", content: "Hello!" }];
  const ask = async () => (await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages })).text();
  await Promise.all(Array.from({ length: 5 }, ask));
});
afterAll(() => world.stop());

/** Reloads the page with clocks that stand still, since what it asks for at intervals isn't part of its opening. */
const stopClocks = ({ reloadWith }: Visitor) =>
  reloadWith(() => {
    window.setInterval = Object.assign(() => 0, window.setInterval);
    performance.now = () => 0;
  });

async function countAt(path: string, isDrawn: (page: Page) => Promise<void>): Promise<Count> {
  const visitor = await openConsole(world);
  await stopClocks(visitor);
  await visitor.page.getByRole("heading", { name: "Overview" }).waitFor();
  const settle = countRequests(visitor.page);
  await visitor.open(path);
  await isDrawn(visitor.page);
  const count = await settle();
  await visitor.leave();
  return count;
}

const row = (page: Page, text: string) =>
  page.locator("tbody tr").filter({ hasText: text }).first().waitFor();

describe.skipIf(!HAS_BROWSER)("each list is asked for once (skipped without Chromium)", () => {
  test("by the overview, with all that surrounds a page", async () => {
    const visitor = await newVisitor(world);
    await stopClocks(visitor);
    const settle = countRequests(visitor.page);
    await signIn(visitor, world.gateway.adminToken);
    await visitor.page.getByRole("slider").first().waitFor();
    await row(visitor.page, "gpt-5.4");
    const { repeated, paths } = await settle();
    expect([repeated, paths.includes("GET /keys?limit=200")]).toEqual([[], true]);
    await visitor.leave();
  });

  test.each([
    ["people", () => "/settings/people", "Mary", "/members"],
    ["an account", () => `/settings/accounts/${team}`, "Mary", "/keys?limit=200"],
    ["activity", () => "/activity", "gpt-5.4", "/requests"],
  ])("by %s", async (_, path, text, asked) => {
    const { repeated, paths } = await countAt(path(), (page) => row(page, text));
    expect(repeated).toEqual([]);
    expect(paths.some((one) => one.startsWith(`GET ${asked}`))).toBe(true);
    // Nothing is asked for by a row.
    expect(paths.filter((one) => /mem_|key_|chatcmpl-|req_/.test(one))).toEqual([]);
  });

  test("and again after a change, and by the next page", async () => {
    const { page, open, leave } = await openConsole(world, "/settings/accounts");
    await row(page, "Search");
    await page.getByRole("button", { name: "Add account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Research");
    await dialog.getByRole("button", { name: "Create account" }).click();
    await row(page, "Research");
    // Someone else's change.
    await world.gateway.newAccount("Elsewhere");
    await open("/settings/people");
    await row(page, "Mary");
    const settle = countRequests(page);
    await open("/settings/accounts");
    await row(page, "Elsewhere");
    expect((await settle()).repeated).toEqual([]);
    await leave();
  });
});
