// The console's page of named tokens: one is made, works, signs in to the console, and is revoked.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { PHONE } from "../people.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  newVisitor,
  openConsole,
  signIn,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld();
  for (const name of ["Search", "Sales and Ads"]) await world.gateway.newAccount(name);
});
afterAll(() => world.stop());

const ask = (secret: string) =>
  fetch(`${world.gateway.url}/admin/v1/session`, { headers: { authorization: `Bearer ${secret}` } });

describe.skipIf(!HAS_BROWSER)("tokens (skipped without Chromium)", () => {
  test("a token is made for an account, shown once, signs in, and ends when it is revoked", async () => {
    const { page, leave } = await openConsole(world, "/settings/tokens", PHONE);
    await page.getByRole("heading", { name: "No tokens yet" }).waitFor();
    await page.getByRole("button", { name: "Add token" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("nightly");
    await dialog.getByLabel("Role").selectOption("manager");
    await dialog.getByLabel("Accounts").fill("Search\n Sales and Ads \n");
    await dialog.getByLabel("Contact").fill("ops@example.com");
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("heading", { name: "nightly is ready" }).waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    const secret = await dialog.locator(".secret code").innerText();
    expect((await (await ask(secret)).json()).role).toBe("manager");
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);

    const other = await newVisitor(world);
    await signIn(other, secret);
    await other.page.getByRole("complementary").getByText("nightly").waitFor();
    await other.leave();

    const row = page.getByRole("row").filter({ hasText: "nightly" });
    for (const name of ["Search", "Sales and Ads"]) await row.getByText(name).waitFor();
    await row.getByText("ops@example.com").waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await row.getByRole("button", { name: "Revoke nightly" }).click();
    await page.getByRole("button", { name: "Revoke token" }).click();
    await row.getByText("revoked").waitFor();
    expect((await ask(secret)).status).toBe(401);
    await leave();
  });

  test("an account that doesn't exist is an error at its field, and so is a token without an end", async () => {
    const { page, close } = await openConsole(world, "/settings/tokens");
    await page.getByRole("button", { name: "Add token" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("other");
    await dialog.getByLabel("Accounts").fill("Nowhere");
    const make = () => dialog.getByRole("button", { name: "Create token" }).click();
    await make();
    await dialog.getByRole("alert").filter({ hasText: "there is no account" }).waitFor();
    expect(await dialog.getByLabel("Accounts").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Accounts").fill("");
    await dialog.getByLabel("Expires").selectOption("Never");
    await make();
    await dialog.getByRole("alert").filter({ hasText: "a year at most" }).waitFor();
    await close();
  });
});
