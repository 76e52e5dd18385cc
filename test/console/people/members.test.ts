// The console's pages of people: the list, a person's roles, and the ends of access.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { digestUserCode } from "../../../src/people/devices.ts";
import { DAY, makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { poll, startDevice } from "../../people/sign-in/agent.ts";
import { type PeopleWorld, PHONE, startPeopleWorld } from "../people.ts";
import { findBarriers, HAS_BROWSER, isTooWide, openConsole, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

/** The buttons that change a person, or their keys. */
const CHANGES = /^(Disable|Enable|Anonymise|Give a role|Raise|Revoke|Pause|Sign out)/;

let world: PeopleWorld;
let team = "";
beforeAll(async () => {
  world = await startPeopleWorld();
});
afterAll(() => world.stop());

const read = async (path: string) => {
  const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
  return (await fetch(`${world.gateway.url}/admin/v1${path}`, { headers })).json();
};
const findMember = (id: string) => read(`/members/${id}`);

describe.skipIf(!HAS_BROWSER)("people (skipped without Chromium)", () => {
  test("with a provider and before anybody has signed in, the page says where they do", async () => {
    const { page, leave } = await openConsole(world, "/settings/people");
    await page.getByRole("heading", { name: "Nobody has signed in yet" }).waitFor();
    await page.getByText("issuer.example at https://gateway.example,").waitFor();
    await leave();
    team = await world.gateway.newAccount("Search");
    await world.add("Ada", [{ role: "admin", accountId: null }]);
    const grace = await world.add("Grace", [{ role: "member", accountId: team }]);
    await unrecorded(world.opened.store).addKey(
      makeKey("key_grace", { accountId: team, memberId: grace }),
      "digest",
    );
  });

  test("people are found by name, address and role, and shown on a phone", async () => {
    const { page, leave } = await openConsole(world, "/settings/people", PHONE);
    const rows = page.getByRole("table", { name: "People" }).locator("tbody tr");
    await rows.filter({ hasText: "Grace" }).getByText("Search").waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await page.getByRole("searchbox", { name: /^Search by name/ }).fill("ADA@");
    expect(await rows.count()).toBe(1);
    await page.getByRole("searchbox", { name: /^Search by name/ }).fill("");
    await page.getByLabel("Role").selectOption("member");
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining("grace@example.com")]);
    await page.getByRole("link", { name: "Grace" }).click();
    await page.getByRole("table", { name: "Personal keys" }).getByText("key_grace").waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await leave();
  });

  test("the agents that a person signed in are listed, and signed out", async () => {
    const { url } = world.gateway;
    const begun = await startDevice(url, "codex");
    const owner = { memberId: "mem_grace", accountId: team, keyId: "key_grace" };
    await world.opened.store.devices.stepCode(
      "user",
      digestUserCode(begun.userCode, world.opened.world.pepper),
      (before) => ({ code: before && { ...before, state: "approved" as const, ...owner } }),
      10,
    );
    expect((await poll(url, begun)).status).toBe(200);
    const { page, leave } = await openConsole(world, "/settings/people/mem_grace", PHONE);
    const agents = page.getByRole("table", { name: "Agents" });
    await agents.getByText("codex", { exact: true }).first().waitFor();
    expect(await isTooWide(page)).toBe(false);
    await agents.getByRole("button", { name: "Sign out codex" }).click();
    await page.getByRole("button", { name: "Sign out agent" }).click();
    await agents.waitFor({ state: "detached" });
    expect(await world.opened.store.devices.devicesOf("mem_grace", Date.now())).toEqual([]);
    await leave();
  });

  test("an admin gives a role in an account until a day, and takes it back", async () => {
    const { page, close } = await openConsole(world, "/settings/people/mem_grace", PHONE);
    const giveRole = page.getByRole("button", { name: "Give a role" });
    await giveRole.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Role").selectOption("manager");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").filter({ hasText: "accounts" }).waitFor();
    await dialog.getByLabel("Search").check();
    await dialog.getByLabel("Until").fill("2099-01-31");
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(/given by an admin, until 31 Jan 2099/).waitFor();
    expect((await findMember("mem_grace")).grants).toEqual([{ role: "manager", account: team }]);
    await giveRole.click();
    await dialog.getByLabel("Role").selectOption("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("All from the rules").waitFor();
    expect((await findMember("mem_grace")).grants).toEqual([{ role: "member", account: team }]);
    // The refused change stands in the browser's console.
    await close();
  });

  test.each([
    ["America/Los_Angeles", "2099-02-01T07:59:59.000Z"],
    ["Pacific/Auckland", "2099-01-31T10:59:59.000Z"],
  ])("the last day of a role and of a key is the day that was picked, in %s", async (timezoneId, end) => {
    const { page, open, leave } = await openConsole(world, "/", { timezoneId });
    const dialog = page.getByRole("dialog");
    const save = async () => {
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const person = await world.add(timezoneId.replace(/\W/, ""), []);
    await open(`/settings/people/${person}`);
    const giveRole = page.getByRole("button", { name: "Give a role" });
    await giveRole.click();
    await dialog.getByLabel("Role").selectOption("viewer");
    await dialog.getByLabel("Where").selectOption("all");
    await dialog.getByLabel("Until").fill("2099-01-31");
    await save();
    await page.getByText(/given by an admin, until 31 Jan 2099/).waitFor();
    await giveRole.click();
    expect(await dialog.getByLabel("Until").inputValue()).toBe("2099-01-31");
    await save();
    expect((await findMember(person)).until).toBe(end);
    const key = await world.gateway.newKey({ expires_at: end });
    await open(`/settings/router/${key.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    expect(await dialog.getByLabel("Expiry date").inputValue()).toBe("2099-01-31");
    await dialog.getByLabel("Expiry date").fill("2099-01-30");
    await save();
    const dayBefore = new Date(Date.parse(end) - DAY).toISOString();
    expect((await read(`/keys/${key.id}`)).expires_at).toBe(dayBefore);
    await leave();
  });

  test("a person is disabled, which stops their session, enabled, and anonymised for good", async () => {
    const own = await world.openAs("mem_grace");
    const { page, leave } = await openConsole(world, "/settings/people/mem_grace");
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByText("disabled", { exact: true }).waitFor();
    await own.open("/models");
    await own.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await own.close();
    await page.getByRole("table", { name: "Personal keys" }).getByText("paused").waitFor();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    expect((await findMember("mem_grace")).disabled).toBe(false);
    await page.getByRole("button", { name: "Anonymise" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Anonymise" }).click();
    await page.getByRole("heading", { name: "Anonymised" }).waitFor();
    expect(await page.getByRole("main").getByRole("button", { name: CHANGES }).count()).toBe(0);
    expect(await page.getByRole("main").innerText()).not.toContain("grace@example.com");
    await leave();
  });

  test("an account lists its people, and somebody beyond the first page is found", async () => {
    for (let at = 0; at < 210; at++) await world.add(`Crowd${at}`, [], { createdAtMs: at + 2 });
    const { page, open, leave } = await openConsole(world, "/settings/people", PHONE);
    const rows = page.getByRole("table", { name: "People" }).locator("tbody tr");
    await page.getByText("200 shown").waitFor();
    await page.getByRole("searchbox", { name: /^Search by name/ }).fill("Ada");
    await rows.filter({ hasText: "ada@example.com" }).waitFor();
    await world.add("Kay", [{ role: "manager", accountId: team }]);
    await open(`/settings/accounts/${team}`);
    await rows.filter({ hasText: "Kay" }).getByText("manager").waitFor();
    expect(await rows.count()).toBe(1);
    expect(await isTooWide(page)).toBe(false);
    await leave();
  });

  test("a manager sees the people of the account, without a way to change them", async () => {
    const id = await world.add("Lin", [{ role: "manager", accountId: team }]);
    const { page, leave } = await world.openAs(id, `/settings/people/${id}`);
    await page.getByRole("heading", { name: "Lin" }).waitFor();
    await page.getByText("All from the rules").waitFor();
    expect(await page.getByRole("main").getByRole("button", { name: CHANGES }).count()).toBe(0);
    await leave();
  });

  test("a role is given in an account beyond the latest 200, which is found by a part of its name", async () => {
    const account = await world.gateway.newAccount("Bygone research");
    for (let count = 0; count < 200; count++) await world.gateway.newAccount(`Newer ${count}`);
    const id = await world.add("Hedy", []);
    const { page, leave } = await openConsole(world, `/settings/people/${id}`, PHONE);
    await page.getByRole("button", { name: "Give a role" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Role").selectOption("viewer");
    const finder = dialog.getByRole("combobox", { name: "Add an account" });
    await finder.fill("bygone");
    await dialog.getByRole("option", { name: "Bygone research" }).click();
    expect(await dialog.getByLabel("Bygone research").isChecked()).toBe(true);
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(/given by an admin/).waitFor();
    expect((await findMember(id)).grants).toEqual([{ role: "viewer", account }]);
    await leave();
  });
});
