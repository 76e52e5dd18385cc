// Lists sort by their columns' heads, by mouse and keyboard, and the browser remembers the order.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../whole/world/until.ts";
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
  const post = async (path: string, body: object) => {
    const made = await fetch(`${world.gateway.url}/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.gateway.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(made.status).toBe(201);
    return made.json();
  };
  const { id } = await post("/accounts", { name: "Search" });
  for (const name of ["sort mid", "sort zed", "Sort ant"]) await post("/keys", { name, account_id: id });
});
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("orders (skipped without Chromium)", () => {
  test("keys are sorted by a head, the other way round, and as before, and stay so", async () => {
    const { page, leave } = await openConsole(world, "/settings/router");
    const table = page.getByRole("table", { name: "Keys" });
    const expectNames = (names: readonly string[]) =>
      page.waitForFunction((wanted) => {
        const shown = [...document.querySelectorAll("table[aria-label=Keys] a.strong")];
        const sorted = shown.flatMap(({ textContent }) =>
          /^sort /i.test(textContent ?? "") ? textContent : [],
        );
        return sorted.join() === wanted;
      }, names.join());
    const head = table.getByRole("columnheader", { name: "Name" });
    const expectSort = async (sort: string | null) => expect(await head.getAttribute("aria-sort")).toBe(sort);

    await expectNames(["Sort ant", "sort zed", "sort mid"]);
    await expectSort(null);
    await head.getByRole("button").click();
    await expectNames(["Sort ant", "sort mid", "sort zed"]);
    await expectSort("ascending");
    await head.getByRole("button").press("Enter");
    await expectNames(["sort zed", "sort mid", "Sort ant"]);
    await expectSort("descending");

    await page.reload();
    await expectNames(["sort zed", "sort mid", "Sort ant"]);
    await expectSort("descending");
    await head.getByRole("button").press("Space");
    await expectNames(["Sort ant", "sort zed", "sort mid"]);
    await expectSort(null);

    const account = page.getByRole("combobox", { name: "Account" });
    await account.fill("Sear");
    await page.getByRole("option", { name: "Search" }).click();
    await expectNames(["Sort ant", "sort zed", "sort mid"]);
    expect(await table.locator("tbody tr").count()).toBe(3);
    await leave();
  });

  test("several keys are paused after a question with their number, and each stands in the audit log", async () => {
    const { page, leave } = await openConsole(world, "/settings/router");
    for (const name of ["sort mid", "Sort ant"])
      await page.getByRole("checkbox", { name: `Select ${name}` }).press("Space");
    const selected = page.getByRole("region", { name: "Selected keys" });
    await selected.getByText("2 keys selected").waitFor();
    await selected.getByRole("button", { name: "Pause" }).press("Enter");
    await page.getByRole("heading", { name: "Pause 2 keys?" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Pause 2 keys" }).click();
    await page.getByText("2 keys paused").waitFor();
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    for (const name of ["sort mid", "Sort ant"]) await row(name).getByText("paused").first().waitFor();
    expect(await row("sort zed").getByText("paused").count()).toBe(0);
    const readEntries = async () => {
      const answer = await fetch(`${world.gateway.url}/admin/v1/audit?action=key.changed`, {
        headers: { authorization: `Bearer ${world.gateway.adminToken}` },
      });
      return (await answer.json()).data;
    };
    await until("an entry for each key", async () => (await readEntries()).length === 2);
    await leave();
  });
});
