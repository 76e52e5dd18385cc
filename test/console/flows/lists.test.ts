// Lists of accounts, people, batches and models sort by their heads, and several of their rows are changed at once.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { makeKey, makeRecord, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { until } from "../../whole/world/until.ts";
import { addShown } from "../batch-states.ts";
import { type PeopleWorld, startPeopleWorld } from "../people.ts";
import { findBarriers, HAS_BROWSER, openConsole, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
beforeAll(async () => {
  world = await startPeopleWorld({ more: "batches: { parallel: 0 }" });
  for (const name of ["sort-mid", "sort-zed", "Sort-ant"]) {
    await world.gateway.newAccount(name);
    await world.add(name, [{ role: "member", accountId: null }]);
  }
  // The one who costs the most is first unless an order is chosen.
  const { store } = world.opened;
  const memberId = "mem_sort-mid";
  await unrecorded(store).addKey(makeKey("key_mid", { memberId }), "digest of key_mid");
  const used = { keyId: "key_mid", memberId, costNanoUsd: 5_000_000_000, atMs: Date.now() };
  await writeRecord(store, makeRecord("used", used));
  const lines = [30, 4, 100].map((total, at) => ({ counts: { total }, age: at, usd: 1 }));
  await addShown(world, lines);
});
afterAll(() => world.stop());

/** Waits until the named table's rows have these texts, in this order, among others. */
function waitForRows(page: Page, table: string, texts: readonly string[]) {
  return page.waitForFunction(
    ({ label, wanted }) => {
      const rows = [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)];
      const shown = rows.flatMap(
        ({ textContent }) => wanted.find((text) => textContent?.includes(text)) ?? [],
      );
      return shown.join() === wanted.join();
    },
    { label: table, wanted: texts },
  );
}

async function countEntries(action: string): Promise<number> {
  const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
  const answer = await fetch(`${world.gateway.url}/admin/v1/audit?action=${action}`, { headers });
  return (await answer.json()).data.length;
}

const BY_NAME = ["Sort-ant", "sort-mid", "sort-zed"] as const;
const BY_LINES = ["of 100", "of 30", "of 4"] as const;

describe.skipIf(!HAS_BROWSER)("lists (skipped without Chromium)", () => {
  test.each([
    ["/settings/accounts", "Accounts", "Name", "ascending", BY_NAME],
    ["/settings/people", "People", "Name", "ascending", BY_NAME],
    ["/batches", "Batches", "Lines", "descending", BY_LINES],
  ])(
    "%s: sorted by a head, the other way round, and still so in a new page",
    async (path, label, by, first, rows) => {
      const { page, leave } = await openConsole(world, path);
      const head = page.getByRole("table", { name: label }).getByRole("columnheader", { name: by });
      expect(await head.getAttribute("aria-sort")).toBeNull();
      await head.getByRole("button").click();
      await waitForRows(page, label, rows);
      expect(await head.getAttribute("aria-sort")).toBe(first);
      await head.getByRole("button").press("Enter");
      await waitForRows(page, label, rows.toReversed());
      await page.reload();
      await waitForRows(page, label, rows.toReversed());
      expect(await head.getAttribute("aria-sort")).not.toBe(first);
      await leave();
    },
  );

  test("models are sorted by their price, the cheapest first, and stay so", async () => {
    const { page, leave } = await openConsole(world, "/models?all=1&provider=Mistral");
    const head = page.getByRole("table", { name: "Models" }).getByRole("columnheader", { name: "Input" });
    await head.getByRole("button").click();
    const readPrices = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('table[aria-label="Models"] td[data-label="Input"]')].flatMap(
          ({ textContent }) => {
            const [usd] = /[\d.]+/.exec(textContent ?? "") ?? [];
            return usd === undefined ? [] : [Number(usd)];
          },
        ),
      );
    const isSorted = async () => {
      const prices = await readPrices();
      return prices.length > 5 && prices.join() === prices.toSorted((one, other) => one - other).join();
    };
    await until("the prices are in order", isSorted);
    await page.reload();
    await until("the prices are in order", isSorted);
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    await leave();
  });

  test("credentials of a provider are in the order that was chosen, and stay so", async () => {
    for (const [key, weight] of [
      ["key-light", 1],
      ["key-heavy", 9],
    ])
      await fetch(`${world.gateway.url}/admin/v1/providers/Mistral`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${world.gateway.adminToken}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ key, weight }),
      });
    const { page, leave } = await openConsole(world, "/settings/providers/Mistral");
    const readFirst = () =>
      page.getByRole("list", { name: "Credentials of Mistral" }).getByRole("listitem").first().textContent();
    const order = page.getByRole("combobox", { name: "Order of the credentials of Mistral" });
    await order.waitFor();
    expect(await readFirst()).toContain("key 1");
    await order.selectOption({ label: "Highest weight" });
    await until("the heaviest is first", async () => (await readFirst())?.includes("weight 9") === true);
    await page.reload();
    await until("the heaviest is first", async () => (await readFirst())?.includes("weight 9") === true);
    await leave();
  });

  test.each([
    ["/settings/accounts", "accounts", "Pause", "account.changed", "paused", ["sort-mid", "Sort-ant"]],
    ["/settings/people", "people", "Disable", "member.changed", "disabled", ["sort-mid", "Sort-ant"]],
    ["/batches", "batches", "Cancel", "batch.cancelled", "cancel", ["of 30", "of 4"]],
  ])(
    "%s: several are changed after a question with their number, each on record",
    async (path, many, action, entry, word, names) => {
      const { page, open, leave } = await openConsole(world);
      const before = await countEntries(entry);
      await open(path);
      const row = (text: string) => page.getByRole("row").filter({ hasText: text });
      for (const name of names) await row(name).getByRole("checkbox").press("Space");
      const selected = page.getByRole("region", { name: `Selected ${many}` });
      await selected.getByText(`2 ${many} selected`).waitFor();
      await selected.getByRole("button", { name: action, exact: true }).press("Enter");
      await page.getByRole("heading", { name: `${action} 2 ${many}?` }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await countEntries(entry)).toBe(before);
      await page
        .getByRole("dialog")
        .getByRole("button", { name: `${action} 2 ${many}` })
        .click();
      for (const name of names) await row(name).getByText(word).first().waitFor();
      await until("an entry for each", async () => (await countEntries(entry)) === before + 2);
      await leave();
    },
  );
});
