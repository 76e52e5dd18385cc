// The console for each role: only pages and actions that the session's permissions give are shown.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Role } from "../../../src/core/people/people.ts";
import { makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { type PeopleWorld, PHONE, startPeopleWorld } from "../people.ts";
import { HAS_BROWSER, isTooWide, VISIT_MS, type Visitor } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let team = "";
beforeAll(async () => {
  world = await startPeopleWorld();
  team = await world.gateway.newAccount("Team");
  await world.gateway.newKey({ name: "Shared", account_id: team });
});
afterAll(() => world.stop());

async function openAs(role: Role, accountId: string | null, path = "/"): Promise<Visitor> {
  return world.openAs(await world.add(`${role}${accountId ?? ""}`, [{ role, accountId }]), path);
}

const listPages = ({ page }: Visitor) =>
  page.getByRole("complementary").getByRole("navigation").getByRole("link").allInnerTexts();

/** By role, in all accounts and in one: the pages of the whole gateway need a role in all. */
const SHOWN = [
  [
    "admin",
    null,
    "Overview Activity Audit Playground Models Tools Sampling Batches Keys People Directory Requests for more Tokens Accounts Statements Reconciliation Providers Limits Guard Webhooks",
  ],
  [
    "operator",
    null,
    "Overview Activity Audit Playground Models Tools Sampling Batches Keys Requests for more Accounts Statements Reconciliation Providers Limits Guard Webhooks",
  ],
  [
    "viewer",
    null,
    "Overview Activity Audit Models Tools Batches Keys People Directory Requests for more Accounts Statements Reconciliation Providers Limits Guard Webhooks",
  ],
  [
    "manager",
    "team",
    "Overview Activity Audit Playground Models Tools Batches Keys People Requests for more Accounts Statements Webhooks",
  ],
] as const;

describe.skipIf(!HAS_BROWSER)("each role (skipped without Chromium)", () => {
  for (const [role, where, pages] of SHOWN) {
    test(`as ${role}, the navigation leads to what it may see`, async () => {
      const visitor = await openAs(role, where === null ? null : team);
      expect((await listPages(visitor)).join(" ")).toBe(pages);
      await visitor.leave();
    });
  }

  test("a page that isn't for one's role says so, and asks the gateway nothing", async () => {
    const { page, leave } = await openAs("manager", team, "/settings/providers");
    await page.getByRole("heading", { name: "Providers isn't for your role" }).waitFor();
    await page.getByText("settings.read").waitFor();
    await leave();
  });

  test("a viewer sees keys, accounts and providers without any way to change them", async () => {
    const { page, open, leave } = await openAs("viewer", null, "/settings/router");
    await page.getByRole("row").filter({ hasText: "Shared" }).waitFor();
    // Neither choices of what is shown and in which order, nor files of it.
    const doesMore =
      "xpath=self::button[not(ancestor::fieldset or ancestor::th) and not(@aria-expanded) and not(starts-with(., 'CSV'))]";
    const buttons = () => page.getByRole("main").getByRole("button").locator(doesMore).allInnerTexts();
    expect(await buttons()).toEqual([]);
    await open("/settings/accounts");
    await page.getByRole("row").filter({ hasText: "Team" }).waitFor();
    expect(await buttons()).toEqual([]);
    await open(`/settings/accounts/${team}`);
    await page.getByRole("heading", { name: "Journal" }).waitFor();
    await page.getByRole("button", { name: "Print" }).waitFor();
    expect(await buttons()).toEqual(["Print"]);
    await open("/settings/providers");
    await page
      .getByRole("button", { name: /credentials? of/ })
      .first()
      .waitFor();
    expect(await buttons()).toEqual([]);
    await leave();
  });

  test("an operator limits accounts and tops none up, billing the other way round", async () => {
    const operator = await openAs("operator", null, `/settings/accounts/${team}`);
    await operator.page.getByRole("button", { name: "Edit" }).waitFor();
    expect(await operator.page.getByRole("button", { name: "Top up" }).count()).toBe(0);
    await operator.leave();
    const billing = await openAs("billing", null, `/settings/accounts/${team}`);
    await billing.page.getByRole("button", { name: "Top up" }).waitFor();
    expect(await billing.page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await billing.leave();
  });

  test("a manager makes a key in the own account, of the kind chosen, without fields of others", async () => {
    const { page, leave } = await openAs("manager", team, "/settings/router");
    await page.getByRole("button", { name: "Add New Key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Mine alone");
    await dialog.getByLabel("Whose key").selectOption("personal");
    expect(await dialog.getByLabel("Account").count()).toBe(0);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Mine alone is ready" }).waitFor();
    const { data } = await (
      await fetch(`${world.gateway.url}/admin/v1/keys?q=Mine`, {
        headers: { authorization: `Bearer ${world.gateway.adminToken}` },
      })
    ).json();
    expect(data).toMatchObject([{ kind: "personal", account_id: team }]);
    await leave();
  });

  test("a member has a view of their own on a phone: keys, usage, requests and what pays for them", async () => {
    const id = await world.add("Mia", [{ role: "member", accountId: team }]);
    await unrecorded(world.opened.store).addKey(
      makeKey("key_mia", { accountId: team, memberId: id }),
      "digest of Mia's",
    );
    const { page, open, leave } = await world.openAs(id, "/", PHONE);
    for (const [path, shows] of [
      ["/", "what is left of your limits"],
      ["/activity", "No requests yet"],
      ["/settings/accounts", "Team"],
      ["/settings/router", "key_mia"],
    ] as const) {
      await open(path);
      await page.getByRole("main").getByText(shows).first().waitFor();
      expect([path, await isTooWide(page)]).toEqual([path, false]);
    }
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "Shared" }).count()).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    const links = page.getByRole("dialog").getByRole("navigation").getByRole("link");
    expect((await links.allInnerTexts()).join(" ")).toBe(
      "Home Activity Playground Models Tools Batches Keys Ask for more Accounts",
    );
    await leave();
  });

  test("the console says who is signed in", async () => {
    const { page, leave } = await openAs("manager", team);
    await page.getByRole("complementary").getByText("manager in one account").waitFor();
    await leave();
  });
});
