// A team lead's five questions, each answered by two clicks at most, without a mouse, and without barriers on the way.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { DAY, makeKey, makeRecord, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { type PeopleWorld, startPeopleWorld } from "../people.ts";
import { findBarriers, HAS_BROWSER, isTooWide, VISIT_MS, type Visitor } from "../visitor.ts";
import { countFlows } from "./hand.ts";

setDefaultTimeout(VISIT_MS);

const USD = 1_000_000_000;

let world: PeopleWorld;
let team = "";
let other = "";
beforeAll(async () => {
  world = await startPeopleWorld();
  team = await world.gateway.newAccount("Search");
  other = await world.gateway.newAccount("Ads");
  const operator = createOperator(world.gateway);
  const member_defaults = { budgets: [{ usd: 50, per: "month" }] };
  await operator.patch(`/accounts/${team}`, { member_defaults });
  for (const [name, accountId] of [
    ["Ada", team],
    ["Grace", team],
    ["Joan", team],
  ] as const)
    await addKey(name, accountId);
  await addKey("Ada", other);
  await world.add("Lead", [{ role: "manager", accountId: team }]);
  const now = Date.now();
  const lastMonth = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1) - 10 * DAY;
  await spend("Ada", team, { chargedNanoUsd: 20 * USD, atMs: lastMonth });
  await spend("Ada", team, { chargedNanoUsd: 45 * USD, atMs: now, modelUsed: "OpenAI#gpt-5.4" });
  await spend("Ada", other, { chargedNanoUsd: 7 * USD, atMs: now });
  await spend("Grace", team, { chargedNanoUsd: 3 * USD, atMs: now });
  await until("the sums have all of it", async () => {
    const { body } = await operator.get("/spending/people");
    return JSON.stringify(body).includes('"cost_usd":52');
  });
});

const keyOf = (name: string, accountId: string) => `key_${name.toLowerCase()}_${accountId}`;

async function addKey(name: string, accountId: string): Promise<void> {
  const memberId = await world.add(name, [
    { role: "member", accountId: team },
    { role: "member", accountId: other },
  ]);
  const key = makeKey(keyOf(name, accountId), { accountId, memberId, name: `${name}'s` });
  await unrecorded(world.opened.store).addKey(key, `digest of ${key.id}`);
}

async function spend(
  name: string,
  accountId: string,
  fields: Parameters<typeof makeRecord>[1],
): Promise<void> {
  const of = { accountId, keyId: keyOf(name, accountId), memberId: `mem_${name.toLowerCase()}` };
  const id = `chatcmpl-${name}${fields?.atMs}${accountId}`;
  await writeRecord(world.opened.store, makeRecord(id, { ...of, ...fields }));
}

const { flow, print } = countFlows();

afterAll(async () => {
  print();
  await world.stop();
});

const asLead = () => world.openAs("mem_lead");
const pages = ({ page }: Visitor) => page.getByRole("navigation", { name: "Pages" });
const rowsOf = (page: Page) => page.getByRole("table", { name: "People" }).locator("tbody tr");
const ofAda = (page: Page) => rowsOf(page).filter({ hasText: "Ada" });

async function expectClear(page: Page): Promise<void> {
  expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
}

describe.skipIf(!HAS_BROWSER)("a team's lead knows (skipped without Chromium)", () => {
  flow("who spent the most", asLead, { clicks: 1, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.enter(pages(hand.visitor).getByRole("link", { name: "People" }));
    await ofAda(page).getByText("$45.00", { exact: true }).waitFor();
    expect(await rowsOf(page).first().innerText()).toContain("Ada");
    await expectClear(page);
  });

  flow("on what", asLead, { clicks: 2, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.enter(pages(hand.visitor).getByRole("link", { name: "People" }));
    await hand.enter(page.getByRole("main").getByRole("link", { name: "Ada" }));
    const models = page.getByRole("table", { name: "Figures by model" }).locator("tbody tr");
    await models.first().getByText("OpenAI#gpt-5.4").waitFor();
    expect(await models.first().innerText()).toContain("$45");
    // Nothing of what she cost at another account.
    expect(await page.getByRole("main").innerText()).not.toContain("$7");
    await expectClear(page);
  });

  flow("whether it is more than in the month before", asLead, { clicks: 1, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.enter(pages(hand.visitor).getByRole("link", { name: "People" }));
    await page.getByText(/^\$48\.00$/).waitFor();
    await page.getByText(/\$20\.00 in the month before/).waitFor();
    await ofAda(page).getByText("$20.00", { exact: true }).waitFor();
  });

  flow("who is near the end of a budget", asLead, { clicks: 0, keys: 0 }, async ({ visitor: { page } }) => {
    const card = page.locator("section").filter({ hasText: "Budgets near their end" });
    await card.getByRole("link", { name: "Ada" }).waitFor();
    await card.getByText("$45.00 of $50.00").waitFor();
    await expectClear(page);
  });

  flow("and raises it", asLead, { clicks: 2, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.enter(page.getByRole("button", { name: "Raise the budget of Ada" }));
    const dialog = page.getByRole("dialog");
    await dialog.locator("input:focus").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await hand.enter(dialog.getByRole("button", { name: "Raise", exact: true }));
    await dialog.waitFor({ state: "detached" });
    await hand.visitor.open("/settings/people/mem_ada");
    await page.getByText("$45.00 of $75.00").waitFor();
  });
});
